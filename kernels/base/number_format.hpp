// The number formats a model can be stored and computed in, and their published constants.
#pragma once

#include <string>
#include <string_view>

#include "kernels/base/error.hpp"

namespace hyseq {

/// IEEE 754 binary64, binary32, the upper half of binary32, and binary16. All four have subnormals, signed zeros,
/// infinities and NaN, and round to nearest, ties to even.
enum class NumberFormat { float64, float32, bfloat16, float16 };

namespace detail {

struct NumberFormatFacts {
  std::string_view name;  // as on the command line
  int bytes;
  int significand_bits;  // the implicit leading bit included
  double largest_finite;
  double smallest_subnormal;
};

inline constexpr NumberFormatFacts number_format_facts[] = {
    {"double", 8, 53, 0x1.fffffffffffffp1023, 0x1p-1074},
    {"float", 4, 24, 0x1.fffffep127, 0x1p-149},
    {"bfloat16", 2, 8, 0x1.fep127, 0x1p-133},
    {"half", 2, 11, 65504.0, 0x1p-24},
};

constexpr const NumberFormatFacts& facts(NumberFormat format) { return number_format_facts[static_cast<int>(format)]; }

}  // namespace detail

/// The format's name on the command line: "double", "float", "bfloat16" or "half".
constexpr std::string_view name(NumberFormat format) { return detail::facts(format).name; }

/// Bytes that one stored number takes.
constexpr int bytes(NumberFormat format) { return detail::facts(format).bytes; }

/// Bits of the significand with its implicit leading one: 53, 24, 8, 11.
constexpr int significand_bits(NumberFormat format) { return detail::facts(format).significand_bits; }

/// Largest relative error of one rounding to nearest in the normal range: 2^-p for p significant bits, which is half
/// the distance from 1 to the next number (2^-53, 2^-24, 2^-8, 2^-11).
constexpr double unit_roundoff(NumberFormat format) {
  double result = 1;
  for (int bit = 0; bit < significand_bits(format); ++bit) result /= 2;
  return result;
}

/// The largest finite number of the format.
constexpr double largest_finite(NumberFormat format) { return detail::facts(format).largest_finite; }

/// The smallest positive number of the format, a subnormal one.
constexpr double smallest_subnormal(NumberFormat format) { return detail::facts(format).smallest_subnormal; }

/// The format in which sums accumulate and functions are evaluated: float for the two 16-bit formats, else the format.
constexpr NumberFormat accumulator_format(NumberFormat format) {
  return bytes(format) == 2 ? NumberFormat::float32 : format;
}

/// The format called `text` on the command line; InputError for any other text.
inline NumberFormat parse_number_format(std::string_view text) {
  for (const NumberFormat format :
       {NumberFormat::float64, NumberFormat::float32, NumberFormat::bfloat16, NumberFormat::float16}) {
    if (text == name(format)) return format;
  }
  throw InputError("The number format '" + std::string(text) +
                   "' is not known; it must be double, float, bfloat16 or half.");
}

}  // namespace hyseq
