// The functions of functions.hpp on intervals.
//
// On Interval<float> and Interval<double> they enclose every result of functions.hpp's formulas in that format. exp and
// log1p come from the C library there. Assumed of it, and nothing else: a result v of either, for an exact value e,
// is off by less than one unit in the last place of e (glibc lists 1, rounded up; v is then at most one number below
// e rounded down and at most one above e rounded up); exp(0) = 1, log1p(0) = 0. It follows that exp(x) <= 1 for x <= 0,
// because numbers just below 1 are spaced finer. The exact values come from the proved enclosures of exact real
// arithmetic, so no endpoint depends on the library at hand.
//
// gelu has no interval version: no certified construction uses it.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/base/numbers/interval.hpp"

namespace hyseq::numbers {

/// Enclosures in exact real arithmetic; exp and log1p by own series with proved bounds (exact_real.cpp), relative width
/// below 1e-14 for a point whose result is a normal double. exp(0) = 1 and log1p(0) = 0 are points. The enclosure of
/// exp is never negative. log1p and sqrt are the whole line where the interval reaches below -1 and 0.
Interval<ExactReal> exp(const Interval<ExactReal>& x);
Interval<ExactReal> log1p(const Interval<ExactReal>& x);
Interval<ExactReal> sqrt(const Interval<ExactReal>& x);
Interval<ExactReal> softplus(const Interval<ExactReal>& x);
Interval<ExactReal> sigmoid(const Interval<ExactReal>& x);
Interval<ExactReal> silu(const Interval<ExactReal>& x);

namespace detail {

/// The largest number of the format T at or below `value`, and the one before it: the least that a library function
/// may return for the exact value `value`. above_library is its mirror image.
template <RealNumber T>
constexpr double below_library(double value) {
  auto result = static_cast<T>(value);
  if (static_cast<double>(result) > value) result = next_down(result);
  return static_cast<double>(next_down(result));
}
template <RealNumber T>
constexpr double above_library(double value) {
  return -below_library<T>(-value);
}

/// Widens by 16 unit roundoffs relative and 1024 smallest subnormals: more than the error of a formula of a few
/// operations, and of this widening itself.
template <RealNumber T>
constexpr Interval<T> widened(const Interval<ExactReal>& x) {
  constexpr double relative = 8 * static_cast<double>(std::numeric_limits<T>::epsilon());
  constexpr double absolute = 1024 * static_cast<double>(std::numeric_limits<T>::denorm_min());
  const double low = x.lower < 0 ? x.lower * (1 + relative) : x.lower * (1 - relative);
  const double high = x.upper < 0 ? x.upper * (1 - relative) : x.upper * (1 + relative);
  return {nearest<T>(low - absolute), nearest<T>(high + absolute)};
}

}  // namespace detail

template <RealNumber T>
inline Interval<T> exp(const Interval<T>& x) {
  if (x.upper < Interval<T>::underflow_threshold) return Interval<T>(0.0);
  if (x.lower == 0 && x.upper == 0) return Interval<T>(1.0);
  const Interval<ExactReal> exact = exp(Interval<ExactReal>(x.lower, x.upper));
  const double low = x.lower < Interval<T>::underflow_threshold ? 0 : detail::below_library<T>(exact.lower);
  const double high = detail::above_library<T>(exact.upper);
  return {std::max(low, 0.0), x.upper <= 0 ? std::min(high, 1.0) : high};
}

template <RealNumber T>
inline Interval<T> log1p(const Interval<T>& x) {
  if (x.lower < -1) return Interval<T>::whole();
  if (x.lower == 0 && x.upper == 0) return x;
  const Interval<ExactReal> exact = log1p(Interval<ExactReal>(x.lower, x.upper));
  const double low = detail::below_library<T>(exact.lower);
  const double high = detail::above_library<T>(exact.upper);
  return {x.lower >= 0 ? std::max(low, 0.0) : low, x.upper <= 0 ? std::min(high, 0.0) : high};
}

/// The whole line if the interval reaches below 0; square roots are rounded exactly, hence monotone.
template <RealNumber T>
inline Interval<T> sqrt(const Interval<T>& x) {
  if (x.lower < 0) return Interval<T>::whole();
  return {static_cast<double>(std::sqrt(static_cast<T>(x.lower))),
          static_cast<double>(std::sqrt(static_cast<T>(x.upper)))};
}

template <Computable Base>
constexpr Interval<Base> reciprocal(const Interval<Base>& x) {
  return Interval<Base>(1.0) / x;
}

/// Never negative, unlike the product of an interval around 0 with itself.
template <Computable Base>
constexpr Interval<Base> square(const Interval<Base>& x) {
  if (x.lower >= 0 || x.upper <= 0) return x * x;
  using Endpoint = detail::Endpoint<Base>;
  return {0, std::max(Endpoint::product(x.lower, x.lower).above, Endpoint::product(x.upper, x.upper).above)};
}

/// Monotone as a real function; the computed one is off by at most 4 (exp) + 4 (log1p) + 1 (sum) unit roundoffs, as
/// log1p does not enlarge a relative error of its positive argument. Exactly 0 below the underflow threshold and
/// exactly x above its negative, where the correction vanishes.
template <RealNumber T>
inline Interval<T> softplus(const Interval<T>& x) {
  if (x.upper < Interval<T>::underflow_threshold) return Interval<T>(0.0);
  if (x.lower > -Interval<T>::underflow_threshold) return x;
  const Interval<T> wide = detail::widened<T>(softplus(Interval<ExactReal>(x.lower, x.upper)));
  // A sum of x and something not negative does not round below x.
  return {std::max(wide.lower, std::max(x.lower, 0.0)), wide.upper};
}

/// The formula taken literally: x occurs once, so nothing is lost.
template <RealNumber T>
inline Interval<T> sigmoid(const Interval<T>& x) {
  return reciprocal(Interval<T>(1.0) + exp(-x));
}

/// Falls to -0.278.. at x = -1.278.. and rises from there. Computed: off by at most 4 (exp) + 3 (sum, quotient,
/// product) unit roundoffs, or exactly 0 once e^-x overflows, which it surely does below -89 (float), -710 (double).
template <RealNumber T>
inline Interval<T> silu(const Interval<T>& x) {
  if (x.lower >= 0) return x * sigmoid(x);
  if (x.lower == -std::numeric_limits<double>::infinity()) return Interval<T>::whole();  // -inf * 0
  constexpr double overflow = std::same_as<T, float> ? -89.0 : -710.0;
  if (x.upper < overflow) return Interval<T>(0.0);
  const Interval<T> wide = detail::widened<T>(silu(Interval<ExactReal>(x.lower, x.upper)));
  const double high = x.lower < overflow + 1 ? std::max(wide.upper, 0.0) : wide.upper;
  return {wide.lower, x.upper <= 0 ? std::min(high, 0.0) : high};
}

template <class Base>
Interval<Base> gelu(const Interval<Base>&) = delete;

}  // namespace hyseq::numbers
