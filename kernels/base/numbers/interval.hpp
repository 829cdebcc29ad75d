// Intervals that enclose every value an arithmetic can give.
//
// Interval<F> for a number format F encloses the results of F's own arithmetic, rounding included: if x and y are
// numbers of F inside X and Y, then the rounded x + y lies inside X + Y, and so for every operation. Rounding to
// nearest is monotone, so an operation that is monotone in each operand takes its extremes, rounded alike, at the
// endpoints: computing these in F's own arithmetic is enough, no outward step is needed, and points stay points. The
// 16-bit formats are computed in float and rounded once (Numeric::widen and Numeric::round); hence Interval<BFloat16>
// and Interval<Half> have no operators.
//
// Interval<ExactReal> encloses the results of exact real arithmetic: endpoints are rounded to nearest and moved one
// double outward, except where the result is known to be exact.
//
// The whole line [-inf, inf] says that nothing is known, not even that the value is a number. It is the result of every
// operation of a format that may give NaN (inf - inf, 0 * inf, square root below 0), of a division by an interval that
// contains 0 (sign and existence of the quotient are open), and of endpoints that are NaN or out of order. Overflow
// gives infinite endpoints. Zeros are not told apart by their sign.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "kernels/base/numbers/functions.hpp"
#include "kernels/base/numbers/sixteen_bit.hpp"

namespace hyseq::numbers {

/// Tag: the exact arithmetic of real numbers, as the base of an interval.
struct ExactReal {};

/// The next number above (below) `value` in the format of T; infinity stays, NaN stays.
template <RealNumber T>
constexpr T next_up(T value) {
  using Word = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  if (!(value < std::numeric_limits<T>::infinity())) return value;
  if (value == T(0)) return std::numeric_limits<T>::denorm_min();
  const auto word = std::bit_cast<Word>(value);
  return std::bit_cast<T>(value > T(0) ? word + Word(1) : word - Word(1));
}
template <RealNumber T>
constexpr T next_down(T value) {
  return -next_up(-value);
}

/// `value` rounded to the nearest number of the format `Base`, ties to even; unchanged for ExactReal.
template <class Base>
constexpr double nearest(double value) {
  if constexpr (std::same_as<Base, float>) {
    return static_cast<double>(static_cast<float>(value));
  } else if constexpr (std::same_as<Base, BFloat16> || std::same_as<Base, Half>) {
    return static_cast<double>(static_cast<float>(Base(round_to_odd(value))));
  } else {
    static_assert(std::same_as<Base, double> || std::same_as<Base, ExactReal>);
    return value;
  }
}

namespace detail {

/// Bounds of one result at one pair of endpoints.
struct Bounds {
  double below;
  double above;
};

/// Endpoint results of arithmetic in T: the result itself is both bounds.
template <class T>
struct Endpoint {
  static constexpr Bounds exactly(T value) { return {static_cast<double>(value), static_cast<double>(value)}; }
  static constexpr Bounds sum(double a, double b) { return exactly(static_cast<T>(a) + static_cast<T>(b)); }
  static constexpr Bounds product(double a, double b) { return exactly(static_cast<T>(a) * static_cast<T>(b)); }
  static constexpr Bounds quotient(double a, double b) { return exactly(static_cast<T>(a) / static_cast<T>(b)); }
};

/// Endpoint results of real arithmetic. An infinite endpoint is a missing bound, never a value; so 0 times it is 0.
template <>
struct Endpoint<ExactReal> {
  static constexpr Bounds sum(double a, double b) {
    const double nearest = a + b;
    // Sums never underflow: a computed 0 is exact.
    if (a == 0 || b == 0 || nearest == 0) return {nearest, nearest};
    return {next_down(nearest), next_up(nearest)};
  }
  static constexpr Bounds product(double a, double b) {
    if (a == 0 || b == 0) return {0, 0};
    return outward(a * b, (a < 0) != (b < 0));
  }
  static constexpr Bounds quotient(double a, double b) {
    if (a == 0) return {0, 0};
    const double nearest = a / b;
    if (nearest != nearest) return {0, 0};  // inf / inf; the other endpoint pairs give the infinite bound
    return outward(nearest, (a < 0) != (b < 0));
  }

 private:
  /// One step to each side; a result that underflowed to 0 keeps the sign it is known to have.
  static constexpr Bounds outward(double nearest, bool negative) {
    if (nearest != 0) return {next_down(nearest), next_up(nearest)};
    constexpr double least = std::numeric_limits<double>::denorm_min();
    return negative ? Bounds{-least, 0} : Bounds{0, least};
  }
};

template <class Base>
constexpr double interval_underflow_threshold() {
  if constexpr (std::same_as<Base, ExactReal>) return -std::numeric_limits<double>::infinity();
  if constexpr (std::same_as<Base, double>) return underflow_threshold<double>();
  return underflow_threshold<float>();
}

}  // namespace detail

/// Bases whose intervals have operators and functions.
template <class Base>
concept Computable = RealNumber<Base> || std::same_as<Base, ExactReal>;

/// All numbers from `lower` to `upper`. `Base` is double, float, BFloat16, Half or ExactReal.
template <class Base>
struct Interval {
  double lower = 0;
  double upper = 0;

