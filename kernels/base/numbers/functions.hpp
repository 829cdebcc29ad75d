// The elementary functions of the models on float, double and std::complex<double>.
//
// All of them are written once, as the engines compute them; the interval versions (interval_functions.hpp) enclose
// exactly these formulas. exp(0) is exactly 1 in every type, and exp is exactly +0 below underflow_threshold.
// std::complex<double> serves complex-step derivatives, f'(x) = Im f(x + ih) / h: each function is analytic near the
// real line and branches on the real part only.
#pragma once

#include <cmath>
#include <complex>
#include <concepts>
#include <limits>

#include "kernels/base/everywhere.hpp"

namespace hyseq::numbers {

template <class T>
concept RealNumber = std::same_as<T, float> || std::same_as<T, double>;

using Complex = std::complex<double>;

/// Below this argument exp is exactly 0 in the accumulator type `Acc`: half the smallest subnormal is e^-103.97 in
/// float and e^-745.13 in double. Minus infinity for enclosures of exact real arithmetic, where exp is never 0.
template <class Acc>
constexpr double underflow_threshold() {
  return Acc::underflow_threshold;
}
template <>
constexpr double underflow_threshold<float>() {
  return -104.0;
}
template <>
constexpr double underflow_threshold<double>() {
  return -746.0;
}
template <>
constexpr double underflow_threshold<Complex>() {
  return -746.0;
}

/// e^x.
template <RealNumber T>
HYSEQ_EVERYWHERE inline T exp(T x) {
  // The library takes its slow path where results vanish; a decayed state asks for them all the time.
  return x < static_cast<T>(underflow_threshold<T>()) ? T(0) : std::exp(x);
}

/// log(1 + x) for x >= -1, accurate near 0; NaN below -1.
template <RealNumber T>
HYSEQ_EVERYWHERE inline T log1p(T x) {
  return std::log1p(x);
}

template <RealNumber T>
HYSEQ_EVERYWHERE inline T sqrt(T x) {
  return std::sqrt(x);
}

/// 1 / x.
template <RealNumber T>
HYSEQ_EVERYWHERE inline T reciprocal(T x) {
  return T(1) / x;
}

/// x^2; on intervals tighter than x * x.
template <RealNumber T>
HYSEQ_EVERYWHERE inline T square(T x) {
  return x * x;
}

/// log(1 + e^x), as x + log(1 + e^-x) for x > 0 so that e^x does not overflow.
template <RealNumber T>
HYSEQ_EVERYWHERE inline T softplus(T x) {
  return x > T(0) ? x + numbers::log1p(numbers::exp(-x)) : numbers::log1p(numbers::exp(x));
}

/// 1 / (1 + e^-x). For x so low that e^-x overflows (-88.7 in float, -709.8 in double) the result is 0.
template <RealNumber T>
HYSEQ_EVERYWHERE inline T sigmoid(T x) {
  return numbers::reciprocal(T(1) + numbers::exp(-x));
}

/// x sigmoid(x); NaN at minus infinity.
template <RealNumber T>
HYSEQ_EVERYWHERE inline T silu(T x) {
  return x * numbers::sigmoid(x);
}

template <RealNumber T>
HYSEQ_EVERYWHERE inline T erf(T x) {
  return std::erf(x);
}

/// x (1 + erf(x / sqrt 2)) / 2.
template <RealNumber T>
HYSEQ_EVERYWHERE inline T gelu(T x) {
  constexpr double sqrt_half = 0.70710678118654752440;
  return T(0.5) * x * (T(1) + std::erf(x * static_cast<T>(sqrt_half)));
}

inline Complex exp(Complex x) { return x.real() < underflow_threshold<Complex>() ? Complex(0, 0) : std::exp(x); }

inline Complex log1p(Complex x) {
  const double a = x.real();
  const double b = x.imag();
  // |1 + x|^2 - 1 = a (2 + a) + b^2 keeps small x; near -1 the direct form is the accurate one.
  const double modulus = a > -0.5 ? 0.5 * std::log1p(a * (2 + a) + b * b) : std::log(std::hypot(1 + a, b));
  return {modulus, std::atan2(b, 1 + a)};
}

inline Complex sqrt(Complex x) { return std::sqrt(x); }

inline Complex reciprocal(Complex x) { return 1.0 / x; }

inline Complex square(Complex x) { return x * x; }

inline Complex softplus(Complex x) {
  return x.real() > 0 ? x + numbers::log1p(numbers::exp(-x)) : numbers::log1p(numbers::exp(x));
}

/// The form whose exponential cannot overflow: a complex infinity would turn into NaN.
inline Complex sigmoid(Complex x) {
  const Complex decayed = numbers::exp(x.real() > 0 ? -x : x);
  return (x.real() > 0 ? Complex(1, 0) : decayed) / (1.0 + decayed);
}

inline Complex silu(Complex x) { return x * numbers::sigmoid(x); }

/// erf by its series 2/sqrt(pi) z e^(-z^2) sum_n (2 z^2)^n / (1 3 5 .. (2n+1)), whose terms do not cancel near the real
/// line; beyond |Re z| = 6 it is +-1 to double precision there. For |Im z| up to about 1.
inline Complex erf(Complex z) {
  if (std::abs(z.real()) > 6) return {z.real() > 0 ? 1.0 : -1.0, 0};
  constexpr double two_over_sqrt_pi = 1.12837916709551257390;
  const Complex squared = z * z;
  Complex term(1, 0);
  Complex sum = term;
  for (int n = 1; n < 400 && std::abs(term) > 1e-17 * std::abs(sum); ++n) {
    term *= 2.0 * squared / (2.0 * n + 1.0);
    sum += term;
  }
  return two_over_sqrt_pi * z * numbers::exp(-squared) * sum;
}

inline Complex gelu(Complex x) {
  constexpr double sqrt_half = 0.70710678118654752440;
  return 0.5 * x * (1.0 + numbers::erf(x * sqrt_half));
}

}  // namespace hyseq::numbers
