// Cohorts of every engine: members, micro-batches, clipping, decay, members that go non-finite.
#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "kernels/base/error.hpp"
#include "tests/models/cohort_members.hpp"

namespace hyseq::models {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Calls visit(engine, format) for everything that can train.
template <class Visit>
void for_each_trainer(const Visit& visit) {
  for (const NumberFormat format : kFormats) {
    for (const kernels::Engine* engine : engines_with(format, true)) visit(*engine, format);
  }
}

const SmallModel& plain() {
  static const SmallModel model("plain", small_architecture());
  return model;
}
const SmallModel& dropping() {
  static const SmallModel model("dropping", small_architecture(), {0.1, 0.1, 0.2, 0.2});
  return model;
}

TEST(Cohorts, MembersDependNeitherOnTheirPlaceNorOnTheirNeighbours) {
  for_each_trainer([](const kernels::Engine& engine, NumberFormat format) {
    const std::size_t most = std::min<std::size_t>(engine.cohort_size(format), 5);
    const std::vector<std::uint64_t> ids = {3, 1, 4, 8, 5};
    const Members together({ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(most)}, 3, 7);
    const auto cohort = start(engine, cohort_request(dropping(), plain(), format, most, 7), together);
    std::vector<std::vector<MemberStep>> steps;
    for (std::uint64_t number = 0; number < 3; ++number) steps.push_back(together.step(*cohort, number));
    for (std::size_t m = 0; m < most; ++m) {
      const Members own({ids[m]}, 3, 7);
      const auto single = start(engine, cohort_request(dropping(), plain(), format, 1, 7), own);
      for (std::uint64_t number = 0; number < 3; ++number) {
        const MemberStep step = own.step(*single, number)[0];
        EXPECT_TRUE(same_bits(step.loss.loss, steps[number][m].loss.loss)) << engine.name();
        EXPECT_TRUE(same_bits(step.gradient_norm, steps[number][m].gradient_norm)) << engine.name();
      }
      EXPECT_TRUE(same(single->parameters(0), cohort->parameters(m))) << engine.name() << " member " << m;
      EXPECT_TRUE(same(single->moments(0).second, cohort->moments(m).second)) << engine.name();
    }
  });
}

TEST(Cohorts, AMemberThatIsNotFiniteKeepsWhatItHasAndDisturbsNobody) {
  for_each_trainer([](const kernels::Engine& engine, NumberFormat format) {
    const std::size_t most = std::min<std::size_t>(engine.cohort_size(format), 3);
    const Members members({2, 7, 6}, 2, 5);
    const Members used({members.seeds.begin(), members.seeds.begin() + static_cast<std::ptrdiff_t>(most)}, 2, 5);
    const auto request = cohort_request(plain(), plain(), format, most, 5);
    const auto healthy = start(engine, request, used);
    const auto broken = start(engine, request, used);
    const std::size_t ill = most - 1;
    kernels::ParameterValues values = start_of(used.seeds[ill]);
    values[0][0] = kNaN;
    values[3][0] = std::numeric_limits<double>::infinity();
    for (double& value : values[1]) value = kNaN;
    broken->set_parameters(ill, values);
    const kernels::ParameterValues before = broken->parameters(ill);
    for (std::uint64_t number = 0; number < 3; ++number) {
      const auto a = used.step(*healthy, number);
      const auto b = used.step(*broken, number);
      EXPECT_FALSE(b[ill].finite()) << engine.name();
      for (std::size_t m = 0; m < ill; ++m) EXPECT_TRUE(same_bits(a[m].gradient_norm, b[m].gradient_norm));
    }
    EXPECT_TRUE(same(broken->parameters(ill), before)) << engine.name();
    for (const auto& moments : broken->moments(ill).first) {
      for (const double value : moments) ASSERT_EQ(value, 0) << engine.name();
    }
    for (std::size_t m = 0; m < ill; ++m) {
      EXPECT_TRUE(same(healthy->parameters(m), broken->parameters(m))) << engine.name();
    }
  });
}

TEST(Cohorts, ValuesComeBackBitForBitAndSoDoesAnInterruptedRun) {
  for_each_trainer([](const kernels::Engine& engine, NumberFormat format) {
    const Members members({9}, 2, 6);
    const auto request = cohort_request(dropping(), plain(), format, 1, 6);
    const auto whole = start(engine, request, members);
    for (std::uint64_t number = 0; number < 4; ++number) static_cast<void>(members.step(*whole, number));
    const auto first = start(engine, request, members);
    for (std::uint64_t number = 0; number < 2; ++number) static_cast<void>(members.step(*first, number));
    const auto second = engine.make_cohort(request);
    second->set_parameters(0, first->parameters(0));
    second->set_moments(0, first->moments(0));
    EXPECT_TRUE(same(second->parameters(0), first->parameters(0)));
    for (std::uint64_t number = 2; number < 4; ++number) static_cast<void>(members.step(*second, number));
    EXPECT_TRUE(same(whole->parameters(0), second->parameters(0))) << engine.name();
    EXPECT_TRUE(same(whole->moments(0).second, second->moments(0).second)) << engine.name();
  });
}

// Rows of 11 and 101 targets: averaged over all 112 at once, not per part.
TEST(Cohorts, MicroBatchesWeightTargetsAndNotRows) {
  SmallData data = small_data(9, 2, 103);
  for (std::size_t t = 0; t < 206; ++t) data.targets[t] = static_cast<std::int32_t>(t % 6);
  for (std::size_t t = 11; t < 103; ++t) data.targets[t] = 8;
  data.targets[103] = data.targets[150] = -1;
  for (const kernels::Engine* engine : engines_with(NumberFormat::float64, true)) {
    const auto expected = engine->forward(plain().request(data, NumberFormat::float64));
    ASSERT_EQ(expected.loss.valid, 112);
    for (const std::size_t micro_batch : {0U, 1U, 2U}) {
      auto request = cohort_request(plain(), plain(), NumberFormat::float64, 1, 103);
      request.micro_batch = micro_batch;
      request.clip.limit = 0;
      const auto cohort = engine->make_cohort(request);
      cohort->set_parameters(0, plain().parameters);
      const std::uint64_t seed = 1;
      const double rate = 0.01;
      MemberStep result;
      cohort->step({{2, 103, data.tokens, data.targets, {}, 6}, 0, {&seed, 1}, {&rate, 1}}, {&result, 1});
      EXPECT_EQ(result.loss.valid, 112);
      EXPECT_NEAR(result.loss.loss, expected.loss.loss, 1e-12);
      double squares = 0;
      const auto moments = cohort->moments(0).first;  // a tenth of the gradient after one step
      for (std::size_t p = 0; p < moments.size(); ++p) {
        for (std::size_t i = 0; i < moments[p].size(); ++i) {
          const double gradient = expected.gradients[p][i];
          squares += gradient * gradient;
          ASSERT_NEAR(moments[p][i], 0.1 * gradient, 1e-13) << engine->name() << " " << micro_batch;
        }
      }
      EXPECT_NEAR(result.gradient_norm, std::sqrt(squares), 1e-12);
    }
  }
}

TEST(Cohorts, WithoutAnswersOnlyTheNamedParametersDecay) {
  for_each_trainer([](const kernels::Engine& engine, NumberFormat format) {
    Members members({1}, 2, 4);
    members.targets.assign(members.targets.size(), 8);
    members.rates = {0.5};
    auto request = cohort_request(plain(), plain(), format, 1, 4);
    request.optimiser.decay = 0.5;
    for (const kernels::ParameterInfo& info : plain().program.parameters) {
      request.optimiser.decays.push_back(info.shape.size() == 2 ? 1 : 0);
    }
    const auto cohort = start(engine, request, members);
    const kernels::ParameterValues before = cohort->parameters(0);
    const MemberStep step = members.step(*cohort, 0)[0];
    EXPECT_TRUE(step.finite());
    EXPECT_EQ(step.loss.valid, 0);
    EXPECT_EQ(step.gradient_norm, 0);
    const kernels::ParameterValues after = cohort->parameters(0);
    for (std::size_t p = 0; p < before.size(); ++p) {
      const double kept = request.optimiser.decays[p] != 0 ? 0.75 : 1;
      for (std::size_t i = 0; i < before[p].size(); ++i) {
        ASSERT_NEAR(after[p][i], kept * before[p][i], 2 * unit_roundoff(format) * std::abs(before[p][i]))
            << engine.name();
      }
    }
  });
}

TEST(Cohorts, ClippingBoundsTheNormThatReachesTheMoments) {
  for (const kernels::Engine* engine : engines_with(NumberFormat::float64, true)) {
    const Members members({1}, 2, 9);
    for (const double limit : {0.0, 0.125, 1e9}) {
      auto request = cohort_request(plain(), plain(), NumberFormat::float64, 1, 9);
      request.clip.limit = limit;
      const auto cohort = start(*engine, request, members);
      const double norm = members.step(*cohort, 0)[0].gradient_norm;
      double squares = 0;
      for (const auto& moments : cohort->moments(0).first) {
        for (const double value : moments) squares += 100 * value * value;
      }
      const double expected = limit == 0.125 ? norm * limit / (norm + 1e-6) : norm;
      ASSERT_GT(norm, 0.125);
      EXPECT_NEAR(std::sqrt(squares), expected, 1e-12) << engine->name();
    }
  }
}

TEST(Cohorts, EvaluationDropsNothingAndCountsAnswers) {
  for_each_trainer([](const kernels::Engine& engine, NumberFormat format) {
    const std::size_t most = std::min<std::size_t>(engine.cohort_size(format), 3);
    const std::vector<std::uint64_t> ids = {4, 2, 9};
    const Members members({ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(most)}, 5, 8);
    auto request = cohort_request(dropping(), plain(), format, most, 8);
    request.micro_batch = 2;
    const auto cohort = start(engine, request, members);
    std::vector<kernels::LossResult> losses(most);
    std::vector<std::uint8_t> correct(most * 40);
    cohort->evaluate(members.batch(), losses, correct);
    for (std::size_t m = 0; m < most; ++m) {
      SmallModel model = plain();
      model.parameters = start_of(ids[m]);
      const auto expected = engine.forward(model.request(small_data(9, 5, 8, ids[m]), format));
      EXPECT_NEAR(losses[m].loss, expected.loss.loss, 40 * unit_roundoff(format)) << engine.name();
      EXPECT_EQ(losses[m].valid, expected.loss.valid);
      EXPECT_EQ(losses[m].correct, expected.loss.correct);
      std::int64_t marked = 0;
      for (std::size_t i = 0; i < 40; ++i) marked += correct[m * 40 + i];
      EXPECT_EQ(marked, losses[m].correct);
    }
  });
}

TEST(Cohorts, RefuseWhatDoesNotFit) {
  for_each_trainer([](const kernels::Engine& engine, NumberFormat format) {
    const Members members({1}, 2, 4);
    auto request = cohort_request(plain(), plain(), format, 1, 4);
    const auto cohort = start(engine, request, members);
    EXPECT_THROW(cohort->set_parameters(0, {}), InputError) << engine.name();
    EXPECT_THROW(cohort->set_moments(0, {}), InputError) << engine.name();
    const Members longer({1}, 2, 5);
    EXPECT_THROW(static_cast<void>(longer.step(*cohort, 0)), InputError) << engine.name();
    Members outside = members;
    outside.tokens[3] = 9;
    EXPECT_THROW(static_cast<void>(outside.step(*cohort, 0)), InputError) << engine.name();
    outside = members;
    outside.targets[3] = 5;
    outside.targets[2] = -5;  // does not count
    EXPECT_NO_THROW(static_cast<void>(outside.step(*cohort, 0))) << engine.name();
    Members without_rate = members;
    without_rate.rates.clear();
    EXPECT_THROW(static_cast<void>(without_rate.step(*cohort, 0)), InputError) << engine.name();
    Members ragged = members;
    ragged.targets.pop_back();
    EXPECT_THROW(static_cast<void>(ragged.step(*cohort, 0)), InputError) << engine.name();
    EXPECT_THROW(static_cast<void>(cohort->parameters(1)), InputError) << engine.name();
    std::vector<kernels::LossResult> losses(1);
    std::vector<std::uint8_t> marks(7);  // for 8 positions
    EXPECT_THROW(cohort->evaluate(members.batch(), losses, marks), InputError) << engine.name();
    EXPECT_THROW(cohort->evaluate(members.batch(), {}, {}), InputError) << engine.name();
    auto decays = request;
    decays.optimiser.decays = {1};
    EXPECT_THROW(static_cast<void>(engine.make_cohort(decays)), InputError) << engine.name();
    request.members = 0;
    EXPECT_THROW(static_cast<void>(engine.make_cohort(request)), InputError) << engine.name();
    request.members = 1;
    kernels::Program forward_only = plain().program;
    forward_only.backward.clear();
    request.training = &forward_only;
    EXPECT_THROW(static_cast<void>(engine.make_cohort(request)), InputError) << engine.name();
  });
}

}  // namespace
}  // namespace hyseq::models
