#include "trainers/evaluation.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "tasks/selective_copy.hpp"
#include "tests/trainers/small_run.hpp"

namespace hyseq::trainers {
namespace {

/// Gives the right answers where the governing distance is the member's number plus 1, so that every count is known.
class ScriptedCohort final : public kernels::Cohort {
 public:
  explicit ScriptedCohort(std::size_t members, std::size_t begin) : members_(members), begin_(begin) {}

  [[nodiscard]] std::size_t members() const override { return members_; }
  void set_parameters(std::size_t /*member*/, const kernels::ParameterValues& /*values*/) override {}
  [[nodiscard]] kernels::ParameterValues parameters(std::size_t /*member*/) const override { return {}; }
  void set_moments(std::size_t /*member*/, const kernels::Moments& /*moments*/) override {}
  [[nodiscard]] kernels::Moments moments(std::size_t /*member*/) const override { return {}; }
  void step(const kernels::StepRequest& /*request*/, std::span<kernels::MemberStep> /*results*/) override {}

  void evaluate(const kernels::CohortBatch& batch, std::span<kernels::LossResult> losses,
                std::span<std::uint8_t> correct) override {
    chunks.push_back(batch.rows);
    for (std::size_t m = 0; m < members_; ++m) {
      losses[m] = {static_cast<double>(m + 1), 0, 0};
      for (std::size_t row = 0; row < batch.rows; ++row) {
        const std::size_t start = (m * batch.rows + row) * batch.time;
        const std::size_t length = batch.time - 2 * begin_;
        std::vector<std::int32_t> source(length);
        tasks::selective_copy_sources({3, 1, 2}, batch.tokens.subspan(start + begin_, length), source);
        for (std::size_t t = 0; t < length; ++t) {
          const std::size_t at = start + begin_ + t;
          const bool valid = batch.targets[at] >= 0 && batch.targets[at] < batch.valid_below;
          losses[m].valid += valid ? 1 : 0;
          correct[at] = valid && t - static_cast<std::size_t>(source[t]) == m + 1 ? 1 : 0;
        }
      }
    }
  }

  std::vector<std::size_t> chunks;

 private:
  std::size_t members_;
  std::size_t begin_;
};

TEST(Evaluation, CountsPositionsSequencesAndSlices) {
  for (const std::size_t context : {std::size_t{0}, std::size_t{40}}) {
    RunConfiguration run = small_run();
    run.data.context = context;
    const DataSource data(run);
    ScriptedCohort cohort(2, data.evaluation_begin());
    const std::vector<std::uint64_t> seeds = {1, 2};
    const auto evaluations = evaluate(cohort, data, seeds, {"final", 12, 9, 70}, nullptr);
    EXPECT_EQ(cohort.chunks, (std::vector<std::size_t>{64, 6}));
    ASSERT_EQ(evaluations.size(), 2u);
    for (std::size_t m = 0; m < 2; ++m) {
      const results::Evaluation& evaluation = evaluations[m];
      EXPECT_EQ(evaluation.name, "final");
      EXPECT_EQ(evaluation.step, 12);
      EXPECT_EQ(evaluation.length, 9);
      EXPECT_EQ(evaluation.rows, 70);
      EXPECT_DOUBLE_EQ(evaluation.loss, static_cast<double>(m + 1));
      // What the task itself says.
      results::Counts positions;
      results::Counts sequences;
      std::vector<results::Counts> distance(2);
      const tasks::Batch rows = data.evaluation(seeds[m], 9, 0, 70).batch;
      for (std::size_t r = 0; r < 70; ++r) {
        const std::size_t start = r * rows.length + data.evaluation_begin();
        std::vector<std::int32_t> source(9);
        tasks::selective_copy_sources({3, 1, 2}, std::span(rows.input).subspan(start, 9), source);
        std::int64_t valid = 0;
        std::int64_t right = 0;
        for (std::size_t t = 0; t < 9; ++t) {
          if (source[t] < 0) continue;
          const std::size_t d = t - static_cast<std::size_t>(source[t]) - 1;
          ++valid;
          ++distance[d].valid;
          if (d == m) ++right, ++distance[d].correct;
        }
        positions.valid += valid;
        positions.correct += right;
        sequences.valid += valid > 0 ? 1 : 0;
        sequences.correct += valid > 0 && valid == right ? 1 : 0;
      }
      EXPECT_EQ(evaluation.positions.valid, positions.valid);
      EXPECT_EQ(evaluation.positions.correct, positions.correct);
      EXPECT_EQ(evaluation.sequences.valid, sequences.valid);
      EXPECT_EQ(evaluation.sequences.correct, sequences.correct);
      EXPECT_GT(sequences.correct, 0);
      EXPECT_LT(sequences.correct, sequences.valid);
      ASSERT_EQ(evaluation.slices.size(), 2u);
      for (std::size_t d = 0; d < 2; ++d) {
        EXPECT_EQ(evaluation.slices[d].by, "distance");
        EXPECT_EQ(evaluation.slices[d].value, std::to_string(d + 1));
        EXPECT_EQ(evaluation.slices[d].counts.valid, distance[d].valid);
        EXPECT_EQ(evaluation.slices[d].counts.correct, d == m ? distance[d].valid : 0);
      }
    }
  }
}

TEST(Evaluation, StopsBetweenChunks) {
  const DataSource data(small_run());
  ScriptedCohort cohort(1, 0);
  const std::atomic<bool> stop = true;
  const std::vector<std::uint64_t> seeds = {1};
  EXPECT_THROW((void)evaluate(cohort, data, seeds, {"final", 12, 9, 70}, &stop), Interrupted);
  EXPECT_TRUE(cohort.chunks.empty());
}

}  // namespace
}  // namespace hyseq::trainers
