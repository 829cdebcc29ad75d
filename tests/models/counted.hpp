// A number that counts the operations done with it, so that the reference bodies themselves say what they cost. Must be
// included before any reference body: they look its functions up where they are defined.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/base/numbers/numeric.hpp"

namespace hyseq::numbers {

struct Counted {
  static inline std::uint64_t operations = 0;
  double value = 0;

  static Counted counting(double result) {
    ++operations;
    return {result};
  }
  friend Counted operator-(Counted x) { return {-x.value}; }  // a change of sign is free
  friend Counted operator+(Counted x, Counted y) { return counting(x.value + y.value); }
  friend Counted operator-(Counted x, Counted y) { return counting(x.value - y.value); }
  friend Counted operator*(Counted x, Counted y) { return counting(x.value * y.value); }
  friend Counted operator/(Counted x, Counted y) { return counting(x.value / y.value); }
  friend bool operator==(const Counted&, const Counted&) = default;
  friend bool operator<(const Counted& x, const Counted& y) { return x.value < y.value; }
};

inline Counted exp(Counted x) { return Counted::counting(std::exp(x.value)); }
inline Counted log1p(Counted x) { return Counted::counting(std::log1p(x.value)); }
inline Counted sqrt(Counted x) { return Counted::counting(std::sqrt(x.value)); }
inline Counted square(Counted x) { return x * x; }
inline Counted softplus(Counted x) { return x + numbers::log1p(numbers::exp(-x)); }
inline Counted silu(Counted x) { return x * (Counted{1} / (Counted{1} + numbers::exp(-x))); }
inline Counted gelu(Counted x) {
  const Counted error_function = Counted::counting(std::erf((x * Counted{std::sqrt(0.5)}).value));
  return Counted{0.5} * x * (Counted{1} + error_function);
}

template <>
struct Numeric<Counted> {
  using Accumulator = Counted;
  static constexpr bool ordered = true;
  static Counted widen(Counted value) { return value; }
  static Counted round(Counted value) { return value; }
  static Counted from_double(double value) { return {value}; }
  static double to_double(Counted value) { return value.value; }
};

}  // namespace hyseq::numbers
