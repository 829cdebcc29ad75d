// What a trace records agrees with what the model carries and computes.
#include <cmath>

#include <gtest/gtest.h>

#include "tests/models/golden.hpp"

namespace hyseq::models {
namespace {

using Shape = std::vector<std::size_t>;

TEST(Trace, HoldsStepsStatesAndProbabilities) {
  const Golden golden("model_SSM-TF_d8_w7_h1.h5");
  kernels::ForwardRequest request = golden.request(NumberFormat::float64);
  request.trace = true;
  request.carry_out = true;
  const auto result = kernels::reference_engine().forward(request);
  ASSERT_EQ(result.trace.size(), 3U);
  const Array<double>& steps = result.trace.at("layers.0.ssm.steps");
  const Array<double>& states = result.trace.at("layers.0.ssm.states");
  const Array<double>& probabilities = result.trace.at("layers.1.tf.probabilities");
  EXPECT_EQ(steps.shape, (Shape{3, 24, 16}));
  EXPECT_EQ(states.shape, (Shape{3, 24, 16, 16}));
  EXPECT_EQ(probabilities.shape, (Shape{3, 24, 1, 7}));
  ASSERT_EQ(steps.values.size(), 3U * 24 * 16);
  ASSERT_EQ(states.values.size(), 3U * 24 * 16 * 16);
  ASSERT_EQ(probabilities.values.size(), 3U * 24 * 7);
  for (const double step : steps.values) EXPECT_GT(step, 0);  // a softplus

  // The state at the last position of every row is the one carried out.
  const std::vector<double>& carried = result.carry.arrays.at("layers.0.ssm.state").values;
  for (std::size_t b = 0; b < 3; ++b) {
    for (std::size_t i = 0; i < 256; ++i) {
      ASSERT_TRUE(same_bits(states.values[(b * 24 + 23) * 256 + i], carried[b * 256 + i]));
    }
  }
  // Rows of probabilities sum to one, and the first position attends to itself alone.
  for (std::size_t row = 0; row < std::size_t{3} * 24; ++row) {
    double sum = 0;
    for (std::size_t distance = 0; distance < 7; ++distance) sum += probabilities.values[row * 7 + distance];
    EXPECT_NEAR(sum, 1, 1e-14);
  }
  EXPECT_EQ(probabilities.values[0], 1);
}

TEST(Trace, RowsOfABatchDoNotMix) {
  const Golden golden("model_SSM-SSM_d24_N1.h5");
  kernels::ForwardRequest request = golden.request(NumberFormat::float64);
  request.trace = true;
  const auto whole = kernels::reference_engine().forward(request);
  const std::vector<std::int32_t> doubled = [&] {
    std::vector<std::int32_t> tokens = golden.model.input.values;
    tokens.insert(tokens.end(), golden.model.input.values.begin(), golden.model.input.values.end());
    return tokens;
  }();
  request.tokens = doubled;
  request.targets = {};
  request.batch *= 2;
  const auto twice = kernels::reference_engine().forward(request);
  for (const auto& [name, array] : whole.trace) {
    std::vector<double> expected = array.values;
    expected.insert(expected.end(), array.values.begin(), array.values.end());
    EXPECT_EQ(first_difference(twice.trace.at(name).values, expected), -1) << name;
  }
}

TEST(Trace, DoesNotChangeTheResult) {
  for (const std::string& name : golden_models()) {
    const Golden golden(name);
    kernels::ForwardRequest request = golden.request(NumberFormat::bfloat16);
    const auto plain = kernels::reference_engine().forward(request);
    request.trace = true;
    const auto traced = kernels::reference_engine().forward(request);
    EXPECT_EQ(first_difference(plain.logits.values, traced.logits.values), -1) << name;
    EXPECT_TRUE(plain.trace.empty());
  }
}

}  // namespace
}  // namespace hyseq::models
