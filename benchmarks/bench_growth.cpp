// How the time of a training step grows with length, batch and members: the exponent of a power law fitted to the
// medians of steps of all sizes, taken in turns so that a slow spell of the machine meets every size alike.
//
// `exponent` should be 1: the scan and attention with a fixed window are linear in the length, rows of a batch follow
// one another, and so do cohorts of members. Along the length it is 1 where all sizes keep their activations in the
// caches (short) or none does (long), and more across the edge. What that edge costs on this machine is seen apart
// from any model: `stream` writes and reads as many bytes as a SSM,SSM of width 24 keeps.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <vector>

#include <benchmark/benchmark.h>

#include "benchmarks/training_case.hpp"

namespace hyseq {
namespace {

struct Size {
  std::size_t rows;
  std::size_t time;
  std::size_t members;
  double grows;  // the size that is varied
};

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// Slope of the least-squares line through (log x, log y).
double exponent(const std::vector<double>& x, const std::vector<double>& y) {
  const auto n = static_cast<double>(x.size());
  double sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double a = std::log(x[i]), b = std::log(y[i]);
    sum_x += a;
    sum_y += b;
    sum_xx += a * a;
    sum_xy += a * b;
  }
  return (n * sum_xy - sum_x * sum_y) / (n * sum_xx - sum_x * sum_x);
}

/// stretch: steps that a cohort takes at a time.
void growth(benchmark::State& state, const Setting& setting, const std::vector<Size>& sizes, std::size_t stretch = 1) {
  std::vector<std::unique_ptr<TrainingCase>> cases;
  for (const Size& size : sizes) {
    cases.push_back(std::make_unique<TrainingCase>(setting, size.rows, size.time, size.members));
  }
  std::vector<std::vector<double>> seconds(sizes.size());
  for (auto _ : state) {
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      cases[i]->step();  // brings back into the caches what the other sizes pushed out
      const double begin = cpu_seconds();
      cases[i]->step(stretch);
      seconds[i].push_back((cpu_seconds() - begin) / static_cast<double>(stretch));
    }
  }
  std::vector<double> x, y;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    x.push_back(sizes[i].grows);
    y.push_back(median(seconds[i]));
  }
  state.counters["exponent"] = exponent(x, y);
  state.counters["ms_smallest"] = y.front() * 1e3;
  state.counters["ms_largest"] = y.back() * 1e3;
}

/// Writes `bytes` once from front to back and reads them once, microseconds per kByte written and read.
/// Argument: MiB.
void stream(benchmark::State& state) {
  const auto floats = static_cast<std::size_t>(state.range(0)) << 18;
  std::vector<float> memory(floats, 1.0F);
  std::vector<double> seconds;
  for (auto _ : state) {
    const double begin = cpu_seconds();
    std::ranges::fill(memory, static_cast<float>(seconds.size()));
    benchmark::ClobberMemory();
    std::array<float, 64> sums{};
    for (std::size_t i = 0; i < floats; i += sums.size()) {
      for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += memory[i + k];
    }
    benchmark::DoNotOptimize(sums);
    seconds.push_back(cpu_seconds() - begin);
  }
  state.counters["us_per_kB"] = median(seconds) * 1e6 / (static_cast<double>(floats) * sizeof(float) / 1e3);
}

const std::vector<Size> kShortLengths = {{8, 25, 16, 25}, {8, 50, 16, 50}, {8, 100, 16, 100}, {8, 200, 16, 200}};
const std::vector<Size> kLengths = {{8, 100, 16, 100}, {8, 200, 16, 200}, {8, 400, 16, 400}, {8, 800, 16, 800}};
const std::vector<Size> kLongLengths = {
    {1, 1600, 16, 1600}, {1, 3200, 16, 3200}, {1, 6400, 16, 6400}, {1, 12800, 16, 12800}};
const std::vector<Size> kBatches = {{4, 100, 16, 4}, {8, 100, 16, 8}, {16, 100, 16, 16}, {32, 100, 16, 32}};
const std::vector<Size> kMembers = {{8, 100, 16, 16}, {8, 100, 32, 32}, {8, 100, 64, 64}, {8, 100, 128, 128}};
constexpr std::size_t kStretch = 8;
constexpr Setting kHybrid{"SSM,TF", 8, 34, 20};
constexpr Setting kSsm{"SSM,SSM", 24, 34, 20};
constexpr Setting kTransformer{"TF,TF", 24, 34, 20};

BENCHMARK_CAPTURE(growth, short_length_SSM_TF_d8, kHybrid, kShortLengths)->Iterations(9);
BENCHMARK_CAPTURE(growth, short_length_SSM_SSM_d24, kSsm, kShortLengths)->Iterations(9);
BENCHMARK_CAPTURE(growth, short_length_TF_TF_d24, kTransformer, kShortLengths)->Iterations(9);
BENCHMARK_CAPTURE(growth, length_SSM_TF_d8, kHybrid, kLengths)->Iterations(9);
BENCHMARK_CAPTURE(growth, length_SSM_SSM_d24, kSsm, kLengths)->Iterations(9);
BENCHMARK_CAPTURE(growth, length_TF_TF_d24, kTransformer, kLengths)->Iterations(9);
BENCHMARK_CAPTURE(growth, long_length_SSM_TF_d8, kHybrid, kLongLengths)->Iterations(9);
BENCHMARK_CAPTURE(growth, batch_SSM_TF_d8, kHybrid, kBatches)->Iterations(9);
BENCHMARK_CAPTURE(growth, long_length_SSM_SSM_d24, kSsm, kLongLengths)->Iterations(9);
BENCHMARK_CAPTURE(growth, batch_SSM_SSM_d24, kSsm, kBatches)->Iterations(9);
BENCHMARK_CAPTURE(growth, long_length_TF_TF_d24, kTransformer, kLongLengths)->Iterations(9);
BENCHMARK_CAPTURE(growth, batch_TF_TF_d24, kTransformer, kBatches)->Iterations(9);
BENCHMARK(stream)->RangeMultiplier(2)->Range(4, 256)->Iterations(9);
BENCHMARK_CAPTURE(growth, members_SSM_TF_d8, kHybrid, kMembers, kStretch)->Iterations(9);
BENCHMARK_CAPTURE(growth, members_SSM_SSM_d24, kSsm, kMembers, kStretch)->Iterations(9);
BENCHMARK_CAPTURE(growth, members_TF_TF_d24, kTransformer, kMembers, kStretch)->Iterations(9);

}  // namespace
}  // namespace hyseq
