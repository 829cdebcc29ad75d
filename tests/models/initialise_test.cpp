#include "models/initialise.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "models/lowering.hpp"

namespace hyseq::models {
namespace {

Architecture example(int width, const std::string& layers) {
  Architecture architecture;
  architecture.width = width;
  architecture.vocabulary = 34;
  architecture.layers = parse_layers(layers, TransformerBlock{}, SsmBlock{});
  return architecture;
}

const std::vector<double>& values_of(const kernels::Program& program, const kernels::ParameterValues& values,
                                     const std::string& name) {
  for (std::size_t p = 0; p < program.parameters.size(); ++p) {
    if (program.parameters[p].name == name) return values[p];
  }
  throw std::out_of_range(name);
}

TEST(Initialise, DistributionsAreThoseOfTheSpecification) {
  const kernels::Program program = lower(example(64, "SSM,TF"));
  const kernels::ParameterValues values = initialise(program, 1);
  double sum = 0;
  double squares = 0;
  double fourth = 0;
  double count = 0;
  for (std::size_t p = 0; p < program.parameters.size(); ++p) {
    const auto& info = program.parameters[p];
    ASSERT_EQ(values[p].size(), info.size());
    for (const double value : values[p]) {
      if (info.initialiser == kernels::Initialiser::normal) {
        const double z = value / 0.02;
        sum += z;
        squares += z * z;
        fourth += z * z * z * z;
        ++count;
      }
    }
  }
  ASSERT_GT(count, 50000);
  const double error = 1 / std::sqrt(count);  // of the mean; five of them is beyond chance
  EXPECT_NEAR(sum / count, 0, 5 * error);
  EXPECT_NEAR(squares / count, 1, 5 * std::sqrt(2.0) * error);
  EXPECT_NEAR(fourth / count, 3, 5 * std::sqrt(96.0) * error);

  for (const double bias : values_of(program, values, "layers.0.ssm.dt_proj.bias")) EXPECT_EQ(bias, 0);
  for (const double bias : values_of(program, values, "layers.1.tf.qkv.bias")) EXPECT_EQ(bias, 0);
  for (const double bias : values_of(program, values, "layers.1.tf.norm1.bias")) EXPECT_EQ(bias, 0);
  for (const double weight : values_of(program, values, "layers.1.tf.norm1.weight")) EXPECT_EQ(weight, 1);
  for (const double skip : values_of(program, values, "layers.0.ssm.D")) EXPECT_EQ(skip, 1);
  const auto& rates = values_of(program, values, "layers.0.ssm.A_log");
  for (std::size_t i = 0; i < rates.size(); ++i) EXPECT_EQ(rates[i], std::log(static_cast<double>(i % 16 + 1)));
}

TEST(Initialise, ConvolutionsAreUniformWithinOneOverTheRootOfTheirWidth) {
  const kernels::Program program = lower(example(64, "SSM"));
  const kernels::ParameterValues values = initialise(program, 1);
  for (const char* name : {"layers.0.ssm.conv.weight", "layers.0.ssm.conv.bias"}) {
    double largest = 0;
    double squares = 0;
    const auto& all = values_of(program, values, name);
    for (const double value : all) {
      largest = std::max(largest, std::abs(value));
      squares += value * value;
    }
    EXPECT_LE(largest, 0.5) << name;
    EXPECT_GT(largest, 0.45) << name;
    EXPECT_NEAR(squares / static_cast<double>(all.size()), 0.25 / 3, 0.025) << name;
  }
}

TEST(Initialise, TheScaleIsThatOfTheMatricesAlone) {
  const kernels::Program program = lower(example(8, "SSM,TF"));
  const kernels::ParameterValues plain = initialise(program, 1);
  const kernels::ParameterValues scaled = initialise(program, 1, {0.04, false});
  for (std::size_t p = 0; p < program.parameters.size(); ++p) {
    const double factor = program.parameters[p].initialiser == kernels::Initialiser::normal ? 2 : 1;
    for (std::size_t i = 0; i < plain[p].size(); ++i) EXPECT_DOUBLE_EQ(scaled[p][i], factor * plain[p][i]);
  }
}

TEST(Initialise, RandomStepsAreLogUniform) {
  const kernels::Program program = lower(example(64, "SSM,TF,SSM"));
  const kernels::ParameterValues plain = initialise(program, 1);
  const kernels::ParameterValues random = initialise(program, 1, {0.02, true});
  std::size_t changed = 0;
  for (std::size_t p = 0; p < program.parameters.size(); ++p) {
    if (!program.parameters[p].name.ends_with("ssm.dt_proj.bias")) {
      EXPECT_EQ(random[p], plain[p]) << program.parameters[p].name;
      continue;
    }
    ++changed;
    double sum = 0;
    for (const double bias : random[p]) {
      const double step = std::log1p(std::exp(bias));  // softplus
      EXPECT_GE(step, 0.001 * (1 - 1e-9));
      EXPECT_LE(step, 0.1 * (1 + 1e-9));
      sum += std::log10(step);
    }
    // log10 is uniform on -3 .. -1.
    EXPECT_NEAR(sum / static_cast<double>(random[p].size()), -2, 5 * std::sqrt(1.0 / 3 / 128));
  }
  EXPECT_EQ(changed, 2U);
}

TEST(Initialise, AValueDependsOnSeedNameAndElementAlone) {
  const kernels::Program narrow = lower(example(8, "SSM,TF"));
  const kernels::Program longer = lower(example(8, "SSM,TF,TF"));
  const auto first = initialise(narrow, 7);
  EXPECT_EQ(first, initialise(narrow, 7));
  const auto more = initialise(longer, 7);
  EXPECT_EQ(values_of(narrow, first, "layers.1.tf.qkv.weight"), values_of(longer, more, "layers.1.tf.qkv.weight"));
  const auto other = initialise(narrow, 8);
  EXPECT_NE(values_of(narrow, first, "embedding"), values_of(narrow, other, "embedding"));
  EXPECT_NE(values_of(longer, more, "layers.1.tf.qkv.weight"), values_of(longer, more, "layers.2.tf.qkv.weight"));
}

}  // namespace
}  // namespace hyseq::models
