// A number that knows how far off it may be: running error analysis (Higham, Accuracy and Stability of Numerical
// Algorithms, section 3.3) of the reference bodies themselves, to first order in the unit roundoff. Its value is
// computed in double; its error bounds what any order of summation in the chosen format may add up to. Must be included
// before any reference body: they look its functions up where they are defined.
#pragma once

#include <algorithm>
#include <cmath>

#include "kernels/base/numbers/numeric.hpp"

namespace hyseq::numbers {

struct Tracked {
  static inline NumberFormat format = NumberFormat::float64;
  static inline double roundoff = 0;  // of sums and functions

  /// The format that values are stored in from now on.
  static void select(NumberFormat stored) {
    format = stored;
    roundoff = unit_roundoff(accumulator_format(stored));
  }

  double value = 0;
  double error = 0;
  double magnitude = 0;  // of a sum, the sum of its terms' magnitudes: partial sums in any order stay below it

  static Tracked exact(double x) { return {x, 0, std::abs(x)}; }
  /// The result of one operation with these errors of its operands, itself off by `roundings` units.
  static Tracked result(double x, double inherited, double roundings = 1) {
    return {x, inherited + roundings * roundoff * std::abs(x), std::abs(x)};
  }

  friend Tracked operator-(Tracked x) { return {-x.value, x.error, x.magnitude}; }
  friend Tracked operator+(Tracked x, Tracked y) {
    const double terms = x.magnitude + y.magnitude;
    return {x.value + y.value, x.error + y.error + roundoff * terms, terms};
  }
  friend Tracked operator-(Tracked x, Tracked y) { return x + (-y); }
  friend Tracked operator*(Tracked x, Tracked y) {
    return result(x.value * y.value, std::abs(x.value) * y.error + std::abs(y.value) * x.error + x.error * y.error);
  }
  friend Tracked operator/(Tracked x, Tracked y) {
    const double quotient = x.value / y.value;
    return result(quotient, (x.error + std::abs(quotient) * y.error) / std::abs(y.value));
  }
  /// A zero that may be off is not the zero that bodies skip.
  friend bool operator==(Tracked x, Tracked y) { return x.value == y.value && x.error == y.error; }
  friend bool operator<(Tracked x, Tracked y) { return x.value < y.value; }
};

// Functions: their slope times the argument's error, and roundings of their own. Where an engine may scale an argument
// on the way (2^(x log2 e) for e^x), that is a relative error of the argument.
inline Tracked exp(Tracked x) {
  const double value = std::exp(x.value);
  return Tracked::result(value, value * std::expm1(std::min(x.error, 1.0)), 4 + 2 * std::abs(x.value));
}
inline Tracked log1p(Tracked x) { return Tracked::result(std::log1p(x.value), x.error / (1 + x.value), 4); }
inline Tracked sqrt(Tracked x) {
  const double root = std::sqrt(x.value);
  return Tracked::result(root, root > 0 ? x.error / (2 * root) : std::sqrt(x.error));
}
inline Tracked square(Tracked x) { return x * x; }
inline Tracked sigmoid(Tracked x) {
  const double value = 1 / (1 + std::exp(-x.value));
  const double slope = value * (1 - value);
  const double lost = 2 / largest_finite(accumulator_format(Tracked::format));  // where e^-x overflows
  return Tracked::result(value, slope * (x.error + Tracked::roundoff * 2 * std::abs(x.value)) + lost, 4);
}
inline Tracked silu(Tracked x) { return x * numbers::sigmoid(x); }
inline Tracked softplus(Tracked x) {
  const double value = std::max(x.value, 0.0) + std::log1p(std::exp(-std::abs(x.value)));
  return Tracked::result(value, x.error, 4 + 2 * std::abs(std::min(x.value, 0.0)));
}
/// The complex one, of which derivatives are taken, sums a series of up to a few dozen terms.
inline Tracked erf(Tracked x) {
  return {std::erf(x.value), 1.13 * x.error + 8 * Tracked::roundoff, std::abs(std::erf(x.value))};
}
inline Tracked gelu(Tracked x) {
  return Tracked::exact(0.5) * x * (Tracked::exact(1) + numbers::erf(x * Tracked::result(std::sqrt(0.5), 0)));
}

template <>
struct Numeric<Tracked> {
  using Accumulator = Tracked;
  static constexpr bool ordered = true;
  static Tracked widen(Tracked x) { return x; }
  /// Stored: rounded once more where the format is shorter than its accumulator, and never better than its spacing near
  /// zero.
  static Tracked round(Tracked x) {
    const bool shorter = bytes(Tracked::format) == 2;
    const double storage = shorter ? unit_roundoff(Tracked::format) * (std::abs(x.value) + x.error) : 0;
    return {x.value, x.error + storage + smallest_subnormal(Tracked::format), std::abs(x.value)};
  }
  /// Constants are rounded to the accumulator's format; values of a shorter one pass exactly.
  static Tracked from_double(double x) {
    const bool wide = Tracked::format == NumberFormat::float64;
    return {x, wide ? 0 : std::abs(x - static_cast<double>(static_cast<float>(x))), std::abs(x)};
  }
  static double to_double(Tracked x) { return x.value; }
};

}  // namespace hyseq::numbers