  static constexpr double underflow_threshold = detail::interval_underflow_threshold<Base>();

  /// The point 0.
  constexpr Interval() = default;

  /// The point `value`, rounded to nearest in the format as a constant of a program is.
  constexpr explicit Interval(double value) : Interval(nearest<Base>(value), nearest<Base>(value)) {}

  /// From `low` to `high`, which need not be numbers of the format: its numbers in between are meant, and rounding an
  /// endpoint to nearest loses none of them. The whole line where they are out of order or NaN.
  constexpr Interval(double low, double high) : lower(low), upper(high) {
    if (!(low <= high)) *this = whole();
  }

  static constexpr Interval point(double value) { return Interval(value); }

  static constexpr Interval whole() {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return {-infinity, infinity};
  }

  /// Equality of sets, not of the unknown values inside.
  friend constexpr bool operator==(const Interval&, const Interval&) = default;

  friend constexpr Interval operator-(const Interval& x) { return {-x.upper, -x.lower}; }

  friend constexpr Interval operator+(const Interval& x, const Interval& y) requires Computable<Base> {
    return {detail::Endpoint<Base>::sum(x.lower, y.lower).below, detail::Endpoint<Base>::sum(x.upper, y.upper).above};
  }

  friend constexpr Interval operator-(const Interval& x, const Interval& y) requires Computable<Base> {
    return x + (-y);
  }

  friend constexpr Interval operator*(const Interval& x, const Interval& y) requires Computable<Base> {
    if (x.lower == 1 && x.upper == 1) return y;
    if (y.lower == 1 && y.upper == 1) return x;
    using Endpoint = detail::Endpoint<Base>;
    return cover(Endpoint::product(x.lower, y.lower), Endpoint::product(x.lower, y.upper),
                 Endpoint::product(x.upper, y.lower), Endpoint::product(x.upper, y.upper));
  }

  friend constexpr Interval operator/(const Interval& x, const Interval& y) requires Computable<Base> {
    if (y.lower <= 0 && y.upper >= 0) return whole();
    if (y.lower == 1 && y.upper == 1) return x;
    using Endpoint = detail::Endpoint<Base>;
    return cover(Endpoint::quotient(x.lower, y.lower), Endpoint::quotient(x.lower, y.upper),
                 Endpoint::quotient(x.upper, y.lower), Endpoint::quotient(x.upper, y.upper));
  }

  constexpr Interval& operator+=(const Interval& y) { return *this = *this + y; }
  constexpr Interval& operator-=(const Interval& y) { return *this = *this - y; }
  constexpr Interval& operator*=(const Interval& y) { return *this = *this * y; }
  constexpr Interval& operator/=(const Interval& y) { return *this = *this / y; }

 private:
  /// The interval over the bounds of four corners; the whole line if one of them is NaN.
  static constexpr Interval cover(detail::Bounds a, detail::Bounds b, detail::Bounds c, detail::Bounds d) {
    // NOLINTNEXTLINE(misc-redundant-expression): NaN
    const bool unknown = a.below != a.below || b.below != b.below || c.below != c.below || d.below != d.below;
    if (unknown) return whole();
    return {std::min(std::min(a.below, b.below), std::min(c.below, d.below)),
            std::max(std::max(a.above, b.above), std::max(c.above, d.above))};
  }
};

/// Whether the value lies inside; NaN lies inside the whole line alone.
template <class Base>
constexpr bool contains(const Interval<Base>& x, double value) {
  return (x.lower <= value && value <= x.upper) || x == Interval<Base>::whole();
}

/// Whether every value of `inner` lies inside `outer`.
template <class Base>
constexpr bool contains(const Interval<Base>& outer, const Interval<Base>& inner) {
  return outer.lower <= inner.lower && inner.upper <= outer.upper;
}

/// The least interval over both.
template <class Base>
constexpr Interval<Base> hull(const Interval<Base>& x, const Interval<Base>& y) {
  return {std::min(x.lower, y.lower), std::max(x.upper, y.upper)};
}

template <class Base>
constexpr bool is_point(const Interval<Base>& x) {
  return x.lower == x.upper;
}

/// upper - lower, rounded up.
template <class Base>
constexpr double width(const Interval<Base>& x) {
  return is_point(x) ? 0.0 : next_up(x.upper - x.lower);
}

}  // namespace hyseq::numbers
