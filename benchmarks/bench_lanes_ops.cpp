// The scan, the attention and exp of the lanes engine on the best instruction set of this processor, on one core.
//
//   peak             multiply-adds on registers; read `GFLOPs`, against which the shares below count
//   exp2             read `each`, per vector
//   scan_*           read `each`, per (token, channel, state) vector
//   attention_*      read `share`: multiply-adds of scores, values and their gradients inside the window, over the peak
#include "kernels/lanes/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "benchmarks/bench_lanes_ops.cpp"
#include <algorithm>
#include <chrono>
#include <cmath>

#include <benchmark/benchmark.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/lanes/flush_subnormals.hpp"
#include "kernels/lanes/unrolled-inl.hpp"
#include "tests/kernels_lanes_ops/sequence-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace hyseq::kernels::HWY_NAMESPACE {

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

/// Multiply-adds of one lane per second, times lanes times two: measured on 16 independent sums.
void multiply_adds(std::size_t count, float* result) {
  const D d;
  V sum[16];
  unrolled<16>([&](auto i) HYSEQ_UNROLLED { sum[i] = hn::Set(d, static_cast<float>(i())); });
  const V factor = hn::Set(d, *result);
  for (std::size_t k = 0; k < count; ++k) {
    unrolled<16>([&](auto i) HYSEQ_UNROLLED { sum[i] = hn::MulAdd(sum[i], factor, factor); });
  }
  V total = hn::Zero(d);
  unrolled<16>([&](auto i) HYSEQ_UNROLLED { total = hn::Add(total, sum[i]); });
  *result = hn::GetLane(total);
}

double peak_per_second() {
  static const double peak = [] {
    double best = 0;
    for (int repeat = 0; repeat < 50; ++repeat) {
      float value = 0.5F;
      const auto start = std::chrono::steady_clock::now();
      multiply_adds(20000, &value);
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      benchmark::DoNotOptimize(value);
      best = std::max(best, 20000.0 * 16 * static_cast<double>(hn::Lanes(D())) / seconds);
    }
    return best;
  }();
  return peak;
}

void bench_peak(benchmark::State& state) {
  for (auto _ : state) {
    float value = 0.5F;
    multiply_adds(1000, &value);
    benchmark::DoNotOptimize(value);
  }
  state.counters["GFLOPs"] = 2e-9 * peak_per_second();
  state.SetLabel(hwy::TargetName(HWY_TARGET));
}

