// Derivatives of the activations, for every accumulator.
#pragma once

#include <numbers>

#include "kernels/base/everywhere.hpp"
#include "kernels/base/numbers/functions.hpp"
#include "kernels/base/numbers/numeric.hpp"

namespace hyseq::kernels {

/// The derivative of silu.
template <class Accumulator>
[[nodiscard]] HYSEQ_EVERYWHERE Accumulator silu_slope(const Accumulator& x) {
  const Accumulator one = numbers::Numeric<Accumulator>::from_double(1);
  const Accumulator gate = numbers::sigmoid(x);
  return gate * (one + x * (one - gate));
}

/// The derivative of gelu: the normal distribution function plus x times its density.
template <class Accumulator>
[[nodiscard]] HYSEQ_EVERYWHERE Accumulator gelu_slope(const Accumulator& x) {
  using Numeric = numbers::Numeric<Accumulator>;
  const Accumulator one = Numeric::from_double(1);
  const Accumulator half = Numeric::from_double(0.5);
  const Accumulator sqrt_half = Numeric::from_double(std::numbers::sqrt2 / 2);
  const Accumulator height = Numeric::from_double(std::numbers::inv_sqrtpi * std::numbers::sqrt2 / 2);
  return half * (one + numbers::erf(x * sqrt_half)) + x * (height * numbers::exp(-(half * (x * x))));
}

}  // namespace hyseq::kernels
