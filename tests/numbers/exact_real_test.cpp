// Enclosures of exact real arithmetic against 50-digit arithmetic.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <gtest/gtest.h>

#include "kernels/base/numbers/numbers.hpp"

namespace hyseq::numbers {
namespace {

using Real = Interval<ExactReal>;
using Reference = boost::multiprecision::cpp_bin_float_50;

bool encloses(const Real& x, const Reference& value) {
  return Reference(x.lower) <= value && value <= Reference(x.upper);
}

/// log(1 + x); the series where 50 digits of 1 + x would keep too few of x.
Reference reference_log1p(const Reference& x) {
  if (abs(x) < 1e-8) return x * (1 - x * (Reference(1) / 2 - x * (Reference(1) / 3 - x * (Reference(1) / 4 - x / 5))));
  return log(1 + x);
}
Reference reference_softplus(const Reference& x) {
  return x > 0 ? Reference(x + reference_log1p(exp(Reference(-x)))) : reference_log1p(exp(x));
}
Reference reference_sigmoid(const Reference& x) { return 1 / (1 + exp(Reference(-x))); }
Reference reference_silu(const Reference& x) { return x * reference_sigmoid(x); }

std::vector<double> log_uniform(unsigned seed, int count, double smallest, double largest) {
  std::mt19937_64 words(seed);
  std::uniform_real_distribution<double> exponent(std::log2(smallest), std::log2(largest));
  std::vector<double> points;
  for (int i = 0; i < count; ++i) {
    const double magnitude = std::exp2(exponent(words));
    points.push_back(words() % 2 == 0 ? magnitude : -magnitude);
  }
  return points;
}

std::vector<double> uniform(unsigned seed, int count, double low, double high) {
  std::mt19937_64 words(seed);
  std::uniform_real_distribution<double> drawn(low, high);
  std::vector<double> points;
  for (int i = 0; i < count; ++i) points.push_back(drawn(words));
  return points;
}

/// Checks containment at every point at or above `least`, and a relative width below `tightness`.
template <class Enclosure, class Function>
void expect_enclosed(const std::string& name, Enclosure enclosure, Function function, const std::vector<double>& points,
                     double least, double tightness) {
  for (const double x : points) {
    if (x < least) continue;
    const Real result = enclosure(Real(x));
    const Reference exact = function(Reference(x));
    ASSERT_TRUE(encloses(result, exact)) << name << " at " << x << ": [" << result.lower << ", " << result.upper << "]";
    const double magnitude = std::max(std::abs(result.lower), std::abs(result.upper));
    if (magnitude > 1e-290) {
      ASSERT_LT(width(result), tightness * magnitude) << name << " at " << x;
    }
  }
}

const auto real_exp = [](const Real& x) { return exp(x); };
const auto reference_exp = [](const Reference& x) { return Reference(exp(x)); };

TEST(ExactReal, ExpEnclosesAndIsTight) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double tight = 1e-14;
  expect_enclosed("exp", real_exp, reference_exp, uniform(1, 20000, -745, 709.7), -infinity, tight);
  expect_enclosed("exp", real_exp, reference_exp, uniform(2, 20000, -3, 3), -infinity, tight);
  expect_enclosed("exp", real_exp, reference_exp, log_uniform(3, 5000, 1e-300, 1), -infinity, tight);
}

TEST(ExactReal, ExpAtTheEdges) {
  std::vector<double> edges = {0x1p-1074, -0x1p-1074, -745.13, -745.14, -708.4, -708.3, 709.78, 0x1p-53, -0x1p-54};
  // Where the range reduction changes its integer, and where r is smallest.
  for (int half_turns = -2040; half_turns <= 2040; half_turns += 3) {
    const double x = half_turns * 0.34657359027997264;
    if (x > -745 && x < 709) edges.insert(edges.end(), {next_down(x), x, next_up(x)});
  }
  expect_enclosed("exp", real_exp, reference_exp, edges, -std::numeric_limits<double>::infinity(), 1e-14);
  EXPECT_EQ(exp(Real(0.0)), Real(1.0));
  EXPECT_TRUE(encloses(exp(Real(-800.0)), exp(Reference(-800))));
  EXPECT_TRUE(encloses(exp(Real(-1e9)), Reference(0)));
  EXPECT_EQ(exp(Real(710.5)).upper, std::numeric_limits<double>::infinity());
  EXPECT_TRUE(encloses(Real(exp(Real(709.9)).lower, 0x1.fffffffffffffp1023), Reference(0x1.fffffffffffffp1023)));
}

TEST(ExactReal, TheCheckCatchesAnEnclosureOfHalfTheWidth) {
  // The enclosure of exp shrunk to its upper half must lose some points: this check can fail.
  int lost = 0;
  for (const double x : uniform(4, 2000, -3, 3)) {
    const Real full = exp(Real(x));
    const Real upper_half(0.5 * full.lower + 0.5 * full.upper, full.upper);
    lost += encloses(upper_half, exp(Reference(x))) ? 0 : 1;
  }
  EXPECT_GT(lost, 200);
}

TEST(ExactReal, OtherFunctionsEncloseAndAreTight) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> points = log_uniform(5, 10000, 1e-30, 700);
  for (const double x : uniform(6, 10000, -2, 2)) points.push_back(x);
  for (const double x : {-0.5, next_down(-0.5), 1.0, next_up(1.0), -0.999999999, -1 + 0x1p-53, 0x1p-54, -0x1p-54,
                         0x1p-1060, -0x1p-1073, 0.0})
    points.push_back(x);
  std::vector<double> wide = log_uniform(7, 5000, 1e-290, 1e308);
  wide.push_back(std::numeric_limits<double>::max());
  const auto real_log1p = [](const Real& x) { return log1p(x); };
  const auto real_sqrt = [](const Real& x) { return sqrt(x); };
  const auto reference_sqrt = [](const Reference& x) { return Reference(sqrt(x)); };
  const auto real_softplus = [](const Real& x) { return softplus(x); };
  const auto real_sigmoid = [](const Real& x) { return sigmoid(x); };
  const auto real_silu = [](const Real& x) { return silu(x); };
  expect_enclosed("log1p", real_log1p, reference_log1p, points, -1 + 0x1p-53, 1e-14);
  expect_enclosed("log1p", real_log1p, reference_log1p, wide, 0, 1e-14);
  expect_enclosed("sqrt", real_sqrt, reference_sqrt, points, 0, 1e-15);
  expect_enclosed("sqrt", real_sqrt, reference_sqrt, wide, 0, 1e-15);
  expect_enclosed("softplus", real_softplus, reference_softplus, points, -infinity, 1e-14);
  expect_enclosed("sigmoid", real_sigmoid, reference_sigmoid, points, -infinity, 1e-14);
  expect_enclosed("silu", real_silu, reference_silu, points, -infinity, 1e-14);
  EXPECT_LT(log1p(Real(-1.0)).lower, -1e308);
}

