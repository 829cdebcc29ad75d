// A model of 1e8 parameters trains on the processor, on the dense engine and on the emulated device.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <gtest/gtest.h>

#include "kernels/base/random.hpp"
#include "kernels/engine.hpp"
#include "models/initialise.hpp"
#include "models/lowering.hpp"
#include "trainers/sweep/preset.hpp"

namespace hyseq::trainers {
namespace {

constexpr std::size_t kTokens = 16;
constexpr std::size_t kSteps = 2;

RunConfiguration hybrid() {
  for (const Point& point : load_preset("large-1e8", "published").points) {
    if (point.axes["model.layers"] == "(SSM,TF)*6") return point.final_run;
  }
  throw std::logic_error("the preset has no such hybrid");
}

/// A row of random tokens with random targets, and the model that learns it by heart.
struct Lesson {
  kernels::Program program;
  kernels::ParameterValues parameters;
  std::vector<std::int32_t> tokens;
  std::vector<std::int32_t> targets;

  Lesson() : program(models::lower(hybrid().architecture)), parameters(models::initialise(program, 1)) {
    RandomStream stream({1, Purpose::verification}, 0);
    const auto draw = [&] {
      return static_cast<std::int32_t>(stream.below(static_cast<std::uint32_t>(program.vocabulary)));
    };
    for (std::size_t t = 0; t < kTokens; ++t) {
      tokens.push_back(draw());
      targets.push_back(draw());
    }
  }

  /// Losses and norms of the steps, and the loss behind the last one.
  [[nodiscard]] std::vector<double> learn(const char* engine, NumberFormat format) const {
    kernels::CohortRequest request;
    request.training = request.evaluation = &program;
    request.format = format;
    request.longest = kTokens;
    const auto cohort = kernels::find_engine(engine).make_cohort(request);
    cohort->set_parameters(0, parameters);
    const kernels::CohortBatch batch{1, kTokens, tokens, targets, {}, program.vocabulary};
    const std::uint64_t seed = 1;
    const double rate = 1e-4;
    std::vector<double> numbers;
    for (std::size_t step = 0; step < kSteps; ++step) {
      kernels::MemberStep result;
      cohort->step({batch, step, {&seed, 1}, {&rate, 1}}, {&result, 1});
      numbers.push_back(result.loss.loss);
      numbers.push_back(result.gradient_norm);
    }
    kernels::LossResult loss;
    cohort->evaluate(batch, {&loss, 1}, {});
    numbers.push_back(loss.loss);
    return numbers;
  }
};

TEST(LargeModels, AHybridOfAHundredMillionParametersTrainsTheSame) {
  const Lesson lesson;
  EXPECT_NEAR(static_cast<double>(lesson.program.parameter_count()), 1e8, 5e6);
  const std::vector<double> exact = lesson.learn("dense", NumberFormat::float64);
  const std::vector<double> dense = lesson.learn("dense", NumberFormat::float32);
  const std::vector<double> device = lesson.learn("cuda-emulated", NumberFormat::float32);
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const double rounded = std::max(unit_roundoff(NumberFormat::float32) * exact[i], std::abs(dense[i] - exact[i]));
    EXPECT_LE(std::abs(device[i] - exact[i]), 8 * rounded) << i;
    EXPECT_LE(rounded, 1e-5 * exact[0]) << i;
  }
  // Every step counts: the loss falls from about log 1024 to nearly nothing.
  EXPECT_NEAR(exact[0], std::log(1024), 1);
  EXPECT_LT(exact[2], 0.5 * exact[0]);
  EXPECT_LT(exact[4], 0.5 * exact[2]);
}

}  // namespace
}  // namespace hyseq::trainers
