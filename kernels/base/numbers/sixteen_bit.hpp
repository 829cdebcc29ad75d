// The two 16-bit storage formats, bfloat16 and half.
//
// They are stored and converted, never computed with: arithmetic happens in float, the result is rounded once. The bit
// code below is a page long, constant-evaluable and free of dependencies; the equivalent types of Eigen would pull all
// of Eigen/Core into every file that names a number.
#pragma once

#include <bit>
#include <cstdint>

namespace hyseq::numbers {

/// The upper 16 bits of a float: 8 significant bits, the exponent range of float.
struct BFloat16 {
  std::uint16_t bits = 0;

  constexpr BFloat16() = default;

  /// Rounds to nearest, ties to even; beyond the largest finite number to infinity; NaN stays NaN.
  constexpr explicit BFloat16(float value) {
    const auto word = std::bit_cast<std::uint32_t>(value);
    if (value != value) {  // keep the sign and make the NaN quiet: rounding could carry it into infinity
      bits = static_cast<std::uint16_t>((word >> 16) | 0x0040U);
      return;
    }
    const std::uint32_t odd = (word >> 16) & 1U;
    bits = static_cast<std::uint16_t>((word + 0x7FFFU + odd) >> 16);
  }

  static constexpr BFloat16 from_bits(std::uint16_t pattern) {
    BFloat16 result;
    result.bits = pattern;
    return result;
  }

  /// Exact.
  constexpr explicit operator float() const { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

  /// Equality of bit patterns: unlike that of numbers, 0 and -0 differ and a NaN equals itself.
  friend constexpr bool operator==(BFloat16, BFloat16) = default;
};

/// IEEE 754 binary16: 11 significant bits, magnitudes from 2^-24 to 65504.
struct Half {
  std::uint16_t bits = 0;

  constexpr Half() = default;

  /// Rounds to nearest, ties to even; from 65520 on to infinity; NaN stays NaN.
  constexpr explicit Half(float value) {
    const auto word = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = (word >> 16) & 0x8000U;
    const std::uint32_t magnitude = word & 0x7FFFFFFFU;
    std::uint32_t result = 0;
    if (magnitude > 0x7F800000U) {  // NaN, made quiet
      result = 0x7E00U;
    } else if (magnitude >= 0x47800000U) {  // 2^16 and beyond
      result = 0x7C00U;
    } else if (magnitude < 0x38800000U) {
      // Below 2^-14 the result is a multiple of 2^-24, the spacing of floats in [1/2, 1): adding 1/2 rounds to it.
      result = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) - 0x3F000000U;
    } else {
      // Move the exponent's bias from 127 to 15 and round off 13 bits; a carry runs into the exponent as it should.
      const std::uint32_t odd = (magnitude >> 13) & 1U;
      result = (magnitude - (112U << 23) + 0x0FFFU + odd) >> 13;
    }
    bits = static_cast<std::uint16_t>(sign | result);
  }

  static constexpr Half from_bits(std::uint16_t pattern) {
    Half result;
    result.bits = pattern;
    return result;
  }

  /// Exact.
  constexpr explicit operator float() const {
    const std::uint32_t sign = (bits & 0x8000U) << 16;
    const std::uint32_t exponent = (bits >> 10) & 0x1FU;
    const std::uint32_t fraction = bits & 0x03FFU;
    if (exponent == 0) {  // a multiple of 2^-24
      const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
      return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
    }
    const std::uint32_t biased = exponent == 0x1FU ? 0xFFU : exponent + 112U;
    return std::bit_cast<float>(sign | (biased << 23) | (fraction << 13));
  }

  /// Equality of bit patterns: unlike that of numbers, 0 and -0 differ and a NaN equals itself.
  friend constexpr bool operator==(Half, Half) = default;
};

/// A double as a float, rounded to odd: where it is inexact, to that neighbour whose last bit is one. Rounding the
/// result to a format at least two bits shorter gives the same as rounding the double at once, because no such value
/// can be mistaken for a tie (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008).
constexpr float round_to_odd(double value) {
  // Beyond float's range (also for infinity): the largest float, odd, or infinity itself.
  if (value != value) return static_cast<float>(value);
  if (value > 0x1.fffffep127 || value < -0x1.fffffep127) {
    const bool infinite = value - value != 0;  // NOLINT(misc-redundant-expression)
    const std::uint32_t sign = value < 0 ? 0x80000000U : 0U;
    return std::bit_cast<float>(sign | (infinite ? 0x7F800000U : 0x7F7FFFFFU));
  }
  const auto nearest = static_cast<float>(value);
  const auto back = static_cast<double>(nearest);
  const auto word = std::bit_cast<std::uint32_t>(nearest);
  if (back == value || (word & 1U) != 0) return nearest;
  const bool away_from_zero = (back < 0 ? -back : back) > (value < 0 ? -value : value);
  return std::bit_cast<float>(away_from_zero ? word - 1U : word + 1U);
}

}  // namespace hyseq::numbers
