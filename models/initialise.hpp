// Initial parameter values (docs/models.md, section 4), drawn from counters.
#pragma once

#include <cstdint>

#include "kernels/program.hpp"

namespace hyseq::models {

/// Linear and embedding weights N(0, 0.02^2), biases and norm biases 0, norm weights and skips 1, convolution weights
/// and biases uniform in +-1/sqrt(k), A_log = log(1..N) in every row.
/// A value is a function of (seed, parameter name, element) alone, so that it does not depend on the other parameters,
/// on threads or on how models are grouped.
[[nodiscard]] kernels::ParameterValues initialise(const kernels::Program& program, std::uint64_t seed);

}  // namespace hyseq::models
