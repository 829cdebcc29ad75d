// What a training will take is known before it starts, and what does not fit is refused.
#include "trainers/memory.hpp"

#include <fstream>
#include <limits>

#include <gtest/gtest.h>

#include "kernels/base/error.hpp"
#include "models/initialise.hpp"
#include "models/lowering.hpp"
#include "tests/trainers/small_run.hpp"
#include "trainers/train.hpp"

namespace hyseq::trainers {
namespace {

/// Resident memory of this process in bytes, 0 where the system does not say.
double resident() {
  std::ifstream file("/proc/self/statm");
  double all = 0;
  double pages = 0;
  return file >> all >> pages ? pages * 4096 : 0;
}

RunConfiguration large(int width) {
  RunConfiguration run = small_run();
  run.architecture.width = width;
  run.data.lengths = {256, 256};
  run.engine = "dense";
  return run;
}

struct Size {
  const char* engine;
  int width;
  std::size_t rows;
  std::size_t longest;
};

/// Bytes estimated and taken by a step of a cohort of one and an evaluation.
std::pair<double, double> estimated_and_taken(const Size& size) {
  const RunConfiguration run = large(size.width);
  const kernels::Program training = models::lower(run.architecture, run.dropout);
  const kernels::Program evaluation = models::lower(run.architecture);
  kernels::CohortRequest request;
  request.training = &training;
  request.evaluation = &evaluation;
  request.longest = size.longest;
  const kernels::Engine& engine = kernels::find_engine(size.engine);
  const double before = resident();
  const auto cohort = engine.make_cohort(request);
  cohort->set_parameters(0, models::initialise(training, 1));
  const std::vector<std::int32_t> tokens(64 * size.longest, 1);
  const std::uint64_t seed = 1;
  const double rate = 1e-3;
  kernels::MemberStep result;
  const auto some = std::span(tokens).first(size.rows * size.longest);
  cohort->step({{size.rows, size.longest, some, some, {}, 2}, 0, {&seed, 1}, {&rate, 1}}, {&result, 1});
  kernels::LossResult loss;
  cohort->evaluate({64, size.longest, tokens, tokens, {}, 2}, {&loss, 1}, {});
  return {static_cast<double>(engine.cohort_bytes(request, size.rows)), resident() - before};
}

TEST(Memory, EstimateIsNearWhatACohortTakes) {
  if (resident() == 0) GTEST_SKIP() << "the system does not say how much memory is in use";
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the address sanitizer takes memory of its own and keeps what was freed";
#endif
  for (const Size& size : std::vector<Size>{{"cuda-emulated", 256, 8, 32}, {"dense", 512, 8, 256}}) {
    const auto [estimated, taken] = estimated_and_taken(size);
    EXPECT_GT(estimated, 0.7 * taken) << size.engine << ": " << estimated << " estimated, " << taken << " taken";
    EXPECT_LT(estimated, 1.5 * taken) << size.engine << ": " << estimated << " estimated, " << taken << " taken";
  }
}

TEST(Memory, RefusesWhatDoesNotFit) {
  RunConfiguration run = large(65536);
  run.data.lengths = {4096, 4096};
  const RunConfiguration runs[] = {run};
  try {
    (void)train_cohort(runs, {});
    FAIL() << "trained";
  } catch (const EnvironmentError& error) {
    EXPECT_NE(std::string(error.what()).find("GB on engine dense"), std::string::npos) << error.what();
  }
}

TEST(Memory, GrowsWithMembersAndWritesItself) {
  RunConfiguration run = large(32);
  run.engine = "reference";
  EXPECT_GT(cohort_memory(run, 5), cohort_memory(run, 1));
  EXPECT_EQ(memory_text(3'400'000'000), "3.4 GB");
  EXPECT_EQ(memory_text(120'400'000), "120 MB");
  EXPECT_EQ(memory_text(999'600'000), "1.0 GB");
}

}  // namespace
}  // namespace hyseq::trainers
