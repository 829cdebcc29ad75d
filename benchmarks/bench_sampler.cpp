// Nanoseconds per token of every sampler, and of sampling with labelling as training uses it, on one core.
// Read `per_token`; the target for sampler/selective_copy is under 10 ns.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "kernels/base/random.hpp"
#include "tasks/batch.hpp"
#include "tasks/registry.hpp"

namespace {

using namespace hyseq;

constexpr std::size_t kLength = 100;
constexpr StreamKey kKey{1, Purpose::training_data};

void report(benchmark::State& state, std::size_t tokens_per_iteration) {
  const double tokens = static_cast<double>(state.iterations()) * static_cast<double>(tokens_per_iteration);
  state.counters["per_token"] = benchmark::Counter(tokens, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void sampler(benchmark::State& state, const std::string& name) {
  const auto task = tasks::make_task(name);
  std::vector<std::int32_t> input(kLength);
  std::uint64_t row = 0;
  for (auto _ : state) {
    RandomStream stream(kKey, row++);
    task->sample(stream, input);
    benchmark::DoNotOptimize(input.data());
    benchmark::ClobberMemory();
  }
  report(state, kLength);
}

void batch(benchmark::State& state, const std::string& name) {
  const auto task = tasks::make_task(name);
  constexpr std::size_t rows = 128;
  std::uint64_t first_row = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(tasks::sample_rows(*task, kKey, first_row, rows, {kLength, kLength}).input.data());
    first_row += rows;
  }
  report(state, rows * kLength);
}

[[maybe_unused]] const bool kRegistered = [] {
  for (const tasks::TaskInfo& task : tasks::catalogue()) {
    benchmark::RegisterBenchmark(("sampler/" + task.name).c_str(), sampler, task.name);
    benchmark::RegisterBenchmark(("sampler_and_labeller/" + task.name).c_str(), batch, task.name);
  }
  return true;
}();

}  // namespace
