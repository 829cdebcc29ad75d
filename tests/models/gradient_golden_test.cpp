// Gradients and training traces of the golden files, on every engine.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "tests/models/golden.hpp"
#include "tests/models/training_golden.hpp"

namespace hyseq::models {
namespace {

kernels::ParameterValues golden_gradients(const Golden& golden) {
  const Hdf5Reader file(golden_path(golden.name));
  kernels::ParameterValues gradients;
  for (const kernels::ParameterInfo& info : golden.program.parameters) {
    const Array<double> array = file.read_reals("grad/" + info.name);
    EXPECT_EQ(array.shape, info.shape) << info.name;
    gradients.push_back(array.values);
  }
  EXPECT_EQ(file.datasets("grad").size(), gradients.size()) << golden.name;
  return gradients;
}

/// The largest difference over all parameters.
double largest_difference(const kernels::ParameterValues& a, const kernels::ParameterValues& b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0;
  for (std::size_t p = 0; p < std::min(a.size(), b.size()); ++p) {
    largest = std::max(largest, models::largest_difference(a[p], b[p]));
  }
  return largest;
}

kernels::ForwardResult run(const kernels::Engine& engine, const Golden& golden, NumberFormat format) {
  kernels::ForwardRequest request = golden.request(format);
  request.gradients = true;
  return engine.forward(request);
}

bool offers(const kernels::Engine& engine, NumberFormat format) {
  const auto formats = engine.formats();
  return std::find(formats.begin(), formats.end(), format) != formats.end();
}

TEST(GoldenGradients, AgreeInDoubleOnEveryEngine) {
  for (const std::string& name : golden_models()) {
    const Golden golden(name);
    const kernels::ParameterValues expected = golden_gradients(golden);
    for (const kernels::Engine* engine : kernels::engines()) {
      if (!offers(*engine, NumberFormat::float64)) continue;
      const auto result = run(*engine, golden, NumberFormat::float64);
      EXPECT_LT(largest_difference(result.gradients, expected), 1e-11) << name << " " << engine->name();
      EXPECT_NEAR(result.loss.loss, golden.loss, 1e-11) << name << " " << engine->name();
    }
  }
}

// In float the reference, whose sums run in the plain order, is the independent evaluation of the other engines.
TEST(GoldenGradients, FloatErrorsOfTheOtherEnginesStayWithinEightTimesThoseOfReference) {
  for (const std::string& name : golden_models()) {
    const Golden golden(name);
    const kernels::ParameterValues expected = golden_gradients(golden);
    const auto plain = run(kernels::reference_engine(), golden, NumberFormat::float32);
    const double error = largest_difference(plain.gradients, expected);
    EXPECT_LT(error, 1e-4) << name;
    for (const kernels::Engine* engine : kernels::engines()) {
      if (!offers(*engine, NumberFormat::float32)) continue;
      const auto result = run(*engine, golden, NumberFormat::float32);
      EXPECT_LE(largest_difference(result.gradients, expected), 8 * error) << name << " " << engine->name();
    }
  }
}

// To first order errors grow with the unit roundoff, of half relative to its range.
TEST(GoldenGradients, SixteenBitErrorsFollowTheUnitRoundoff) {
  for (const std::string& name : golden_models()) {
    const Golden golden(name);
    const kernels::ParameterValues expected = golden_gradients(golden);
    const double error =
        largest_difference(run(kernels::reference_engine(), golden, NumberFormat::float32).gradients, expected);
    for (const NumberFormat format : {NumberFormat::bfloat16, NumberFormat::float16}) {
      const double scale = 8 * unit_roundoff(format) / unit_roundoff(NumberFormat::float32);
      const auto result = run(kernels::reference_engine(), golden, format);
      EXPECT_LE(largest_difference(result.gradients, expected), scale * error) << name << " " << hyseq::name(format);
    }
  }
}

TEST(GoldenTraining, FilesAreThere) { EXPECT_EQ(golden_trainings().size(), 2U); }

TEST(GoldenTraining, TracesAgreeInDouble) {
  for (const std::string& name : golden_trainings()) {
    const TrainingGolden golden(name);
    for (const kernels::Engine* engine : kernels::engines()) {
      if (!offers(*engine, NumberFormat::float64) || engine->cohort_size(NumberFormat::float64) == 0) continue;
      for (const std::size_t micro_batch : {0U, 1U, 3U}) {
        const TrainingTrace trace = train(golden, *engine, NumberFormat::float64, micro_batch);
        for (std::size_t step = 0; step < golden.steps; ++step) {
          const double loss = golden.loss[step];
          const double norm = golden.grad_norm[step];
          EXPECT_NEAR(trace.steps[step].loss.loss, loss, 1e-11 * loss) << name << " " << engine->name();
          EXPECT_NEAR(trace.steps[step].gradient_norm, norm, 1e-11 * norm) << name << " " << engine->name();
        }
        EXPECT_LT(largest_difference(trace.final, golden.final), 1e-9) << name << " " << engine->name();
      }
    }
  }
}

// AdamW makes visible steps out of the rounding noise of a gradient that is zero in theory, so trained parameters are
// compared through what they compute: the logits of the last batch.
TEST(GoldenTraining, TracesAgreeInFloatThroughTheLogits) {
  for (const std::string& name : golden_trainings()) {
    const TrainingGolden golden(name);
    const auto logits = [&](const kernels::ParameterValues& values) {
      kernels::ForwardRequest request;
      request.program = &golden.program;
      request.parameters = &values;
      request.batch = golden.rows;
      request.time = golden.length;
      request.tokens = golden.batch(golden.input, golden.steps - 1);
      return kernels::reference_engine().forward(request).logits.values;
    };
    const std::vector<double> expected = logits(golden.final);
    const double moved = models::largest_difference(logits(golden.init), expected);
    for (const kernels::Engine* engine : kernels::engines()) {
      if (!offers(*engine, NumberFormat::float32) || engine->cohort_size(NumberFormat::float32) == 0) continue;
      const TrainingTrace trace = train(golden, *engine, NumberFormat::float32);
      for (std::size_t step = 0; step < golden.steps; ++step) {
        EXPECT_NEAR(trace.steps[step].loss.loss, golden.loss[step], 2e-5) << name << " " << engine->name();
        EXPECT_NEAR(trace.steps[step].gradient_norm, golden.grad_norm[step], 2e-5 * golden.grad_norm[step])
            << name << " " << engine->name();
      }
      // A small part of what five steps changed.
      EXPECT_LT(models::largest_difference(logits(trace.final), expected), 1e-3 * moved)
          << name << " " << engine->name();
    }
  }
}

}  // namespace
}  // namespace hyseq::models
