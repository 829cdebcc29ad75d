// Twenty steps of a cohort on every engine against the reference: losses, logits, random numbers.
#include "tests/models/trajectory.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/models/golden.hpp"

namespace hyseq::models {
namespace {

constexpr double kFactor = 8;
const std::vector<std::uint64_t> kMembers = {3, 14, 7, 22, 9};

struct Models {
  SmallModel training;
  SmallModel evaluation;

  explicit Models(const std::string& layers)
      : training(layers, small_architecture(layers), {0.1, 0.15, 0.2, 0.1}),
        evaluation(layers, small_architecture(layers)) {}
};

const std::vector<Models>& models_of_all_kinds() {
  static const std::vector<Models> models = [] {
    std::vector<Models> all;
    for (const char* layers : {"SSM,TF", "TF,TF", "SSM,SSM"}) all.emplace_back(layers);
    return all;
  }();
  return models;
}

/// Twenty steps with fresh data, a rate that rises and falls, and seeds that change once.
Training twenty_steps(const Models& models) {
  Training training{&models.training, &models.evaluation, kMembers, {}};
  for (std::uint64_t number = 0; number < 20; ++number) {
    PlannedStep step;
    step.data = step.number = number;
    step.seed = number / 10;
    step.rate = number < 5 ? 0.2 * static_cast<double>(number + 1) : 0.05 * static_cast<double>(25 - number);
    training.steps.push_back(step);
  }
  return training;
}

TEST(Trajectory, InFloatStaysWithinEightTimesTheReferencesDistanceFromDouble) {
  for (const Models& models : models_of_all_kinds()) {
    const Training training = twenty_steps(models);
    const Trajectory exact = train(training, kernels::reference_engine(), NumberFormat::float64);
    const Trajectory rounded = train(training, kernels::reference_engine(), NumberFormat::float32);
    for (const auto& step : exact.steps) {
      // Clipping is at work.
      for (const kernels::MemberStep& member : step) EXPECT_GT(member.gradient_norm, training.clip.limit);
    }
    for (const kernels::Engine* engine : engines_with(NumberFormat::float32, true)) {
      const Trajectory found = train(training, *engine, NumberFormat::float32);
      const Distance apart = distance(found, exact, rounded);
      EXPECT_LE(apart.losses, kFactor) << models.training.name << " " << engine->name();
      EXPECT_LE(apart.logits, kFactor) << models.training.name << " " << engine->name();
      for (std::size_t m = 0; m < kMembers.size(); ++m) {
        EXPECT_EQ(found.evaluation[m].valid, exact.evaluation[m].valid);
        EXPECT_EQ(found.evaluation[m].correct, exact.evaluation[m].correct);
      }
    }
  }
}

TEST(Trajectory, InDoubleIsTheReferences) {
  for (const Models& models : models_of_all_kinds()) {
    Training training = twenty_steps(models);
    const Trajectory exact = train(training, kernels::reference_engine(), NumberFormat::float64);
    for (const kernels::Engine* engine : engines_with(NumberFormat::float64, true)) {
      for (const std::size_t micro_batch : {0U, 1U, 2U}) {
        if (micro_batch > 0 && &models != &models_of_all_kinds().front()) continue;
        training.micro_batch = micro_batch;
        const Distance apart = distance(train(training, *engine, NumberFormat::float64), exact);
        EXPECT_LT(apart.losses, 1e-13) << models.training.name << " " << engine->name() << " " << micro_batch;
        EXPECT_LT(apart.logits, 1e-12) << models.training.name << " " << engine->name() << " " << micro_batch;
      }
    }
  }
}

// An engine that records its steps does so the second time a shape comes, with the numbers of that step.
TEST(Trajectory, AStepThatKeepsANumberOfItsRecordingIsSeen) {
  const Training training = twenty_steps(models_of_all_kinds().front());
  const kernels::Engine& engine = kernels::reference_engine();
  const Trajectory exact = train(training, engine, NumberFormat::float64);
  const Trajectory rounded = train(training, engine, NumberFormat::float32);
  const auto planted = [&](auto PlannedStep::*number) {
    Training stale = training;
    for (std::size_t s = 2; s < stale.steps.size(); ++s) stale.steps[s].*number = stale.steps[1].*number;
    const Distance apart = distance(train(stale, engine, NumberFormat::float64), exact, rounded);
    return std::min(apart.losses, apart.logits);
  };
  EXPECT_GT(planted(&PlannedStep::number), 1000 * kFactor);
  EXPECT_GT(planted(&PlannedStep::data), 1000 * kFactor);
  EXPECT_GT(planted(&PlannedStep::seed), 1000 * kFactor);
  EXPECT_GT(planted(&PlannedStep::rate), 1000 * kFactor);
}

// Shapes that came before, shorter and longer ones, other numbers of rows, packed and plain ones in turn.
TEST(Trajectory, ShapesMayChangeFromStepToStep) {
  Training training = twenty_steps(models_of_all_kinds().front());
  constexpr std::size_t kTimes[] = {7, 7, 7, 4, 7, 4, 4, 1, 11, 7, 11, 11, 4, 1, 1, 13, 7, 13, 13, 7};
  for (std::size_t s = 0; s < training.steps.size(); ++s) {
    training.steps[s].time = kTimes[s];
    training.steps[s].rows = s % 5 == 2 ? 5 : 3;
    training.steps[s].packed = s % 3 == 1;
  }
  const Trajectory exact = train(training, kernels::reference_engine(), NumberFormat::float64);
  for (const kernels::Engine* engine : engines_with(NumberFormat::float64, true)) {
    for (const std::size_t micro_batch : {0U, 2U}) {
      training.micro_batch = micro_batch;
      const Distance apart = distance(train(training, *engine, NumberFormat::float64), exact);
      EXPECT_LT(apart.losses, 1e-13) << engine->name() << " " << micro_batch;
      EXPECT_LT(apart.logits, 1e-12) << engine->name() << " " << micro_batch;
    }
  }
}

// A rate too large for any model: its member's loss is soon no number, and the others have the bits they had without.
TEST(Trajectory, AMemberThatDivergesOnItsWayDisturbsNobody) {
  Training training = twenty_steps(models_of_all_kinds().front());
  training.steps.resize(8);
  for (const NumberFormat format : {NumberFormat::float32, NumberFormat::float64}) {
    for (const kernels::Engine* engine : engines_with(format, true)) {
      if (engine->cohort_size(format) < 2) continue;
      training.diverges = 0;
      const Trajectory healthy = train(training, *engine, format);
      training.diverges = kMembers[1];
      const Trajectory ill = train(training, *engine, format);
      EXPECT_FALSE(ill.steps.back()[1].finite()) << engine->name();
      for (const std::size_t m : {0U, 2U, 3U, 4U}) {
        for (std::size_t s = 0; s < training.steps.size(); ++s) {
          EXPECT_TRUE(same_bits(ill.steps[s][m].loss.loss, healthy.steps[s][m].loss.loss)) << engine->name() << s;
        }
        EXPECT_EQ(first_difference(ill.logits[m], healthy.logits[m]), -1) << engine->name();
      }
    }
  }
}

}  // namespace
}  // namespace hyseq::models
