// Whole training steps of the lanes engine on one core: forward, backward, clipping, AdamW and dropout of a full cohort
// (batch 8, length 100, N = 16, dropout 0.1 on the two branch sites), beside the multiply-add peak of the same core.
//
// ms_per_member_step is the time of a step over the members of the cohort. share_of_peak counts the operations of
// models/cost.hpp, forward and twice as much again for backward, against a register-resident multiply-add loop that is
// timed right before and after every step. Run with --benchmark_repetitions=5 for medians: the machine may be shared.
#include "kernels/lanes/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "benchmarks/bench_training.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hyseq::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Multiply-adds of single numbers, none of them through memory. `seed` keeps the compiler from knowing the values.
double multiply_add_loop(std::size_t rounds, float seed) {
  const hn::ScalableTag<float> d;
  using V = hn::Vec<decltype(d)>;
  constexpr std::size_t kChains = 12;
  const V factor = hn::Set(d, seed);
  const V term = hn::Set(d, 1 - seed);
  V chain[kChains];
#pragma GCC unroll 12
  for (std::size_t i = 0; i < kChains; ++i) chain[i] = hn::Set(d, seed * static_cast<float>(i));
  for (std::size_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
    for (V& link : chain) link = hn::MulAdd(link, factor, term);
  }
  V sum = chain[0];
#pragma GCC unroll 12
  for (std::size_t i = 1; i < kChains; ++i) sum = hn::Add(sum, chain[i]);
  volatile float sink = hn::GetLane(sum);
  (void)sink;
  return static_cast<double>(rounds * kChains * hn::Lanes(d));
}

}  // namespace hyseq::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

#include <benchmark/benchmark.h>

#include "benchmarks/training_case.hpp"

#include "kernels/lanes/instruction_set.hpp"

namespace hyseq {
namespace {

HWY_EXPORT(multiply_add_loop);

/// Floating-point operations a second: two for every multiply-add.
double peak_flops() {
  const double begin = cpu_seconds();
  const double multiply_adds = HWY_DYNAMIC_DISPATCH(multiply_add_loop)(20000, 0.75F);
  return 2 * multiply_adds / (cpu_seconds() - begin);
}

constexpr std::size_t kRows = 8;
constexpr std::size_t kTime = 100;

void training_step(benchmark::State& state, const Setting& setting) {
  const std::size_t members = kernels::find_engine("lanes").cohort_size(NumberFormat::float32);
  TrainingCase training(setting, kRows, kTime, members);
  double seconds = 0;
  double peak = 0;
  for (auto _ : state) {
    peak += peak_flops() / 2;
    const double begin = cpu_seconds();
    training.step();
    const double taken = cpu_seconds() - begin;
    seconds += taken;
    state.SetIterationTime(taken);
    peak += peak_flops() / 2;
  }
  const auto steps = static_cast<double>(state.iterations());
  const double per_member = seconds / steps / static_cast<double>(members);
  state.counters["ms_per_member_step"] = per_member * 1e3;
  state.counters["share_of_peak"] = training.flops() / per_member / (peak / steps);
  state.counters["peak_GFLOPs"] = peak / steps / 1e9;
  state.SetLabel(kernels::current_instruction_set());
}

BENCHMARK_CAPTURE(training_step, SSM_TF_d8_V34_W20, Setting{"SSM,TF", 8, 34, 20})->UseManualTime();
BENCHMARK_CAPTURE(training_step, SSM_TF_d12_V11_W100, Setting{"SSM,TF", 12, 11, 100})->UseManualTime();
BENCHMARK_CAPTURE(training_step, SSM_SSM_d24_V34, Setting{"SSM,SSM", 24, 34, 100})->UseManualTime();
BENCHMARK_CAPTURE(training_step, TF_TF_d24_V34_W20, Setting{"TF,TF", 24, 34, 20})->UseManualTime();

}  // namespace
}  // namespace hyseq

#endif
