// Full cohorts: every lane of every instruction set. tests/models has what cohorts of all engines have in common.
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "kernels/dropout/reference.hpp"
#include "kernels/lanes/engine.hpp"
#include "kernels/lanes/session.hpp"
#include "tests/kernels_lanes/every_instruction_set.hpp"
#include "tests/models/golden.hpp"
#include "tests/models/small_models.hpp"

namespace hyseq::models {
namespace {

using kernels::lanes_engine;

constexpr std::size_t kRows = 3;
constexpr std::size_t kTime = 23;

/// Member `id` has parameters, data, seed and rate of its own.
struct Cohort {
  std::unique_ptr<kernels::Cohort> cohort;
  SmallData data;
  std::vector<std::uint64_t> seeds;
  std::vector<double> rates;

  Cohort(const SmallModel& training, const SmallModel& evaluation, NumberFormat format,
         const std::vector<std::uint64_t>& ids) {
    kernels::CohortRequest request;
    request.training = &training.program;
    request.evaluation = &evaluation.program;
    request.format = format;
    request.members = ids.size();
    request.longest = kTime;
    cohort = lanes_engine().make_cohort(request);
    for (std::size_t m = 0; m < ids.size(); ++m) {
      cohort->set_parameters(m, SmallModel("", small_architecture(), {}, 50 + ids[m]).parameters);
      const SmallData own = small_data(9, kRows, kTime, ids[m]);
      data.tokens.insert(data.tokens.end(), own.tokens.begin(), own.tokens.end());
      data.targets.insert(data.targets.end(), own.targets.begin(), own.targets.end());
      data.valid_below = own.valid_below;
      seeds.push_back(ids[m] * 0x123456789abcdefULL);
      rates.push_back(0.002 * static_cast<double>(ids[m] % 4));
    }
  }

  std::vector<kernels::MemberStep> step(std::uint64_t number) {
    std::vector<kernels::MemberStep> results(seeds.size());
    cohort->step({{kRows, kTime, data.tokens, data.targets, {}, data.valid_below}, number, seeds, rates}, results);
    return results;
  }
};

TEST(LanesCohort, EveryLaneGivesTheBitsOfACohortOfOne) {
  const SmallModel training("training", small_architecture(), {0.1, 0.2, 0.1, 0.3});
  const SmallModel evaluation("evaluation", small_architecture());
  for (const NumberFormat format : {NumberFormat::float32, NumberFormat::float64}) {
    kernels::on_every_instruction_set([&] {
      std::vector<std::uint64_t> ids;
      for (std::uint64_t id = 0; id < lanes_engine().cohort_size(format); ++id) ids.push_back(id);
      Cohort full(training, evaluation, format, ids);
      std::vector<std::vector<kernels::MemberStep>> steps;
      for (std::uint64_t number = 0; number < 3; ++number) steps.push_back(full.step(number));
      for (std::size_t m = 0; m < ids.size(); ++m) {
        Cohort single(training, evaluation, format, {ids[m]});
        for (std::uint64_t number = 0; number < 3; ++number) {
          const kernels::MemberStep own = single.step(number)[0];
          EXPECT_TRUE(same_bits(own.loss.loss, steps[number][m].loss.loss)) << m;
          EXPECT_TRUE(same_bits(own.gradient_norm, steps[number][m].gradient_norm)) << m;
          EXPECT_EQ(own.loss.correct, steps[number][m].loss.correct);
        }
        const auto a = single.cohort->parameters(0);
        const auto b = full.cohort->parameters(m);
        for (std::size_t p = 0; p < a.size(); ++p) ASSERT_EQ(first_difference(a[p], b[p]), -1) << m << " " << p;
      }
    });
  }
}

TEST(LanesDropout, EveryLaneDrawsTheWordsOfItsSeed) {
  kernels::Program program;
  const int width = 11;
  const kernels::DropoutSite site{kernels::DropoutPlace::mlp, 777, 0.3};
  program.buffers = {{"in", width}, {"out", width}};
  program.gradients = {{"out", width}, {"in", width}};
  const kernels::Dropout call{{0, 0, width}, {1, 0, width}, site};
  program.forward = {call};
  program.backward = {kernels::DropoutBackward{call, {0, 0, width}, {{1, 0, width}, kernels::GradientMode::overwrite}}};
  kernels::on_every_instruction_set([&] {
    constexpr std::size_t kTokens = 7;
    const auto session = kernels::make_float_session({&program, kTokens, kernels::plan_call_by_call(program, kTokens)});
    const std::size_t lanes = session->lanes();
    kernels::SequenceLayout layout;
    layout.position.assign(kTokens, 3);
    layout.starts.assign(kTokens, 0);
    session->place(layout);
    std::vector<std::uint64_t> seeds;
    for (std::size_t lane = 0; lane < lanes; ++lane) seeds.push_back(~std::uint64_t{0} / (lane + 1) - lane);
    kernels::LaneSequence<float> sequence;
    sequence.row = 0xfedcba98;
    sequence.step = 0x89abcdef;
    sequence.seeds = seeds.data();
    sequence.keep = true;
    for (std::size_t t = 0; t < kTokens; ++t) {
      std::fill_n(session->row(0, t), width * lanes, 3.0F);
      std::fill_n(session->gradient_row(0, t), width * lanes, 5.0F);
    }
    session->forward(sequence);
    session->backward(sequence);
    std::size_t dropped = 0;
    for (std::size_t t = 0; t < kTokens; ++t) {
      for (std::size_t c = 0; c < width; ++c) {
        for (std::size_t lane = 0; lane < lanes; ++lane) {
          const auto factor =
              static_cast<float>(kernels::dropout_factor(site, {seeds[lane], sequence.step}, sequence.row, t, c));
          ASSERT_EQ(session->row(1, t)[c * lanes + lane], 3 * factor) << t << " " << c << " " << lane;
          ASSERT_EQ(session->gradient_row(1, t)[c * lanes + lane], 5 * factor) << t << " " << c << " " << lane;
          if (factor == 0) ++dropped;
        }
      }
    }
    EXPECT_GT(dropped, 0U);
    EXPECT_LT(dropped, kTokens * width * lanes);
  });
}

std::size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t whole = 0;
  std::size_t resident = 0;
  file >> whole >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

TEST(LanesCohort, OfSixteenTakesLessThan32Megabytes) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "sanitizers surround every allocation";
#endif
  Architecture architecture;
  architecture.width = 24;
  architecture.vocabulary = 34;
  architecture.layers = parse_layers("SSM,SSM", {}, {});
  const kernels::Program training = lower(architecture, {0, 0, 0.1, 0.1});
  const kernels::Program evaluation = lower(architecture);
  const std::size_t before = resident_bytes();
  kernels::CohortRequest request;
  request.training = &training;
  request.evaluation = &evaluation;
  request.members = lanes_engine().cohort_size(NumberFormat::float32);
  request.longest = 100;
  const auto cohort = lanes_engine().make_cohort(request);
  const std::vector<std::int32_t> tokens(request.members * 8 * 100, 1);
  const std::vector<std::uint64_t> seeds(request.members, 1);
  const std::vector<double> rates(request.members, 0.001);
  std::vector<kernels::MemberStep> steps(request.members);
  cohort->step({{8, 100, tokens, tokens, {}, 31}, 0, seeds, rates}, steps);
  std::vector<kernels::LossResult> losses(request.members);
  cohort->evaluate({8, 100, tokens, tokens, {}, 31}, losses, {});
  EXPECT_LT(resident_bytes() - before, std::size_t{32} << 20);
}

}  // namespace
}  // namespace hyseq::models
