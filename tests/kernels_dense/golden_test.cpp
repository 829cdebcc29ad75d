// The golden model files on every instruction set.
#include "tests/models/golden.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>
#include <toml++/toml.h>

#include "kernels/dense/engine.hpp"
#include "tests/kernels_dense/each_instruction_set.hpp"

namespace hyseq::kernels::dense {
namespace {

using models::Golden;
using models::golden_models;
using models::golden_path;
using models::largest_difference;

ParameterValues golden_gradients(const Golden& golden) {
  const Hdf5Reader file(golden_path(golden.name));
  ParameterValues gradients;
  for (const ParameterInfo& info : golden.program.parameters) {
    gradients.push_back(file.read_reals("grad/" + info.name).values);
  }
  return gradients;
}

double largest_of_all(const ParameterValues& a, const ParameterValues& b) {
  double largest = 0;
  for (std::size_t p = 0; p < a.size(); ++p) largest = std::max(largest, largest_difference(a[p], b[p]));
  return largest;
}

ForwardResult run(const Golden& golden, NumberFormat format) {
  ForwardRequest request = golden.request(format);
  request.gradients = true;
  return dense_engine().forward(request);
}

TEST(DenseGolden, DoubleAgreesWithAnIndependentImplementation) {
  for_each_instruction_set([](const std::string& set) {
    for (const std::string& name : golden_models()) {
      const Golden golden(name);
      const ForwardResult result = run(golden, NumberFormat::float64);
      EXPECT_LT(largest_difference(result.logits.values, golden.logits.values), 1e-11) << set << " " << name;
      EXPECT_NEAR(result.loss.loss, golden.loss, 1e-11) << set << " " << name;
      EXPECT_LT(largest_of_all(result.gradients, golden_gradients(golden)), 1e-11) << set << " " << name;
    }
  });
}

TEST(DenseGolden, FloatErrorsStayWithinEightTimesThoseOfAnIndependentEvaluation) {
  const toml::table errors = toml::parse_file(std::string(HYSEQ_GOLDEN_DIR) + "/float_errors/float_errors.toml");
  for_each_instruction_set([&](const std::string& set) {
    for (const std::string& name : golden_models()) {
      const Golden golden(name);
      const ForwardResult result = run(golden, NumberFormat::float32);
      const auto logits_error = errors[name]["logits"].value<double>();
      const auto loss_error = errors[name]["loss"].value<double>();
      ASSERT_TRUE(logits_error && loss_error) << name;
      EXPECT_LE(largest_difference(result.logits.values, golden.logits.values), 8 * *logits_error)
          << set << " " << name;
      EXPECT_LE(std::abs(result.loss.loss - golden.loss), 8 * *loss_error) << set << " " << name;
    }
  });
}

}  // namespace
}  // namespace hyseq::kernels::dense
