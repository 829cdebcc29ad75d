#include "kernels/base/numbers/sixteen_bit.hpp"

#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "kernels/base/numbers/numeric.hpp"

namespace hyseq::numbers {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class T>
class SixteenBit : public testing::Test {};
using Formats = testing::Types<BFloat16, Half>;
TYPED_TEST_SUITE(SixteenBit, Formats);

template <class T>
T pattern(std::uint32_t bits) {
  return T::from_bits(static_cast<std::uint16_t>(bits));
}

template <class T>
double value(std::uint32_t bits) {
  return Numeric<T>::to_double(pattern<T>(bits));
}

/// The pattern of plus infinity; those below it are the finite numbers from 0 up, in order.
template <class T>
constexpr std::uint32_t infinity_bits = std::same_as<T, Half> ? 0x7C00 : 0x7F80;

/// The value of a pattern from the definition of a binary format with e exponent bits.
template <class T>
double defined_value(std::uint32_t bits) {
  constexpr int fraction_bits = std::same_as<T, Half> ? 10 : 7;
  constexpr int bias = std::same_as<T, Half> ? 15 : 127;
  const auto exponent = static_cast<int>((bits & 0x7FFF) >> fraction_bits);
  const double fraction = std::ldexp(bits & ((1U << fraction_bits) - 1), -fraction_bits);
  const double magnitude = exponent == 0 ? std::ldexp(fraction, 1 - bias) : std::ldexp(1 + fraction, exponent - bias);
  return bits >= 0x8000 ? -magnitude : magnitude;
}

TYPED_TEST(SixteenBit, EveryPatternSurvivesTheRoundTrip) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto stored = pattern<TypeParam>(bits);
    const auto wide = static_cast<float>(stored);
    if ((bits & 0x7FFF) > infinity_bits<TypeParam>) {
      ASSERT_TRUE(std::isnan(wide)) << bits;
      ASSERT_TRUE(std::isnan(static_cast<float>(TypeParam(wide)))) << bits;
      continue;
    }
    ASSERT_EQ(TypeParam(wide), stored) << bits;
    ASSERT_EQ(Numeric<TypeParam>::from_double(static_cast<double>(wide)), stored) << bits;
    if ((bits & 0x7FFF) < infinity_bits<TypeParam>) {
      ASSERT_EQ(static_cast<double>(wide), defined_value<TypeParam>(bits)) << bits;
    } else {
      ASSERT_EQ(static_cast<double>(wide), bits >= 0x8000 ? -infinity : infinity);
    }
  }
}

TYPED_TEST(SixteenBit, BetweenNeighboursTheNearerOneWinsAndTiesGoToEven) {
  using N = Numeric<TypeParam>;
  // Up to and including the step from the largest finite number to the power of two that infinity stands for.
  for (std::uint32_t bits = 0; bits < infinity_bits<TypeParam>; ++bits) {
    const double low = value<TypeParam>(bits);
    const double high = defined_value<TypeParam>(bits + 1);
    const double middle = low + (high - low) / 2;  // exact: one bit more than the format has
    const std::uint32_t even = bits % 2 == 0 ? bits : bits + 1;
    for (const std::uint32_t sign : {0x0000U, 0x8000U}) {
      const double s = sign == 0 ? 1 : -1;
      ASSERT_EQ(N::from_double(s * middle), pattern<TypeParam>(sign + even)) << bits;
      ASSERT_EQ(N::from_double(s * next_down(middle)), pattern<TypeParam>(sign + bits)) << bits;
      ASSERT_EQ(N::from_double(s * next_up(middle)), pattern<TypeParam>(sign + bits + 1)) << bits;
      const auto tie = static_cast<float>(s * middle);  // exact in float
      ASSERT_EQ(TypeParam(tie), pattern<TypeParam>(sign + even)) << bits;
      const float down = sign == 0 ? next_down(tie) : next_up(tie);
      const float up = sign == 0 ? next_up(tie) : next_down(tie);
      ASSERT_EQ(TypeParam(down), pattern<TypeParam>(sign + bits)) << bits;
      ASSERT_EQ(TypeParam(up), pattern<TypeParam>(sign + bits + 1)) << bits;
    }
  }
}

TYPED_TEST(SixteenBit, RandomFloatsRoundToTheNearestNumber) {
  std::mt19937 words(1);
  for (int trial = 0; trial < 200000; ++trial) {
    const auto x = std::bit_cast<float>(static_cast<std::uint32_t>(words()));
    if (std::isnan(x)) continue;
    const TypeParam rounded(x);
    const std::uint32_t magnitude = rounded.bits & 0x7FFF;
    const double exact = std::abs(static_cast<double>(x));
    if (magnitude == infinity_bits<TypeParam>) {
      const double last = value<TypeParam>(magnitude - 1);
      ASSERT_GE(exact, last + (last - value<TypeParam>(magnitude - 2)) / 2);
      continue;
    }
    const double error = std::abs(value<TypeParam>(magnitude) - exact);
    ASSERT_LE(error, std::abs(defined_value<TypeParam>(magnitude + 1) - exact));
    if (magnitude > 0) {
      ASSERT_LE(error, std::abs(value<TypeParam>(magnitude - 1) - exact));
    }
    ASSERT_EQ(std::signbit(x), rounded.bits >= 0x8000);
  }
}

TYPED_TEST(SixteenBit, ExtremesOfFloatAndDouble) {
  using N = Numeric<TypeParam>;
  EXPECT_EQ(N::to_double(N::from_double(1e300)), infinity);
  EXPECT_EQ(N::to_double(N::from_double(-infinity)), -infinity);
  EXPECT_EQ(N::from_double(1e-300), pattern<TypeParam>(0));
  EXPECT_EQ(N::from_double(-1e-300), pattern<TypeParam>(0x8000));
  EXPECT_TRUE(std::isnan(N::to_double(N::from_double(std::numeric_limits<double>::quiet_NaN()))));
  EXPECT_EQ(N::to_double(N::from_double(largest_finite(N::format))), largest_finite(N::format));
  EXPECT_EQ(N::to_double(N::from_double(smallest_subnormal(N::format))), smallest_subnormal(N::format));
}

TEST(RoundToOdd, KeepsWhatATieWouldLose) {
  // 1 + 2^-8 is a tie of bfloat16; with 2^-40 on top it must round up, though float alone would drop the 2^-40.
  EXPECT_EQ(Numeric<BFloat16>::to_double(Numeric<BFloat16>::from_double(1 + 0x1p-8)), 1.0);
  EXPECT_EQ(Numeric<BFloat16>::to_double(Numeric<BFloat16>::from_double(1 + 0x1p-8 + 0x1p-40)), 1 + 0x1p-7);
  EXPECT_EQ(BFloat16(static_cast<float>(1 + 0x1p-8 + 0x1p-40)), BFloat16(1.0F)) << "double rounding, for comparison";
}

}  // namespace
}  // namespace hyseq::numbers
