#include "kernels/base/numbers/functions.hpp"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/base/numbers/numbers.hpp"

namespace hyseq::numbers {
namespace {

template <class T>
class RealFunctions : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(RealFunctions, Reals);

TYPED_TEST(RealFunctions, ExpOfZeroIsOne) {
  EXPECT_EQ(numbers::exp(TypeParam(0)), TypeParam(1));
  EXPECT_EQ(numbers::exp(-TypeParam(0)), TypeParam(1));
}

TYPED_TEST(RealFunctions, ExpAgreesWithTheLibraryDownToTheThresholdAndIsZeroBelow) {
  const auto threshold = static_cast<TypeParam>(underflow_threshold<TypeParam>());
  for (TypeParam x = threshold - TypeParam(3); x < threshold + TypeParam(3); x += TypeParam(0.0078125)) {
    ASSERT_EQ(numbers::exp(x), std::exp(x)) << x;
    if (x < threshold) {
      ASSERT_EQ(numbers::exp(x), TypeParam(0)) << x;
    }
    ASSERT_FALSE(std::signbit(numbers::exp(x)));
  }
  EXPECT_GT(numbers::exp(threshold + TypeParam(1)), TypeParam(0)) << "the threshold is needlessly high";
  for (const TypeParam x : {TypeParam(-1e4), TypeParam(-1e30), -std::numeric_limits<TypeParam>::infinity()}) {
    EXPECT_EQ(numbers::exp(x), TypeParam(0));
    EXPECT_FALSE(std::signbit(numbers::exp(x)));
  }
  EXPECT_TRUE(std::isnan(numbers::exp(std::numeric_limits<TypeParam>::quiet_NaN())));
}

TYPED_TEST(RealFunctions, SoftplusNeitherOverflowsNorCutsOff) {
  EXPECT_EQ(numbers::softplus(TypeParam(1000)), TypeParam(1000));
  EXPECT_EQ(numbers::softplus(TypeParam(1e30)), TypeParam(1e30));
  EXPECT_EQ(numbers::softplus(TypeParam(-1000)), TypeParam(0));
  // A cut-off at 20, as other tools have, would give 12 here for a cut-off at 10 and 0 at -30.
  EXPECT_NEAR(static_cast<double>(numbers::softplus(TypeParam(12))), 12 + std::log1p(std::exp(-12.0)), 1e-6);
  EXPECT_NEAR(static_cast<double>(numbers::softplus(TypeParam(-30))) / std::exp(-30.0), 1.0, 1e-6);
}

TYPED_TEST(RealFunctions, SigmoidAndSiluAtTheirLimits) {
  EXPECT_EQ(numbers::sigmoid(TypeParam(0)), TypeParam(0.5));
  EXPECT_EQ(numbers::sigmoid(TypeParam(1000)), TypeParam(1));
  EXPECT_EQ(numbers::sigmoid(TypeParam(-1000)), TypeParam(0));
  EXPECT_EQ(numbers::silu(TypeParam(0)), TypeParam(0));
  EXPECT_EQ(numbers::silu(TypeParam(1000)), TypeParam(1000));
  EXPECT_EQ(numbers::silu(TypeParam(-1000)), TypeParam(0));
  EXPECT_EQ(numbers::gelu(TypeParam(0)), TypeParam(0));
  EXPECT_EQ(numbers::gelu(TypeParam(50)), TypeParam(50));
  EXPECT_EQ(numbers::gelu(TypeParam(-50)), TypeParam(0));
}

TEST(RealFunctions, ValuesOfGeluFromTheNormalDistribution) {
  // x Phi(x) with Phi(1) = 0.841344746068542949 and Phi(-2) = 0.0227501319481792072.
  EXPECT_NEAR(numbers::gelu(1.0), 0.841344746068542949, 1e-15);
  EXPECT_NEAR(numbers::gelu(-2.0), -2 * 0.0227501319481792072, 1e-15);
}

TEST(ComplexFunctions, ExpIsExactAtZeroAndBelowTheThreshold) {
  EXPECT_EQ(numbers::exp(Complex(0, 0)), Complex(1, 0));
  EXPECT_EQ(numbers::exp(Complex(-746.5, 1)), Complex(0, 0));
}

constexpr double step = 1e-40;

/// Checks value and complex-step derivative of `function` against `derivative` at x, to some 20 and 100 unit roundoffs
/// of their magnitude or of `floor`, where that is larger.
template <class Function, class Derivative>
void expect_derivative(const char* name, Function function, Derivative derivative, const std::vector<double>& points,
                       double floor = 1e-3) {
  for (const double x : points) {
    const Complex result = function(Complex(x, step));
    const double value = function(x);
    EXPECT_NEAR(result.real(), value, 2e-15 * std::max(floor, std::abs(value))) << name << " at " << x;
    const double expected = derivative(x);
    EXPECT_NEAR(result.imag() / step, expected, 1e-14 * std::max(floor, std::abs(expected))) << name << "' at " << x;
  }
}

TEST(ComplexFunctions, ComplexStepGivesTheDerivative) {
  const std::vector<double> everywhere = {-40, -7.5, -3, -1.3, -0.9, -0.4, -1e-3, 1e-9, 0.02, 0.7, 1.1, 4, 8.6, 40};
  const std::vector<double> positive = {1e-9, 0.02, 0.7, 1.1, 4, 8.6, 1e10};
  const std::vector<double> above_minus_one = {-0.999, -0.7, -0.5, -0.3, -1e-9, 1e-12, 0.1, 3, 1e10};
  const auto s = [](double x) { return 1 / (1 + std::exp(-x)); };
  const auto density = [](double x) { return std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi); };
  expect_derivative(
      "exp", [](auto x) { return numbers::exp(x); }, [](double x) { return std::exp(x); }, everywhere);
  expect_derivative(
      "log1p", [](auto x) { return numbers::log1p(x); }, [](double x) { return 1 / (1 + x); }, above_minus_one);
  expect_derivative(
      "sqrt", [](auto x) { return numbers::sqrt(x); }, [](double x) { return 0.5 / std::sqrt(x); }, positive);
  expect_derivative(
      "reciprocal", [](auto x) { return numbers::reciprocal(x); }, [](double x) { return -1 / (x * x); }, positive);
  expect_derivative(
      "square", [](auto x) { return numbers::square(x); }, [](double x) { return 2 * x; }, everywhere);
  expect_derivative(
      "softplus", [](auto x) { return numbers::softplus(x); }, s, everywhere);
  expect_derivative(
      "sigmoid", [](auto x) { return numbers::sigmoid(x); }, [s](double x) { return s(x) * s(-x); }, everywhere);
  expect_derivative(
      "silu", [](auto x) { return numbers::silu(x); }, [s](double x) { return s(x) * (1 + x * s(-x)); }, everywhere,
      0.1);  // 1 + x sigmoid(-x) cancels near the minimum
  expect_derivative(
      "gelu", [](auto x) { return numbers::gelu(x); },
      [density](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)) + x * density(x); }, everywhere,
      1.0);  // 1 + erf cancels for negative x: only the absolute error is small
}

