// Points of trained machines beside the corrected bound of Theorem 3.3.
#include "proofs_check/lower_bounds/trained_points.hpp"

#include <gtest/gtest.h>

#include "kernels/base/error.hpp"

namespace hyseq::proofs_check {
namespace {

TrainedSpec small() {
  TrainedSpec spec;
  spec.length = 2;
  spec.width = 8;
  spec.inner_width = 4;
  spec.state_size = 1;
  spec.kernel = 2;
  spec.steps = 300;
  spec.seeds = 3;
  return spec;
}

const TrainedSeries& taught() {
  static const TrainedSeries series = trained_series(small(), {});
  return series;
}

TEST(TrainedPoints, are_those_of_a_model_that_has_learned) {
  const TrainedSeries& series = taught();
  ASSERT_EQ(series.points.size(), series.bits.size());
  EXPECT_EQ(series.bits.front(), 0);
  EXPECT_EQ(series.bits.back(), 2);
  EXPECT_GE(series.accuracy, series.worst_accuracy);
  EXPECT_GT(series.points.front().own_success, 0.7);
  for (const MachinePoint& point : series.points) {
    EXPECT_TRUE(point.uniform);
    EXPECT_FALSE(point.violates);
    EXPECT_LE(point.states, 4U);
    EXPECT_LE(point.own_success, point.success);
  }
  const results::Check check = trained_check({series});
  EXPECT_TRUE(check.passed);
  EXPECT_EQ(check.figures["series"].size(), series.points.size());
  EXPECT_EQ(check.figures["models"][0]["seed"], series.seed);
  for (const auto& row : check.figures["series"]) EXPECT_GE(row["bits_above_bound"].get<double>(), -1e-12);
}

TEST(TrainedPoints, are_the_same_on_any_number_of_threads) {
  LowerBoundRequest request;
  request.threads = 2;
  const TrainedSeries again = trained_series(small(), request);
  EXPECT_EQ(again.seed, taught().seed);
  EXPECT_EQ(again.stack.values, taught().stack.values);
  EXPECT_EQ(again.worst_accuracy, taught().worst_accuracy);
}

TEST(TrainedPoints, keep_the_best_of_their_seeds) {
  TrainedSpec one = small();
  one.seeds = 1;
  const TrainedSeries first = trained_series(one, {});
  EXPECT_EQ(first.accuracy, first.worst_accuracy);
  EXPECT_LE(first.accuracy, taught().accuracy);
  EXPECT_GE(first.accuracy, taught().worst_accuracy);
  one.seeds = 0;
  EXPECT_THROW((void)trained_series(one, {}), InputError);
}

TEST(TrainedPoints, fail_the_check_where_a_state_is_kept_secret_or_nothing_was_learned) {
  const Control control = half_states_control({taught()}, NumberFormat::float32);
  EXPECT_TRUE(control.caught) << control.counterexample;
  EXPECT_EQ(control.caught_by, "trained");
  EXPECT_NE(control.counterexample.find("4 states reported as 2"), std::string::npos) << control.counterexample;
  EXPECT_FALSE(half_states_control({}, NumberFormat::float32).caught);

  TrainedSeries guessing = taught();
  for (auto& parameter : guessing.stack.values) {
    for (double& weight : parameter) weight = 0;
  }
  guessing.points = points_by_bits(guessing.stack, NumberFormat::float32, guessing.probe, guessing.bits);
  const results::Check check = trained_check({taught(), guessing});
  EXPECT_FALSE(check.passed);
  EXPECT_EQ(check.figures["no_better_than_a_guess"], 1);
  EXPECT_EQ(check.figures["violations"], 0);
  EXPECT_FALSE(trained_check({}).passed);
}

}  // namespace
}  // namespace hyseq::proofs_check