TEST(ExactReal, RationalOperationsEnclose) {
  // Exponents within 2^+-40, so that 50 digits hold the exact sums and products.
  const std::vector<double> left = log_uniform(8, 20000, 1e-12, 1e12);
  const std::vector<double> right = log_uniform(9, 20000, 1e-12, 1e12);
  for (std::size_t i = 0; i < left.size(); ++i) {
    const Real x(left[i]);
    const Real y(right[i]);
    const Reference a(left[i]);
    const Reference b(right[i]);
    ASSERT_TRUE(encloses(x + y, a + b));
    ASSERT_TRUE(encloses(x - y, a - b));
    ASSERT_TRUE(encloses(x * y, a * b));
    ASSERT_TRUE(encloses(x / y, a / b));
    ASSERT_LE(width(x * y), 0x1p-50 * std::abs(left[i] * right[i]));
  }
}

TEST(ExactReal, UnderflowKeepsTheKnownSign) {
  const Real small(1e-200);
  EXPECT_EQ(small * small, Real(0.0, 0x1p-1074));
  EXPECT_EQ(small * -small, Real(-0x1p-1074, 0.0));
  EXPECT_EQ(small / Real(1e200), Real(0.0, 0x1p-1074));
}

TEST(ExactReal, SiluOverItsMinimum) {
  for (const auto& [low, high] : {std::pair{-1.5, -1.0}, {-3.0, 2.0}, {-1.2784645427610739, -1.2784645427610737}}) {
    const Real range = silu(Real(low, high));
    for (int i = 0; i <= 1000; ++i) {
      const Reference x = Reference(low) + (Reference(high) - Reference(low)) * i / 1000;
      ASSERT_TRUE(encloses(range, reference_silu(x))) << low << " " << high << " " << i;
    }
    // The minimum itself, -W(1/e), to 40 digits.
    ASSERT_TRUE(encloses(range, -Reference("0.2784645427610737951093587390229801554394")));
    ASSERT_LT(-0.2784645427610739 - range.lower, 1e-15);
  }
}

}  // namespace
}  // namespace hyseq::numbers
