// Softmax of one row, for attention and for the loss.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "kernels/reference/context.hpp"

namespace hyseq::kernels {

/// Softmax in place of ordered numbers, shifted by their maximum, and of enclosures in exact real arithmetic and
/// complex numbers by the shift-free 1 / sum_j exp(x_j - x_i), which keeps the correlation between numerator and
/// denominator.
template <class Accumulator>
void softmax_in_place(Accumulator* x, std::size_t count) {
  if constexpr (numbers::Numeric<Accumulator>::ordered) {
    Accumulator largest = x[0];
    for (std::size_t j = 1; j < count; ++j) largest = largest < x[j] ? x[j] : largest;
    Accumulator sum{};
    for (std::size_t j = 0; j < count; ++j) {
      x[j] = numbers::exp(x[j] - largest);
      sum = sum + x[j];
    }
    for (std::size_t j = 0; j < count; ++j) x[j] = x[j] / sum;
  } else {
    const std::vector<Accumulator> scores(x, x + count);
    for (std::size_t i = 0; i < count; ++i) {
      Accumulator sum{};
      for (std::size_t j = 0; j < count; ++j) {
        sum = sum + (i == j ? constant<Accumulator>(1) : numbers::exp(scores[j] - scores[i]));
      }
      x[i] = constant<Accumulator>(1) / sum;
    }
  }
}

/// Softmax in place of intervals that enclose what the shifted formula above computes in T: its own rounding does not
/// follow the shift-free formula, so the result is the intersection of two enclosures,
///   - the shifted formula in intervals, exact for points but blind to the correlation of numerator and denominator;
///   - the exact softmax, shift-free, widened by the rounding of the shifted formula. With unit roundoff u: a
///   difference
///     x_j - max whose exp does not vanish lies above the underflow threshold -M and is off by at most M u, its exp by
///     2 u more, the sum by count u, the quotient by u; exps in the subnormal range by a smallest number each.
template <numbers::RealNumber T>
void softmax_in_place(numbers::Interval<T>* x, std::size_t count) {
  using Format = numbers::Interval<T>;
  using Exact = numbers::Interval<numbers::ExactReal>;
  const std::vector<Format> scores(x, x + count);
  Format largest = scores[0];
  bool points = true;
  for (const Format& score : scores) {
    largest = {std::max(largest.lower, score.lower), std::max(largest.upper, score.upper)};
    points = points && numbers::is_point(score);
  }
  Format sum{};
  for (std::size_t j = 0; j < count; ++j) {
    const Format difference = scores[j] - largest;
    if (difference == Format::whole()) {  // infinities: the result may be NaN
      std::fill_n(x, count, Format::whole());
      return;
    }
    x[j] = numbers::exp(Format(difference.lower, std::min(difference.upper, 0.0)));
    sum = sum + x[j];
  }
  sum.lower = std::max(sum.lower, 1.0);  // one exp is exactly 1, and rounded sums of what is not negative never fall
  for (std::size_t j = 0; j < count; ++j) x[j] = x[j] / sum;
  if (points) return;

  constexpr double roundoff = static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;
  constexpr double least = static_cast<double>(std::numeric_limits<T>::denorm_min());
  const double relative = 1.01 * roundoff * (2 * (4 - Format::underflow_threshold) + static_cast<double>(count) + 8);
  const double absolute = 2 * least * static_cast<double>(count + 4);
  for (std::size_t i = 0; i < count; ++i) {
    Exact rest(0.0);
    for (std::size_t j = 0; j < count; ++j) {
      if (j == i) continue;
      rest = rest + numbers::exp(Exact(scores[j].lower, scores[j].upper) - Exact(scores[i].lower, scores[i].upper));
    }
    const Exact exact = Exact(1.0) / (Exact(1.0) + rest);
    x[i] = {std::max(x[i].lower, exact.lower * (1 - relative) - absolute),
            std::min(x[i].upper, exact.upper * (1 + relative) + absolute)};
  }
}

}  // namespace hyseq::kernels
