// Training: the same bits for every number of threads, micro-batches, divergence, resuming.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "kernels/base/error.hpp"
#include "kernels/dense/engine.hpp"
#include "tests/kernels_dense/hybrid.hpp"

namespace hyseq::kernels::dense {
namespace {

struct Trained {
  std::vector<double> losses;
  std::vector<double> norms;
  ParameterValues parameters;
  Moments moments;
  LossResult evaluation;
  std::vector<std::uint8_t> correct;
};

CohortRequest request_for(const Hybrid& model, NumberFormat format) {
  CohortRequest request;
  request.training = &model.training;
  request.evaluation = &model.evaluation;
  request.format = format;
  request.longest = model.time;
  return request;
}

MemberStep step(Cohort& cohort, const Hybrid& model, std::uint64_t number) {
  const std::uint64_t seed = 9;
  const double rate = 1e-2;
  MemberStep result;
  cohort.step({model.batch(), number, {&seed, 1}, {&rate, 1}}, {&result, 1});
  return result;
}

Trained train(const Engine& engine, const Hybrid& model, const CohortRequest& request) {
  const auto cohort = engine.make_cohort(request);
  cohort->set_parameters(0, model.parameters);
  Trained trained;
  for (std::uint64_t number = 0; number < 3; ++number) {
    const MemberStep result = step(*cohort, model, number);
    trained.losses.push_back(result.loss.loss);
    trained.norms.push_back(result.gradient_norm);
  }
  trained.parameters = cohort->parameters(0);
  trained.moments = cohort->moments(0);
  trained.correct.resize(model.rows * model.time);
  cohort->evaluate(model.batch(), {&trained.evaluation, 1}, trained.correct);
  return trained;
}

double largest_difference(const ParameterValues& a, const ParameterValues& b) {
  double largest = 0;
  for (std::size_t p = 0; p < a.size(); ++p) {
    for (std::size_t i = 0; i < a[p].size(); ++i) largest = std::max(largest, std::abs(a[p][i] - b[p][i]));
  }
  return largest;
}

TEST(DenseCohort, TheSameBitsForEveryNumberOfThreads) {
  Sizes sizes;
  sizes.width = 72;
  sizes.heads = 3;
  sizes.rows = 5;
  sizes.time = 150;
  const Hybrid model(sizes);
  CohortRequest request = request_for(model, NumberFormat::float32);
  const Trained alone = train(dense_engine(), model, request);
  for (const std::size_t threads : {2U, 3U, 4U, 2U}) {
    request.threads = threads;
    const Trained together = train(dense_engine(), model, request);
    EXPECT_EQ(together.losses, alone.losses) << threads;
    EXPECT_EQ(together.norms, alone.norms) << threads;
    EXPECT_EQ(together.parameters, alone.parameters) << threads;
    EXPECT_EQ(together.moments.second, alone.moments.second) << threads;
    EXPECT_EQ(together.evaluation.loss, alone.evaluation.loss) << threads;
    EXPECT_EQ(together.correct, alone.correct) << threads;
  }
}

TEST(DenseCohort, FollowsTheReferenceWithDropoutAndMicroBatches) {
  Sizes sizes;
  sizes.rows = 5;
  const Hybrid model(sizes);
  CohortRequest request = request_for(model, NumberFormat::float64);
  request.optimiser.decays.assign(model.training.parameters.size(), 1);
  request.optimiser.decays[0] = 0;
  const Trained expected = train(reference_engine(), model, request);
  for (const std::size_t micro_batch : {0U, 1U, 2U, 5U}) {
    request.micro_batch = micro_batch;
    const Trained found = train(dense_engine(), model, request);
    for (std::size_t i = 0; i < expected.losses.size(); ++i) {
      EXPECT_NEAR(found.losses[i], expected.losses[i], 1e-10);
      EXPECT_NEAR(found.norms[i], expected.norms[i], 1e-9 * expected.norms[i]);
    }
    // AdamW divides a gradient by its own size, rounding noise included: a step is compared with the rate.
    EXPECT_LT(largest_difference(found.parameters, expected.parameters), 1e-6) << micro_batch;
    EXPECT_EQ(found.correct, expected.correct);
    EXPECT_EQ(found.evaluation.correct, expected.evaluation.correct);
  }
}

TEST(DenseCohort, ResumesWithTheSameBits) {
  const Hybrid model({});
  const CohortRequest request = request_for(model, NumberFormat::float32);
  const Trained whole = train(dense_engine(), model, request);
  const auto first = dense_engine().make_cohort(request);
  first->set_parameters(0, model.parameters);
  step(*first, model, 0);
  const auto second = dense_engine().make_cohort(request);
  second->set_parameters(0, first->parameters(0));
  second->set_moments(0, first->moments(0));
  step(*second, model, 1);
  step(*second, model, 2);
  EXPECT_EQ(second->parameters(0), whole.parameters);
}

TEST(DenseCohort, AMemberThatIsNotFiniteKeepsItsParametersAndMoments) {
  Hybrid model({});
  // Overflows in float, in the middle of the model.
  for (double& value : model.parameters[1]) value = 1e30;
  for (double& value : model.parameters[2]) value = 1e30;
  const auto cohort = dense_engine().make_cohort(request_for(model, NumberFormat::float32));
  cohort->set_parameters(0, model.parameters);
  const ParameterValues before = cohort->parameters(0);
  const MemberStep result = step(*cohort, model, 0);
  EXPECT_FALSE(result.finite());
  EXPECT_EQ(cohort->parameters(0), before);
  for (const auto& array : cohort->moments(0).first) {
    for (const double value : array) EXPECT_EQ(value, 0);
  }
}

TEST(DenseCohort, WithoutAValidTargetOnlyTheDecayMoves) {
  Hybrid model({});
  model.targets.assign(model.targets.size(), Hybrid::kValidBelow);
  const auto cohort = dense_engine().make_cohort(request_for(model, NumberFormat::float64));
  cohort->set_parameters(0, model.parameters);
  const MemberStep result = step(*cohort, model, 0);
  EXPECT_EQ(result.loss.valid, 0);
  EXPECT_EQ(result.loss.loss, 0);
  EXPECT_EQ(result.gradient_norm, 0);
  const double kept = 1 - 1e-2 * 0.1;
  EXPECT_DOUBLE_EQ(cohort->parameters(0)[0][0], model.parameters[0][0] * kept);
}

TEST(DenseCohort, RefusesWhatDoesNotFit) {
  const Hybrid model({});
  CohortRequest request = request_for(model, NumberFormat::float32);
  request.members = 2;
  EXPECT_THROW(static_cast<void>(dense_engine().make_cohort(request)), InputError);
  request = request_for(model, NumberFormat::float16);
  EXPECT_THROW(static_cast<void>(dense_engine().make_cohort(request)), InputError);
  request = request_for(model, NumberFormat::float32);
  request.longest = model.time - 1;
  const auto cohort = dense_engine().make_cohort(request);
  EXPECT_THROW(static_cast<void>(step(*cohort, model, 0)), InputError);
  EXPECT_THROW(cohort->set_parameters(0, {}), InputError);
  EXPECT_THROW(cohort->set_parameters(1, model.parameters), InputError);
}

}  // namespace
}  // namespace hyseq::kernels::dense
