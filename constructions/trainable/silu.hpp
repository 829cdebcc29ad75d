#pragma once

#include <cmath>

namespace hyseq::constructions {

[[nodiscard]] inline double silu(double x) { return x / (1 + std::exp(-x)); }
[[nodiscard]] inline double softplus(double x) { return x > 30 ? x : std::log1p(std::exp(x)); }

}  // namespace hyseq::constructions
