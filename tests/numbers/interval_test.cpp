#include "kernels/base/numbers/interval.hpp"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>

#include <gtest/gtest.h>

#include "kernels/base/numbers/numbers.hpp"
#include "tests/numbers/containment.hpp"

namespace hyseq::numbers {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

template <class T>
class IntervalOf : public testing::Test {};
using Formats = testing::Types<double, float, BFloat16, Half>;
TYPED_TEST_SUITE(IntervalOf, Formats);

constexpr int trials = 5000;

/// No result may escape, and at least `share` of the trials must say something.
template <class Scalar, std::size_t Arity, class Operation>
void expect_enclosed(const char* name, double scale, double span, double least, double share, Operation operation) {
  const Sampler<Scalar> sampler(7, scale, span, least);
  const Escapes escapes = search_escapes<Scalar, Arity>(sampler, trials, operation, operation);
  EXPECT_EQ(escapes.count, 0) << name << ", scale " << scale << ": " << escapes.first;
  EXPECT_GE(escapes.bounded, share * trials) << name << ", scale " << scale;
}

TYPED_TEST(IntervalOf, EnclosesTheFourOperations) {
  const NumberFormat format = Numeric<TypeParam>::format;
  const double largest = largest_finite(format);
  const double least = smallest_subnormal(format);
  for (const double scale : {4.0, largest, std::sqrt(largest), least * 512, std::sqrt(least)}) {
    for (const double span : {2.0, 20.0}) {
      // Overflow makes whole lines of many sums and products of the largest numbers; elsewhere there are none.
      const double share = scale == largest ? 0.3 : 1;
      expect_enclosed<TypeParam, 2>("sum", scale, span, -infinity, share, [](auto x, auto y) { return x + y; });
      expect_enclosed<TypeParam, 2>("difference", scale, span, -infinity, share, [](auto x, auto y) { return x - y; });
      expect_enclosed<TypeParam, 2>("product", scale, span, -infinity, share, [](auto x, auto y) { return x * y; });
      expect_enclosed<TypeParam, 2>("quotient", scale, span, -infinity, 0.3, [](auto x, auto y) { return x / y; });
      expect_enclosed<TypeParam, 1>("square", scale, span, -infinity, 1, [](auto x) { return numbers::square(x); });
      expect_enclosed<TypeParam, 1>("reciprocal", scale, span, -infinity, 0.3,
                                    [](auto x) { return numbers::reciprocal(x); });
      expect_enclosed<TypeParam, 1>("square root", scale, span, 0, 1, [](auto x) { return numbers::sqrt(x); });
    }
  }
}

TYPED_TEST(IntervalOf, EnclosesTheFunctions) {
  for (const double scale : {1e-4, 1.0, 3.0, 20.0, 104.0, 746.0}) {
    const double span = 10;
    expect_enclosed<TypeParam, 1>("exp", scale, span, -infinity, 1, [](auto x) { return numbers::exp(x); });
    expect_enclosed<TypeParam, 1>("log1p", scale, span, -1, 0.9, [](auto x) { return numbers::log1p(x); });
    expect_enclosed<TypeParam, 1>("softplus", scale, span, -infinity, 1, [](auto x) { return numbers::softplus(x); });
    expect_enclosed<TypeParam, 1>("sigmoid", scale, span, -infinity, 1, [](auto x) { return numbers::sigmoid(x); });
    expect_enclosed<TypeParam, 1>("silu", scale, span, -infinity, 1, [](auto x) { return numbers::silu(x); });
  }
}

TYPED_TEST(IntervalOf, EnclosesALongFormula) {
  // One step of a gated recurrence: its operands mix signs, its intervals are results of intervals.
  expect_enclosed<TypeParam, 3>("recurrence", 4, 6, -infinity, 1, [](auto state, auto input, auto gate) {
    return numbers::exp(-numbers::softplus(gate)) * state + numbers::silu(input) * (gate - state);
  });
}

TYPED_TEST(IntervalOf, TooNarrowEnclosuresAreCaught) {
  using Accumulator = typename Numeric<Interval<TypeParam>>::Accumulator;
  const Sampler<TypeParam> sampler(7, 4, 2, -infinity);
  const auto product = [](auto x, auto y) { return x * y; };
  // The upper end of a product taken from the upper ends alone, right for positive operands only.
  const auto upper_ends = [](const Accumulator& x, const Accumulator& y) {
    const double corner = x.upper * y.upper;
    return Accumulator((x * y).lower, std::max(corner, (x * y).lower));
  };
  EXPECT_GT((search_escapes<TypeParam, 2>(sampler, trials, product, upper_ends).count), 0);
  // One number of the format missing at the upper end.
  const auto one_short = [](const Accumulator& x, const Accumulator& y) {
    const Accumulator full = x * y;
    const double spacing = 2 * unit_roundoff(Numeric<TypeParam>::format) * std::abs(full.upper);
    return is_point(full) ? full : Accumulator(full.lower, std::max(full.lower, full.upper - spacing));
  };
  EXPECT_GT((search_escapes<TypeParam, 2>(sampler, trials, product, one_short).count), 0);
}

/// Points whose sum, product and quotient are those of the format: no width arises.
TYPED_TEST(IntervalOf, PointsStayPointsUnderRationalOperations) {
  using Number = Numeric<TypeParam>;
  using Set = Numeric<Interval<TypeParam>>;
  for (const double a : {-3.7, -1.0, 0.0, 0.1, 1.0, 2.5}) {
    for (const double b : {-1.3, 0.7, 1.0, 6.0}) {
      const auto x = Set::widen(Set::from_double(a));
      const auto y = Set::widen(Set::from_double(b));
      const auto p = Number::widen(Number::from_double(a));
      const auto q = Number::widen(Number::from_double(b));
      EXPECT_EQ(Set::round(x + y), Interval<TypeParam>(Number::to_double(Number::round(p + q))));
      EXPECT_EQ(Set::round(x - y), Interval<TypeParam>(Number::to_double(Number::round(p - q))));
      EXPECT_EQ(Set::round(x * y), Interval<TypeParam>(Number::to_double(Number::round(p * q))));
      EXPECT_EQ(Set::round(x / y), Interval<TypeParam>(Number::to_double(Number::round(p / q))));
    }
  }
}

template <class T>
class AccumulatorInterval : public testing::Test {};
using Accumulators = testing::Types<double, float, ExactReal>;
TYPED_TEST_SUITE(AccumulatorInterval, Accumulators);

TYPED_TEST(AccumulatorInterval, ZeroAndOneStayExact) {
  using Set = Interval<TypeParam>;
  const Set zero(0.0);
  const Set one(1.0);
  const Set x(-0.75, 3.25);
  EXPECT_EQ(zero * x, zero);
  EXPECT_EQ(x * zero, zero);
  EXPECT_EQ(one * x, x);
  EXPECT_EQ(x * one, x);
  EXPECT_EQ(x / one, x);
  EXPECT_EQ(x + zero, x);
  EXPECT_EQ(zero / Set(2.0, 3.0), zero);
  EXPECT_EQ(exp(zero), one);
  EXPECT_EQ(log1p(zero), zero);
  EXPECT_EQ(sqrt(zero), zero);
  EXPECT_EQ(sqrt(one), one);
  EXPECT_EQ(exp(Set(-2.0, 0.0)).upper, 1.0) << "a decay never exceeds 1";
  EXPECT_GE(exp(Set(-2000.0)).lower, 0.0);
  EXPECT_EQ(square(Set(-2.0, 1.0)).lower, 0.0);
  EXPECT_GE(square(Set(-2.0, 1.0)).upper, 4.0);
}

TYPED_TEST(AccumulatorInterval, WhatIsUnknownIsTheWholeLine) {
  using Set = Interval<TypeParam>;
  const Set whole = Set::whole();
  EXPECT_EQ(Set(1.0) / Set(-1.0, 1.0), whole);
  EXPECT_EQ(Set(1.0) / Set(0.0), whole);
  EXPECT_EQ(reciprocal(Set(0.0, 2.0)), whole);
  EXPECT_EQ(sqrt(Set(-0.5, 4.0)), whole);
  EXPECT_EQ(log1p(Set(-1.5, 4.0)), whole);
  EXPECT_EQ(Set(nan, 1.0), whole);
  EXPECT_EQ(Set(1.0, nan), whole);
  EXPECT_EQ(Set(nan), whole);
  EXPECT_EQ(Set(2.0, 1.0), whole);
  EXPECT_EQ(whole + Set(1.0), whole);
  EXPECT_EQ(whole - whole, whole);
  EXPECT_TRUE(contains(whole, nan));
  EXPECT_FALSE(contains(Set(0.0, 1.0), nan));
}

TYPED_TEST(AccumulatorInterval, OverflowGivesInfiniteEndpointsAndNoNaN) {
  using Set = Interval<TypeParam>;
  const double largest =
      std::same_as<TypeParam, float> ? largest_finite(NumberFormat::float32) : largest_finite(NumberFormat::float64);
  const Set large(largest / 2, largest);
  EXPECT_EQ((large + large).upper, infinity);
  EXPECT_EQ((large * large).upper, infinity);
  EXPECT_EQ(exp(Set(0.0, 1e4)).upper, infinity);
  EXPECT_LE(exp(Set(0.0, 1e4)).lower, 1.0);
  for (const Set& x : {large + large, large * large, Set(0.0, infinity), Set(-infinity, 0.0), Set::whole()}) {
    for (const Set& y : {large + large, Set(0.0), Set(-1.0, 0.0), Set(1.0, infinity), Set(-infinity, -1.0)}) {
      for (const Set& result : {x + y, x - y, x * y, x / y, exp(x), log1p(x), sqrt(x), softplus(x), sigmoid(x), silu(x),
                                square(x), reciprocal(x)}) {
        EXPECT_LE(result.lower, result.upper);
      }
    }
  }
}

TEST(IntervalOfFormat, ZeroTimesInfinityIsUnknownInAFormatButNotInExactArithmetic) {
  EXPECT_EQ(Interval<float>(0.0) * Interval<float>(1.0, infinity), Interval<float>::whole());
  EXPECT_EQ(Interval<double>(0.0) * Interval<double>(1.0, infinity), Interval<double>::whole());
  EXPECT_EQ(Interval<ExactReal>(0.0) * Interval<ExactReal>(1.0, infinity), Interval<ExactReal>(0.0));
}

TEST(IntervalOfFormat, VanishedDecaysAreExact) {
  EXPECT_EQ(exp(Interval<float>(-1e30, -104.5)), Interval<float>(0.0));
  EXPECT_EQ(exp(Interval<double>(-1e30, -746.5)), Interval<double>(0.0));
  EXPECT_EQ(softplus(Interval<float>(-1e30, -104.5)), Interval<float>(0.0));
  EXPECT_EQ(softplus(Interval<float>(105.0, 200.0)), Interval<float>(105.0, 200.0));
  EXPECT_EQ(silu(Interval<float>(-1e30, -90.0)), Interval<float>(0.0));
  EXPECT_GT(exp(Interval<ExactReal>(-800.0)).upper, 0.0) << "never 0 in exact arithmetic";
}

TEST(IntervalOfFormat, FunctionsOfPointsAreNarrow) {
  for (double x = -20; x < 20; x += 0.37) {
    const auto relative = [](const auto& enclosure) {
      return width(enclosure) / std::max(std::abs(enclosure.lower), std::abs(enclosure.upper));
    };
    EXPECT_LT(relative(exp(Interval<float>(x))), 4e-7) << x;
    EXPECT_LT(relative(softplus(Interval<float>(x))), 3e-6) << x;
    EXPECT_LT(relative(sigmoid(Interval<float>(x))), 1e-6) << x;
    EXPECT_LT(relative(silu(Interval<float>(x))), 3e-6) << x;
    EXPECT_LT(relative(exp(Interval<double>(x))), 4e-15) << x;
    EXPECT_LT(relative(silu(Interval<double>(x))), 2e-14) << x;
  }
  // Not the sum of the widths of x and of the logistic factor: the functions are followed along their monotone pieces.
  EXPECT_GT(silu(Interval<double>(-1.0, 1.0)).lower, -0.2690);
  EXPECT_GT(silu(Interval<double>(-5.0, 1.0)).lower, -0.27847);
  EXPECT_LT(width(softplus(Interval<double>(1.0, 2.0))), 0.82);
}

TEST(IntervalOfFormat, ConstantsAreRoundedOnceAndEnclosuresByTheirEnds) {
  EXPECT_EQ(Interval<float>(0.1).lower, static_cast<double>(0.1F));
  EXPECT_EQ(Interval<Half>(0.1), Interval<Half>::point(Numeric<Half>::to_double(Numeric<Half>::from_double(0.1))));
  EXPECT_EQ(Interval<ExactReal>(0.1).lower, 0.1);
  const auto rounded = Numeric<Interval<BFloat16>>::round(Interval<float>(1.001, 1.012));
  EXPECT_EQ(rounded, Interval<BFloat16>(1.0, 1.0 + 0x1p-6));
  EXPECT_EQ(Numeric<Interval<Half>>::round(Interval<float>(1e5)).lower, infinity);
}

TEST(IntervalOfFormat, SetOperations) {
  using Set = Interval<double>;
  EXPECT_EQ(hull(Set(0.0, 1.0), Set(3.0, 4.0)), Set(0.0, 4.0));
  EXPECT_TRUE(contains(Set(0.0, 1.0), 1.0));
  EXPECT_FALSE(contains(Set(0.0, 1.0), next_up(1.0)));
  EXPECT_TRUE(contains(Set(0.0, 1.0), Set(0.25, 1.0)));
  EXPECT_FALSE(contains(Set(0.0, 1.0), Set(0.25, 1.5)));
  EXPECT_EQ(width(Set(2.0)), 0.0);
  EXPECT_GE(width(Set(1.0, 4.0)), 3.0);
  EXPECT_TRUE(is_point(Set()));
  EXPECT_EQ(Numeric<Set>::to_double(Set(1.0, 4.0)), 2.5);
  EXPECT_EQ(Numeric<Set>::to_double(Set::whole()), 0.0);
  EXPECT_EQ(-Set(1.0, 4.0), Set(-4.0, -1.0));
}

TEST(NextNumber, StepsThroughZeroAndTheEnds) {
  for (const double x : {0.0, -0.0, 1.0, -1.0, 5e-324, -5e-324, 1e308, 0x1.fffffffffffffp1023, infinity, 0.3}) {
    EXPECT_EQ(next_up(x), std::nextafter(x, infinity)) << x;
    EXPECT_EQ(next_down(x), x == infinity ? next_down(infinity) : std::nextafter(x, -infinity)) << x;
  }
  EXPECT_EQ(next_down(infinity), std::numeric_limits<double>::max());
  EXPECT_EQ(next_up(-infinity), -std::numeric_limits<double>::max());
  EXPECT_EQ(next_up(1.0F), std::nextafter(1.0F, 2.0F));
  EXPECT_TRUE(std::isnan(next_up(nan)));
}

}  // namespace
}  // namespace hyseq::numbers
