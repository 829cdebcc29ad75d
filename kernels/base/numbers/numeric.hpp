// Numeric<Scalar>: what generic code needs to know about the type its numbers are stored in.
//
// Values are stored as Scalar; sums and functions are evaluated in Numeric<Scalar>::Accumulator and rounded once:
//
//     using N = Numeric<Scalar>;
//     typename N::Accumulator sum(0);
//     for (...) sum += N::widen(a[i]) * N::widen(b[i]);
//     out = N::round(sum);
#pragma once

#include <type_traits>

#include "kernels/base/number_format.hpp"
#include "kernels/base/numbers/interval.hpp"

namespace hyseq::numbers {

/// Members of every specialisation:
///   Accumulator              the type of sums and functions
///   widen(Scalar)            exact
///   round(Accumulator)       to nearest, ties to even; of an interval, the endpoints (rounding is monotone)
///   from_double(double)      rounded to nearest once, without an intermediate format
///   to_double(Scalar)        exact; the midpoint of an interval, the real part of a complex number
///   ordered                  whether Scalar's values compare with <
///   format                   the NumberFormat of stored values (absent for exact real arithmetic)
template <class Scalar>
struct Numeric;

template <RealNumber T>
struct Numeric<T> {
  using Accumulator = T;
  static constexpr bool ordered = true;
  static constexpr NumberFormat format = sizeof(T) == 8 ? NumberFormat::float64 : NumberFormat::float32;
  static constexpr Accumulator widen(T value) { return value; }
  static constexpr T round(Accumulator value) { return value; }
  static constexpr T from_double(double value) { return static_cast<T>(value); }
  static constexpr double to_double(T value) { return static_cast<double>(value); }
};

template <class T>
requires std::same_as<T, BFloat16> || std::same_as<T, Half>
struct Numeric<T> {
  using Accumulator = float;
  static constexpr bool ordered = true;
  static constexpr NumberFormat format = std::same_as<T, BFloat16> ? NumberFormat::bfloat16 : NumberFormat::float16;
  static constexpr Accumulator widen(T value) { return static_cast<float>(value); }
  static constexpr T round(Accumulator value) { return T(value); }
  static constexpr T from_double(double value) { return T(round_to_odd(value)); }
  static constexpr double to_double(T value) { return static_cast<double>(static_cast<float>(value)); }
};

template <>
struct Numeric<Complex> {
  using Accumulator = Complex;
  static constexpr bool ordered = false;
  static constexpr NumberFormat format = NumberFormat::float64;
  static constexpr Accumulator widen(Complex value) { return value; }
  static constexpr Complex round(Accumulator value) { return value; }
  static constexpr Complex from_double(double value) { return {value, 0}; }
  static constexpr double to_double(Complex value) { return value.real(); }
};

template <class Base>
struct Numeric<Interval<Base>> {
  using Accumulator = Interval<typename Numeric<Base>::Accumulator>;
  static constexpr bool ordered = false;
  static constexpr NumberFormat format = Numeric<Base>::format;
  static constexpr Accumulator widen(const Interval<Base>& x) { return {x.lower, x.upper}; }
  static constexpr Interval<Base> round(const Accumulator& x) {
    return {nearest<Base>(x.lower), nearest<Base>(x.upper)};
  }
  static constexpr Interval<Base> from_double(double value) { return Interval<Base>(value); }
  static constexpr double to_double(const Interval<Base>& x) {
    return x == Interval<Base>::whole() ? 0.0 : 0.5 * x.lower + 0.5 * x.upper;
  }
};

template <>
struct Numeric<Interval<ExactReal>> {
  using Accumulator = Interval<ExactReal>;
  static constexpr bool ordered = false;
  static constexpr Accumulator widen(const Interval<ExactReal>& x) { return x; }
  static constexpr Interval<ExactReal> round(const Accumulator& x) { return x; }
  static constexpr Interval<ExactReal> from_double(double value) { return Interval<ExactReal>(value); }
  static constexpr double to_double(const Interval<ExactReal>& x) {
    return x == Interval<ExactReal>::whole() ? 0.0 : 0.5 * x.lower + 0.5 * x.upper;
  }
};

}  // namespace hyseq::numbers
