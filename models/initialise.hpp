// Initial parameter values (docs/models.md, section 4), drawn from counters.
#pragma once

#include <cstdint>

#include "kernels/program.hpp"

namespace hyseq::models {

struct InitialisationOptions {
  double scale = 0.02;  // standard deviation of linear and embedding weights
  /// The step size of a recurrent layer starts log-uniform in [0.001, 0.1] (Gu, Dao 2023): its bias is the inverse
  /// softplus of that, instead of 0. Layers without softplus keep 0.
  bool random_step = false;
};

/// Linear and embedding weights N(0, scale^2), biases and norm biases 0, norm weights and skips 1, convolution weights
/// and biases uniform in +-1/sqrt(k), A_log = log(1..N) in every row.
/// A value is a function of (seed, parameter name, element) alone, so that it does not depend on the other parameters,
/// on threads or on how models are grouped.
[[nodiscard]] kernels::ParameterValues initialise(const kernels::Program& program, std::uint64_t seed,
                                                  const InitialisationOptions& options = {});

}  // namespace hyseq::models
