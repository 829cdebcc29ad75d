// Training with products of bfloat16 factors on the cuda engine: weights, moments and all else are float.
#include <cmath>

#include <gtest/gtest.h>

#include "tests/models/trajectory.hpp"

namespace hyseq::models {
namespace {

/// The engines whose bfloat16 is one of factors alone.
std::vector<const kernels::Engine*> mixed_engines() {
  std::vector<const kernels::Engine*> found;
  for (const kernels::Engine* engine : kernels::engines()) {
    if (engine->name().starts_with("cuda")) found.push_back(engine);
  }
  return found;
}

struct Models {
  SmallModel training;
  SmallModel evaluation;
  Training plan;

  explicit Models(const std::string& layers)
      : training(layers, small_architecture(layers), {0.1, 0.15, 0.2, 0.1}),
        evaluation(layers, small_architecture(layers)) {
    plan.training = &training;
    plan.evaluation = &evaluation;
    plan.members = {3, 14, 7, 22, 9};
    for (std::uint64_t number = 0; number < 20; ++number) {
      PlannedStep step;
      step.data = step.number = number;
      plan.steps.push_back(step);
    }
  }
};

TEST(MixedPrecision, IsThere) { EXPECT_FALSE(mixed_engines().empty()); }

// To first order errors are a sum over roundings, each in proportion to its unit roundoff. Those of factors are some of
// those that the float run makes, so that they move a loss by no more than that run's error times the ratio of the unit
// roundoffs, 2^16. Twice that is left for errors of either run that happen to cancel; measured is at most once.
TEST(MixedPrecision, MovesLossesByNoMoreThanTheUnitRoundoffSays) {
  const double ratio = unit_roundoff(NumberFormat::bfloat16) / unit_roundoff(NumberFormat::float32);
  for (const char* layers : {"SSM,TF", "TF,TF", "SSM,SSM"}) {
    const Models models(layers);
    const Trajectory exact = train(models.plan, kernels::reference_engine(), NumberFormat::float64);
    const Trajectory rounded = train(models.plan, kernels::reference_engine(), NumberFormat::float32);
    for (const kernels::Engine* engine : mixed_engines()) {
      const Distance apart = distance(train(models.plan, *engine, NumberFormat::bfloat16), exact, rounded);
      EXPECT_LE(apart.losses, 2 * ratio) << layers << " " << engine->name();
      EXPECT_LE(apart.logits, 2 * ratio) << layers << " " << engine->name();
      // Something was rounded.
      EXPECT_GT(apart.losses, ratio / 100) << layers << " " << engine->name();
    }
  }
}

TEST(MixedPrecision, LearnsWhatFloatLearns) {
  Models models("SSM,TF");
  for (PlannedStep& step : models.plan.steps) {
    step.data = 0;  // to be learnt by heart
    step.rate = 2;
  }
  for (const kernels::Engine* engine : mixed_engines()) {
    const Trajectory plain = train(models.plan, *engine, NumberFormat::float32);
    const Trajectory mixed = train(models.plan, *engine, NumberFormat::bfloat16);
    for (std::size_t m = 0; m < models.plan.members.size(); ++m) {
      const double fall = plain.steps.front()[m].loss.loss - plain.steps.back()[m].loss.loss;
      EXPECT_GT(fall, 0.1) << engine->name();
      EXPECT_NEAR(mixed.steps.back()[m].loss.loss, plain.steps.back()[m].loss.loss, 0.1 * fall) << engine->name();
    }
  }
}

// Updates far below the spacing of bfloat16 arrive.
TEST(MixedPrecision, KeepsWeightsInFloat) {
  Models models("SSM,TF");
  Training& plan = models.plan;
  plan.members.resize(1);
  plan.steps.resize(3);
  plan.steps[2].rate = 0;
  for (const kernels::Engine* engine : mixed_engines()) {
    const Trajectory before = train(plan, *engine, NumberFormat::bfloat16);
    plan.steps[2].rate = 1e-3;
    const Trajectory after = train(plan, *engine, NumberFormat::bfloat16);
    std::size_t all = 0;
    std::size_t moved = 0;
    for (std::size_t p = 0; p < before.parameters[0].size(); ++p) {
      for (std::size_t i = 0; i < before.parameters[0][p].size(); ++i) {
        const double value = before.parameters[0][p][i];
        const double change = std::abs(after.parameters[0][p][i] - value);
        EXPECT_LT(change, 1e-4);
        EXPECT_EQ(value, static_cast<double>(static_cast<float>(value)));
        ++all;
        if (change > 0 && change < 0.01 * unit_roundoff(NumberFormat::bfloat16) * std::abs(value)) ++moved;
      }
    }
    EXPECT_GT(moved, all / 2) << engine->name();
  }
}

}  // namespace
}  // namespace hyseq::models
