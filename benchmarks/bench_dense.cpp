// Whole training steps of the dense engine: alternating SSM and TF blocks, dropout 0.1 behind attention and MLP.
//
// Read `tokens` (per second) and `peak`: operations per second of core time as a share of the multiply-adds that a core
// could do at most, as measured here in registers alone (GFLOPs: the same in figures; waiting threads count as busy).
// Operations are counted as by `hyseq cost`, an exp like an addition, so that a share understates what a scan costs.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <benchmark/benchmark.h>

#include "kernels/dense/engine.hpp"
#include "models/cost.hpp"
#include "models/initialise.hpp"
#include "models/lowering.hpp"

namespace {

using namespace hyseq;

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Time that all threads of the process have run: on a machine with other users less than the time that passed.
double core_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Calls work() for a while, five times, and returns the best calls per second.
template <class Work>
double best_rate(const Work& work) {
  double best = 0;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const double begin = core_seconds();
    int calls = 0;
    for (; core_seconds() - begin < 0.02; ++calls) work();
    best = std::max(best, calls / (core_seconds() - begin));
  }
  return best;
}

#if defined(__x86_64__)
// Twelve independent chains keep two multiply-add units of latency four to six busy.
#define HYSEQ_PEAK(name, target_name, vector, set, fmadd, add, lanes)           \
  __attribute__((target(target_name))) double name() {                          \
    constexpr int kSteps = 10000;                                               \
    const vector a = set(0.999F);                                               \
    const vector b = set(0.001F);                                               \
    const double calls = best_rate([&]() __attribute__((target(target_name))) { \
      /* Different starts, or the compiler would see one chain twelve times. */ \
      vector c0 = set(1.0F), c1 = set(1.1F), c2 = set(1.2F), c3 = set(1.3F);    \
      vector c4 = set(1.4F), c5 = set(1.5F), d0 = set(1.6F), d1 = set(1.7F);    \
      vector d2 = set(1.8F), d3 = set(1.9F), d4 = set(2.0F), d5 = set(2.1F);    \
      for (int i = 0; i < kSteps; ++i) {                                        \
        c0 = fmadd(c0, a, b), c1 = fmadd(c1, a, b), c2 = fmadd(c2, a, b);       \
        c3 = fmadd(c3, a, b), c4 = fmadd(c4, a, b), c5 = fmadd(c5, a, b);       \
        d0 = fmadd(d0, a, b), d1 = fmadd(d1, a, b), d2 = fmadd(d2, a, b);       \
        d3 = fmadd(d3, a, b), d4 = fmadd(d4, a, b), d5 = fmadd(d5, a, b);       \
        asm volatile("" : "+v"(c0), "+v"(c1), "+v"(d0), "+v"(d1));              \
      }                                                                         \
      c0 = add(add(add(c0, c1), add(c2, c3)), add(c4, c5));                     \
      d0 = add(add(add(d0, d1), add(d2, d3)), add(d4, d5));                     \
      c0 = add(c0, d0);                                                         \
      asm volatile("" : "+v"(c0));                                              \
    });                                                                         \
    return calls * kSteps * 12 * 2 * (lanes);                                   \
  }
HYSEQ_PEAK(peak_512, "avx512f", __m512, _mm512_set1_ps, _mm512_fmadd_ps, _mm512_add_ps, 16)
HYSEQ_PEAK(peak_256, "avx2,fma", __m256, _mm256_set1_ps, _mm256_fmadd_ps, _mm256_add_ps, 8)
#undef HYSEQ_PEAK
#endif

/// Operations per second of one core in float, multiply-adds counted twice; 0 where nobody measured.
double peak() {
  static const double measured = [] {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) return peak_512();
    if (__builtin_cpu_supports("avx2")) return peak_256();
#endif
    return 0.0;
  }();
  return measured;
}

models::Architecture hybrid(int width, int layers) {
  models::TransformerBlock transformer;
  transformer.heads = width / 64;
  transformer.window = 128;
  transformer.rotary_width = 16;
  models::Architecture architecture;
  architecture.width = width;
  architecture.vocabulary = 1024;
  for (int layer = 0; layer < layers; ++layer) {
    if (layer % 2 == 0) {
      architecture.layers.emplace_back(models::SsmBlock{});
    } else {
      architecture.layers.emplace_back(transformer);
    }
  }
  return architecture;
}

void train(benchmark::State& state, int width, int layers, std::size_t threads) {
  constexpr std::size_t kRows = 8;
  constexpr std::size_t kTime = 256;
  const models::Architecture architecture = hybrid(width, layers);
  models::DropoutRates dropout;
  dropout.attention = 0.1;
  dropout.mlp = 0.1;
  const kernels::Program training = models::lower(architecture, dropout);
  const kernels::Program evaluation = models::lower(architecture);
  kernels::CohortRequest request;
  request.training = &training;
  request.evaluation = &evaluation;
  request.longest = kTime;
  request.threads = threads;
  const auto cohort = kernels::dense_engine().make_cohort(request);
  cohort->set_parameters(0, models::initialise(training, 1));

  std::vector<std::int32_t> tokens(kRows * kTime);
  std::vector<std::int32_t> targets(kRows * kTime);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    tokens[i] = static_cast<std::int32_t>(i * 7919 % 1024);
    targets[i] = static_cast<std::int32_t>(i * 104729 % 1021);
  }
  const std::uint64_t seed = 1;
  const double rate = 1e-4;
  kernels::StepRequest step{{kRows, kTime, tokens, targets, {}, 1021}, 0, {&seed, 1}, {&rate, 1}};
  kernels::MemberStep result;
  cohort->step(step, {&result, 1});  // takes the memory
  const double begin = seconds();
  const double core_begin = core_seconds();
  for (auto _ : state) {
    ++step.step;
    cohort->step(step, {&result, 1});
  }
  const double busy = seconds() - begin;
  const double core_busy = core_seconds() - core_begin;
  const double per_step = models::cost(training, kTime, NumberFormat::float32).total.flops_per_token_training *
                          static_cast<double>(tokens.size());
  const double flops = static_cast<double>(state.iterations()) * per_step / core_busy;
  if (peak() > 0) state.counters["peak"] = flops / peak();
  state.counters["GFLOPs"] = flops / 1e9;
  state.counters["tokens"] = static_cast<double>(state.iterations() * static_cast<std::int64_t>(tokens.size())) / busy;
  state.counters["parameters"] = static_cast<double>(training.parameter_count());
}

[[maybe_unused]] const bool kRegistered = [] {
  for (const int layers : {2, 12}) {
    for (const int width : {64, 256, 768}) {
      for (const std::size_t threads :
           {std::size_t{1}, std::size_t{std::max(1U, std::thread::hardware_concurrency())}}) {
        const std::string name = "train/d=" + std::to_string(width) + "/layers=" + std::to_string(layers) +
                                 "/threads=" + std::to_string(threads);
        benchmark::RegisterBenchmark(name.c_str(), train, width, layers, threads)
            ->UseRealTime()
            ->Unit(benchmark::kMillisecond);
      }
    }
  }
  return true;
}();

}  // namespace