/// Time for each of `count` things in an iteration.
void report_each(benchmark::State& state, double count) {
  state.counters["each"] = benchmark::Counter(count * static_cast<double>(state.iterations()),
                                              benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void bench_exp2(benchmark::State& state) {
  const D d;
  const FlushSubnormals flush;
  Sequence<D> sequence({32});
  const View view = sequence.buffer(8, 10);
  float* data = sequence.context(0, 32).at(view, 0);
  for (auto _ : state) {
    V sum[8];
    unrolled<8>([&](auto i) HYSEQ_UNROLLED { sum[i] = hn::Zero(d); });
    for (std::size_t row = 0; row < 32; ++row) {
      unrolled<8>([&](auto i) HYSEQ_UNROLLED {
        sum[i] = hn::Add(sum[i], exp2(d, hn::Load(d, data + (row * 9 + i) * hn::Lanes(d))));
      });
    }
    unrolled<8>([&](auto i) HYSEQ_UNROLLED { benchmark::DoNotOptimize(hn::GetLane(sum[i])); });
  }
  report_each(state, 32 * 8);
}

void bench_scan(benchmark::State& state, bool backward) {
  const D d;
  const FlushSubnormals flush;
  constexpr std::size_t kTime = 100;
  const auto channels = static_cast<int>(state.range(0));
  const int states = 16;
  const auto tokens = static_cast<std::size_t>(state.range(1));
  Sequence<D> sequence({kTime});
  SelectiveScanBackward call;
  call.call.u = sequence.buffer(channels);
  call.call.step = sequence.buffer(channels, 0.3);
  call.call.input = sequence.buffer(states);
  call.call.output = sequence.buffer(states);
  call.call.out = sequence.buffer(channels);
  call.call.log_rate = sequence.parameter(channels * states);
  call.call.skip = sequence.parameter(channels);
  for (std::size_t t = 0; t < kTime; ++t) {
    for (std::size_t c = 0; c < static_cast<std::size_t>(channels); ++c) {
      for (std::size_t lane = 0; lane < Sequence<D>::kLanes; ++lane) {
        float& step = sequence.at(call.call.step, t, c, lane);
        step = std::abs(step);
      }
    }
  }
  call.out_gradient = sequence.gradient(channels);
  call.u_gradient.view = sequence.gradient(channels);
  call.step_gradient.view = sequence.gradient(channels);
  call.input_gradient.view = sequence.gradient(states);
  call.output_gradient.view = sequence.gradient(states);
  sequence.bind(d, call.call, static_cast<std::size_t>(channels) * static_cast<std::size_t>(states));
  lanes(d, call.call, sequence.context(0, kTime));
  for (auto _ : state) {
    for (std::size_t piece = 0; piece < kTime / tokens; ++piece) {
      if (backward) {
        lanes(d, call, sequence.context(kTime - (piece + 1) * tokens, kTime - piece * tokens));
      } else {
        lanes(d, call.call, sequence.context(piece * tokens, (piece + 1) * tokens));
      }
    }
    benchmark::ClobberMemory();
  }
  report_each(state, static_cast<double>(kTime) * channels * states);
}

void bench_attention(benchmark::State& state, bool backward) {
  const D d;
  const FlushSubnormals flush;
  constexpr std::size_t kTime = 100;
  const auto channels = static_cast<int>(state.range(0));
  const auto tokens = static_cast<std::size_t>(state.range(3));
  Sequence<D> sequence({kTime});
  WindowAttentionBackward call;
  for (View* view : {&call.call.q, &call.call.k, &call.call.v, &call.call.out}) *view = sequence.buffer(channels);
  call.call.heads = static_cast<int>(state.range(1));
  call.call.window = static_cast<int>(state.range(2));
  call.out_gradient = sequence.gradient(channels);
  for (GradientView* view : {&call.q_gradient, &call.k_gradient, &call.v_gradient}) {
    view->view = sequence.gradient(channels);
  }
  sequence.bind(d, call.call, 0);
  lanes(d, call.call, sequence.context(0, kTime));
  double pairs = 0;
  for (std::size_t t = 0; t < kTime; ++t)
    pairs += std::min(static_cast<double>(t + 1), static_cast<double>(state.range(2)));
  for (auto _ : state) {
    for (std::size_t piece = 0; piece < kTime / tokens; ++piece) {
      if (backward) {
        lanes(d, call, sequence.context(kTime - (piece + 1) * tokens, kTime - piece * tokens));
      } else {
        lanes(d, call.call, sequence.context(piece * tokens, (piece + 1) * tokens));
      }
    }
    benchmark::ClobberMemory();
  }
  const double multiply_adds = pairs * channels * (backward ? 4 : 2) * static_cast<double>(hn::Lanes(d));
  state.counters["share"] = benchmark::Counter(
      multiply_adds * static_cast<double>(state.iterations()) / peak_per_second(), benchmark::Counter::kIsRate);
}

}  // namespace hyseq::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace hyseq::kernels {
namespace {

HWY_EXPORT(bench_peak);
HWY_EXPORT(bench_exp2);
HWY_EXPORT(bench_scan);
HWY_EXPORT(bench_attention);

void peak(benchmark::State& state) { HWY_DYNAMIC_DISPATCH(bench_peak)(state); }
void exp2(benchmark::State& state) { HWY_DYNAMIC_DISPATCH(bench_exp2)(state); }
void scan_forward(benchmark::State& state) { HWY_DYNAMIC_DISPATCH(bench_scan)(state, false); }
void scan_backward(benchmark::State& state) { HWY_DYNAMIC_DISPATCH(bench_scan)(state, true); }
void attention_forward(benchmark::State& state) { HWY_DYNAMIC_DISPATCH(bench_attention)(state, false); }
void attention_backward(benchmark::State& state) { HWY_DYNAMIC_DISPATCH(bench_attention)(state, true); }

void scan_arguments(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"channels", "range"});
  for (const int channels : {16, 24, 48}) benchmark->Args({channels, 50});
  benchmark->Args({48, 10});
}
void attention_arguments(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"channels", "heads", "window", "range"});
  benchmark->Args({8, 1, 20, 50})->Args({12, 1, 100, 50})->Args({24, 1, 20, 50})->Args({24, 4, 20, 50});
}

BENCHMARK(peak);
BENCHMARK(exp2);
BENCHMARK(scan_forward)->Apply(scan_arguments);
BENCHMARK(scan_backward)->Apply(scan_arguments);
BENCHMARK(attention_forward)->Apply(attention_arguments);
BENCHMARK(attention_backward)->Apply(attention_arguments);

}  // namespace
}  // namespace hyseq::kernels

#endif