// What generic code asks of the traits.
static_assert(std::same_as<Numeric<double>::Accumulator, double>);
static_assert(std::same_as<Numeric<float>::Accumulator, float>);
static_assert(std::same_as<Numeric<BFloat16>::Accumulator, float>);
static_assert(std::same_as<Numeric<Half>::Accumulator, float>);
static_assert(std::same_as<Numeric<Complex>::Accumulator, Complex>);
static_assert(std::same_as<Numeric<Interval<Half>>::Accumulator, Interval<float>>);
static_assert(std::same_as<Numeric<Interval<double>>::Accumulator, Interval<double>>);
static_assert(std::same_as<Numeric<Interval<ExactReal>>::Accumulator, Interval<ExactReal>>);
static_assert(Numeric<Half>::ordered && !Numeric<Complex>::ordered && !Numeric<Interval<float>>::ordered);
static_assert(Numeric<Interval<BFloat16>>::format == NumberFormat::bfloat16);
static_assert(sizeof(BFloat16) == 2 && sizeof(Half) == 2);
static_assert(underflow_threshold<Interval<float>>() == underflow_threshold<float>());
static_assert(underflow_threshold<Interval<ExactReal>>() == -std::numeric_limits<double>::infinity());

}  // namespace
}  // namespace hyseq::numbers
