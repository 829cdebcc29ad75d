// How the time of a training step grows with length, batch and members: the exponent of a power law fitted to the
// medians of steps of all sizes, taken in turns so that a slow spell of the machine meets every size alike.
//
// `exponent` should be 1: the scan and attention with a fixed window are linear in the length, rows of a batch follow
// one another, and so do cohorts of members.
#include <algorithm>
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

void growth(benchmark::State& state, const Setting& setting, const std::vector<Size>& sizes) {
  std::vector<std::unique_ptr<TrainingCase>> cases;
  for (const Size& size : sizes) {
    cases.push_back(std::make_unique<TrainingCase>(setting, size.rows, size.time, size.members));
  }
  std::vector<std::vector<double>> seconds(sizes.size());
  for (auto _ : state) {
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      cases[i]->step();  // brings back into the caches what the other sizes pushed out
      const double begin = cpu_seconds();
      cases[i]->step();
      seconds[i].push_back(cpu_seconds() - begin);
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

const std::vector<Size> kLengths = {{8, 100, 16, 100}, {8, 200, 16, 200}, {8, 400, 16, 400}, {8, 800, 16, 800}};
const std::vector<Size> kLongLengths = {
    {1, 800, 16, 800}, {1, 1600, 16, 1600}, {1, 3200, 16, 3200}, {1, 6400, 16, 6400}};
const std::vector<Size> kBatches = {{4, 100, 16, 4}, {8, 100, 16, 8}, {16, 100, 16, 16}, {32, 100, 16, 32}};
const std::vector<Size> kMembers = {{8, 100, 16, 16}, {8, 100, 32, 32}, {8, 100, 64, 64}, {8, 100, 128, 128}};
constexpr Setting kHybrid{"SSM,TF", 8, 34, 20};
constexpr Setting kSsm{"SSM,SSM", 24, 34, 20};
constexpr Setting kTransformer{"TF,TF", 24, 34, 20};

BENCHMARK_CAPTURE(growth, length_SSM_TF_d8, kHybrid, kLengths)->Iterations(9);
BENCHMARK_CAPTURE(growth, length_SSM_SSM_d24, kSsm, kLengths)->Iterations(9);
BENCHMARK_CAPTURE(growth, length_TF_TF_d24, kTransformer, kLengths)->Iterations(9);
BENCHMARK_CAPTURE(growth, long_length_SSM_TF_d8, kHybrid, kLongLengths)->Iterations(9);
BENCHMARK_CAPTURE(growth, batch_SSM_TF_d8, kHybrid, kBatches)->Iterations(9);
BENCHMARK_CAPTURE(growth, long_length_SSM_SSM_d24, kSsm, kLongLengths)->Iterations(9);
BENCHMARK_CAPTURE(growth, batch_SSM_SSM_d24, kSsm, kBatches)->Iterations(9);
BENCHMARK_CAPTURE(growth, long_length_TF_TF_d24, kTransformer, kLongLengths)->Iterations(9);
BENCHMARK_CAPTURE(growth, batch_TF_TF_d24, kTransformer, kBatches)->Iterations(9);
BENCHMARK_CAPTURE(growth, members_SSM_TF_d8, kHybrid, kMembers)->Iterations(9);
BENCHMARK_CAPTURE(growth, members_SSM_SSM_d24, kSsm, kMembers)->Iterations(9);
BENCHMARK_CAPTURE(growth, members_TF_TF_d24, kTransformer, kMembers)->Iterations(9);

}  // namespace
}  // namespace hyseq
