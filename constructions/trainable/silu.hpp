// The activations of the standard blocks, in double.
#pragma once

#include <cmath>

namespace hyseq::constructions {

[[nodiscard]] inline double silu(double x) { return x / (1 + std::exp(-x)); }
/// The x whose softplus, log(1 + exp(x)), is y > 0.
[[nodiscard]] inline double inverse_softplus(double y) { return y > 30 ? y : std::log(std::expm1(y)); }

}  // namespace hyseq::constructions
