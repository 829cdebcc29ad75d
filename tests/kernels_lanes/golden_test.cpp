// The golden model files on every instruction set. tests/models has them on every engine, with the default one.
#include "tests/models/golden.hpp"

#include <cmath>

#include <gtest/gtest.h>
#include <toml++/toml.h>

#include "kernels/lanes/engine.hpp"
#include "tests/kernels_lanes/every_instruction_set.hpp"

namespace hyseq::models {
namespace {

using kernels::lanes_engine;

double largest_error(const Golden& golden, const kernels::ParameterValues& gradients) {
  const Hdf5Reader file(golden_path(golden.name));
  double largest = 0;
  for (std::size_t p = 0; p < gradients.size(); ++p) {
    const auto expected = file.read_reals("grad/" + golden.program.parameters[p].name).values;
    largest = std::max(largest, largest_difference(gradients[p], expected));
  }
  return largest;
}

TEST(LanesGolden, DoubleAgreesOnEveryInstructionSet) {
  for (const std::string& name : golden_models()) {
    const Golden golden(name);
    kernels::on_every_instruction_set([&] {
      kernels::ForwardRequest request = golden.request(NumberFormat::float64);
      const auto plain = lanes_engine().forward(request);
      request.gradients = true;
      const auto result = lanes_engine().forward(request);
      EXPECT_LT(largest_difference(result.logits.values, golden.logits.values), 1e-11) << name;
      EXPECT_NEAR(result.loss.loss, golden.loss, 1e-11) << name;
      EXPECT_LT(largest_error(golden, result.gradients), 1e-11) << name;
      // Rows side by side in the lanes give the bits of rows one by one.
      EXPECT_EQ(first_difference(plain.logits.values, result.logits.values), -1) << name;
      EXPECT_EQ(plain.loss.correct, result.loss.correct) << name;
      EXPECT_EQ(plain.loss.valid, result.loss.valid) << name;
    });
  }
}

TEST(LanesGolden, FloatErrorsStayWithinEightTimesThoseOfAnIndependentEvaluation) {
  const toml::table errors = toml::parse_file(std::string(HYSEQ_GOLDEN_DIR) + "/float_errors/float_errors.toml");
  for (const std::string& name : golden_models()) {
    const Golden golden(name);
    const auto logits_error = errors[name]["logits"].value<double>();
    const auto loss_error = errors[name]["loss"].value<double>();
    ASSERT_TRUE(logits_error && loss_error) << name;
    kernels::ForwardRequest request = golden.request(NumberFormat::float32);
    request.gradients = true;
    const double gradient_error = largest_error(golden, kernels::reference_engine().forward(request).gradients);
    kernels::on_every_instruction_set([&] {
      const auto result = lanes_engine().forward(request);
      EXPECT_LE(largest_difference(result.logits.values, golden.logits.values), 8 * *logits_error) << name;
      EXPECT_LE(std::abs(result.loss.loss - golden.loss), 8 * *loss_error) << name;
      EXPECT_LE(largest_error(golden, result.gradients), 8 * gradient_error) << name;
    });
  }
}

}  // namespace
}  // namespace hyseq::models
