// Every golden model file against the engine, in every number format.
#include "tests/models/golden.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>
#include <toml++/toml.h>

namespace hyseq::models {
namespace {

TEST(Golden, FilesAreThere) { EXPECT_EQ(golden_models().size(), 15U); }

TEST(Golden, DoubleAgreesWithAnIndependentImplementation) {
  for (const std::string& name : golden_models()) {
    const Golden golden(name);
    const auto result = kernels::reference_engine().forward(golden.request(NumberFormat::float64));
    EXPECT_EQ(result.logits.shape, golden.logits.shape) << name;
    EXPECT_LT(largest_difference(result.logits.values, golden.logits.values), 1e-11) << name;
    EXPECT_NEAR(result.loss.loss, golden.loss, 1e-11) << name;
    EXPECT_EQ(result.loss.valid, Hdf5Reader(golden_path(name)).integer_attribute("valid_positions")) << name;
  }
}

TEST(Golden, ParameterCountsAgreeWithTheFiles) {
  for (const std::string& name : golden_models()) {
    const Golden golden(name);
    EXPECT_EQ(static_cast<std::int64_t>(golden.program.parameter_count()),
              Hdf5Reader(golden_path(name)).integer_attribute("parameters"))
        << name;
  }
}

// To first order rounding errors grow with the unit roundoff, so the independent float error, scaled, bounds the
// 16-bit formats as well: they accumulate in float and round only the results.
TEST(Golden, ErrorsStayWithinEightTimesThoseOfAnIndependentFloatEvaluation) {
  const toml::table errors = toml::parse_file(std::string(HYSEQ_GOLDEN_DIR) + "/float_errors/float_errors.toml");
  for (const std::string& name : golden_models()) {
    const Golden golden(name);
    const auto logits_error = errors[name]["logits"].value<double>();
    const auto loss_error = errors[name]["loss"].value<double>();
    ASSERT_TRUE(logits_error && loss_error) << name;
    for (const NumberFormat format : {NumberFormat::float32, NumberFormat::bfloat16, NumberFormat::float16}) {
      const double scale = 8 * unit_roundoff(format) / unit_roundoff(NumberFormat::float32);
      const auto result = kernels::reference_engine().forward(golden.request(format));
      EXPECT_LE(largest_difference(result.logits.values, golden.logits.values), scale * *logits_error)
          << name << " " << hyseq::name(format);
      EXPECT_LE(std::abs(result.loss.loss - golden.loss), scale * *loss_error) << name << " " << hyseq::name(format);
    }
  }
}

template <class Base>
void expect_enclosed(const Golden& golden, NumberFormat format, std::vector<double>& widths) {
  using Interval = numbers::Interval<Base>;
  kernels::ReferenceSession<Interval> session(golden.program, golden.model.parameters, golden.length());
  auto carry = session.fresh(golden.batch());
  session.forward({golden.model.input.values, golden.batch(), golden.length()}, carry);
  const auto point = kernels::reference_engine().forward(golden.request(format));
  const auto enclosures = session.logits();
  ASSERT_EQ(enclosures.size(), point.logits.values.size());
  std::size_t outside = 0;
  for (std::size_t i = 0; i < enclosures.size(); ++i) {
    if (!numbers::contains(enclosures[i], point.logits.values[i])) ++outside;
    widths.push_back(numbers::width(enclosures[i]));
  }
  EXPECT_EQ(outside, 0U) << golden.name << " " << name(format);
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

TEST(Golden, IntervalsEncloseTheLogitsOfTheirFormat) {
  std::vector<double> double_widths;
  std::vector<double> float_widths;
  for (const std::string& name : golden_models()) {
    const Golden golden(name);
    expect_enclosed<double>(golden, NumberFormat::float64, double_widths);
    expect_enclosed<float>(golden, NumberFormat::float32, float_widths);
  }
  // Not by being the whole line: half of them are narrow.
  EXPECT_LT(median(double_widths), 1e-6);
  EXPECT_LT(median(float_widths), 1);
}

TEST(Golden, ExactRealEnclosuresContainTheDoubleLogits) {
  // The golden values are within 1e-11 of the real ones, and so the enclosure of the real value is near them.
  const Golden golden("model_SSM-TF_d8_w7_h1.h5");
  using Interval = numbers::Interval<numbers::ExactReal>;
  kernels::ReferenceSession<Interval> session(golden.program, golden.model.parameters, golden.length());
  auto carry = session.fresh(golden.batch());
  session.forward({golden.model.input.values, golden.batch(), golden.length()}, carry);
  const auto enclosures = session.logits();
  for (std::size_t i = 0; i < enclosures.size(); ++i) {
    ASSERT_LE(enclosures[i].lower - 1e-11, golden.logits.values[i]);
    ASSERT_GE(enclosures[i].upper + 1e-11, golden.logits.values[i]);
  }
}

}  // namespace
}  // namespace hyseq::models
