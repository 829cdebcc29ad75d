// Stacks of SSM blocks whose states can be counted.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/program.hpp"
#include "models/architecture.hpp"
#include "proofs_check/stack_product/state_grid.hpp"

namespace hyseq::proofs_check {

struct Stack {
  std::string name;
  models::Architecture architecture;  // SSM blocks alone, no position codes
  kernels::ParameterValues values;
  StateGrid grid;

  /// InputError for a layer that is not recurrent, for position codes, for a grid out of range and for steps of its own
  /// that are not one for every carried number.
  void validate() const;
};

struct RandomStackSpec {
  int layers = 2;
  int width = 4;
  int inner_width = 2;
  int tokens = 3;
  int state_size = 1;
  int kernel = 0;
  bool gate = true;
  models::Norm norm = models::Norm::rms;
  StateGrid grid{4, 0.125, {}};
  std::uint64_t seed = 1;
};

/// The standard SSM block with standard normal weights (convolution, A_log and D as training starts them),
/// every weight rounded to a multiple of 1/8 between -15/8 and 15/8: five bits.
[[nodiscard]] Stack random_stack(const RandomStackSpec& spec);

/// Layers of Theorem 4.3's construction above one another, each holding the latest of its own `values` tokens: no
/// rounding of states, and the layers move independently, so that every combination of their states is reached.
[[nodiscard]] Stack register_stack(int layers, int values);

/// One SSM layer whose step is always 0: it never leaves its first state, and the model answers token 0 to everything.
[[nodiscard]] Stack stateless_stack(int tokens);

}  // namespace hyseq::proofs_check
