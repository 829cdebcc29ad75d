// Enclosures of exp, log1p and what is built from them in exact real arithmetic, without the C library's functions.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "kernels/base/numbers/interval_functions.hpp"

namespace hyseq::numbers {
namespace {

using Real = Interval<ExactReal>;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double largest = std::numeric_limits<double>::max();
constexpr double least = std::numeric_limits<double>::denorm_min();

// ln 2 = ln2_high + ln2_low + d with 0 < d < 2^-97, one unit in the last place of ln2_low. ln2_high has 42 significant
// bits: its product with any integer below 2^11 is exact. ln2_low is below 2^-44.
constexpr double ln2_high = 0x1.62e42fefa38p-1;
constexpr double ln2_low = 0x1.ef35793c7673p-45;

// 1/n! for n = 0..14, each rounded once (n! is exact).
constexpr std::size_t degree = 14;
constexpr auto inverse_factorial = [] {
  std::array<double, degree + 1> result{};
  double factorial = 1;
  for (std::size_t n = 0; n <= degree; ++n) {
    if (n > 0) factorial *= static_cast<double>(n);
    result[n] = 1.0 / factorial;
  }
  return result;
}();

// 1 / (2n + 1), each rounded once.
constexpr std::size_t terms = 18;
constexpr auto inverse_odd = [] {
  std::array<double, terms> result{};
  for (std::size_t n = 0; n < terms; ++n) result[n] = 1.0 / static_cast<double>(2 * n + 1);
  return result;
}();

/// Encloses a rising function over an interval by its enclosures at the ends, evaluated once for a point.
template <class AtPoint>
Real rising(const Real& x, AtPoint at_point) {
  const Real low = at_point(x.lower);
  return is_point(x) ? low : Real(low.lower, at_point(x.upper).upper);
}

/// e^x for a point, to a relative error below 2^-50 before scaling.
///
/// Write u = 2^-53. Let k be x / ln 2 rounded to an integer and r = x - k ln 2, so |r| < 0.347 (k computed in doubles
/// may miss the nearest integer by 1e-12 of a unit, which the bound includes), |k| < 2^11 and e^x = 2^k e^r.
///
/// 1. The computed r. k * ln2_high is exact; subtracting it from x leaves at most 0.35, rounded by at most 2^-55.
///    k * ln2_low is below 2^-33; its rounding and the missing part of ln 2 are below 2^-84. The last subtraction
///    rounds by at most 2^-55. In all r is off by less than 1.01 * 2^-54, a relative error of e^r below 0.52 u.
///
/// 2. The remainder of the Taylor polynomial of degree 14 at |r| < 0.35: 0.35^15 / 15! * e^0.35 < 2^-62 < 0.01 u.
///
/// 3. Horner's scheme q_n = c_n + r q_(n+1) errs in the stored c_n (by u c_n, not at all for n <= 2), in the product
///    and in the sum: E_n <= u c_n + 0.35 E_(n+1) + u |r q_(n+1)| + u |q_n|. With q_3 < 0.19, q_2 < 0.57, q_1 < 1.20
///    and q_0 < 1.42 that gives E_4 < 0.2 u, E_3 < 0.5 u, E_2 < 0.9 u, E_1 < 1.8 u and E_0 < 2.5 u; relative to
///    e^r > 0.70, below 3.6 u.
///
/// The sum is below 4.2 u even with the products of errors; 8 u = 2^-50 is used. Multiplying by 1 +- 2^-50 rounds by u
/// at most, far inside that margin. Scaling by 2^k is exact for normal results; for others it rounds by half the least
/// double, which the step outward at the end covers.
Real exp_of_point(double x) {
  if (x == 0) return Real(1.0);
  if (x > 710) return {largest, infinity};
  if (x < -746) return {0, least};
  const double turns = x * 1.4426950408889634;
  const int k = static_cast<int>(turns + (x < 0 ? -0.5 : 0.5));
  const double r = (x - k * ln2_high) - k * ln2_low;
  double value = inverse_factorial[degree];
  for (std::size_t n = degree; n-- > 0;) value = inverse_factorial[n] + r * value;
  const double low = next_down(std::ldexp(value * (1 - 0x1p-50), k));
  const double high = next_up(std::ldexp(value * (1 + 0x1p-50), k));
  // e^x is above 1 exactly where x is above 0.
  return x > 0 ? Real(std::max(low, 1.0), high) : Real(std::max(low, 0.0), std::min(high, 1.0));
}

/// 1 + q/3 + q^2/5 + ..., so that 2 artanh(s) = 2 s S(s^2); for q <= 1/9, where 1 <= S < 1.04.
///
/// The terms left out are below (1/9)^18 / 37 * 9/8 < 2^-61 < 0.01 u. Horner's scheme errs as for exp: with S_n the
/// value after adding c_n = 1 / (2n + 1), S_2 < 0.23 and S_1 < 0.36, it gives E_2 < 0.5 u,
/// E_1 < (1/3 + 0.06 + 0.03 + 0.36) u < 0.8 u and E_0 < (0.09 + 0.04 + 1.04) u < 1.2 u, relatively no more.
double artanh_series(double q) {
  double value = inverse_odd[terms - 1];
  for (std::size_t n = terms - 1; n-- > 0;) value = inverse_odd[n] + q * value;
  return value;
}

/// log(1 + x) for a point x >= -1, to a relative error below 2^-50 = 8 u.
///
/// Near 0, z = 2x / (2 + x) has a relative error of 2 u, which 2 artanh(z / 2) enlarges by at most 1.09 for
/// |z / 2| <= 1/3. The square's own rounding counts 0.05 u, the series 1.2 u, the last product u: 4.5 u in all.
///
/// Elsewhere |log(1 + x)| > 0.69. With 1 + x = 2^k m and m in [0.7, 1.4), k is not 0. The rounding of m costs log m at
/// most u. m - 1 is exact, so 2 artanh((m - 1) / (m + 1)), at most 0.36, is off by 0.36 * 4.5 u < 1.7 u. The sum with
/// k * ln2_low rounds by 0.25 u, and k * ln2_high is exact. Together 3 u, relatively 4.4 u, and u for the last sum.
Real log1p_of_point(double x) {
  if (x == 0) return Real(0.0);
  if (x == -1) return {-infinity, -largest};
  if (x == infinity) return {largest, infinity};
  // x - x^2 < log(1 + x) < x, and x^2 is less than the spacing of doubles at x.
  if (std::abs(x) < 0x1p-54) return {next_down(x), x};
  double value = 0;
  if (x >= -0.5 && x <= 1) {
    const double z = 2 * x / (2 + x);
    value = z * artanh_series(0.25 * z * z);
  } else {
    int k = 0;
    if (std::frexp(1 + x, &k) < 0.7) --k;
    // Scaled (exactly) before the sum is formed, so that the largest x do not overflow.
    const double m = std::ldexp(x, -k) + std::ldexp(1.0, -k);
    const double z = 2 * (m - 1) / (m + 1);
    value = k * ln2_high + (k * ln2_low + z * artanh_series(0.25 * z * z));
  }
  const double margin = 0x1p-50 * std::abs(value);
  return {next_down(value - margin), next_up(value + margin)};
}

Real softplus_of_point(double x) {
  if (x <= 0) return log1p(exp_of_point(x));
  return Real(x) + log1p(exp_of_point(-x));
}

Real silu_of_point(double x) { return Real(x) * sigmoid(Real(x, x)); }

}  // namespace

Real exp(const Real& x) { return rising(x, exp_of_point); }

Real log1p(const Real& x) {
  if (x.lower < -1) return Real::whole();
  return rising(x, log1p_of_point);
}

Real sqrt(const Real& x) {
  if (x.lower < 0) return Real::whole();
  // IEEE 754 square roots are rounded to nearest; those of 0 and 1 are exact.
  const auto exact = [](double value) { return value == 0 || value == 1 || value == infinity; };
  const double low = std::sqrt(x.lower);
  const double high = std::sqrt(x.upper);
  return {exact(x.lower) ? low : next_down(low), exact(x.upper) ? high : next_up(high)};
}

Real softplus(const Real& x) { return rising(x, softplus_of_point); }

Real sigmoid(const Real& x) { return reciprocal(Real(1.0) + exp(-x)); }

Real silu(const Real& x) {
  // silu' = 0 where (-x - 1) e^(-x - 1) = 1/e, that is at x = -1 - W(1/e), with the value -W(1/e); W is Lambert's.
  constexpr double least_value = -0.27846454276107379511;
  constexpr double place = -1.27846454276107379511;
  if (x.lower >= next_up(place)) return rising(x, silu_of_point);
  if (x.upper <= next_down(place)) return {silu_of_point(x.upper).lower, silu_of_point(x.lower).upper};
  return {next_down(least_value), std::max(silu_of_point(x.lower).upper, silu_of_point(x.upper).upper)};
}

}  // namespace hyseq::numbers
