// From an architecture to the program that engines execute. The only place that knows what a block is made of.
#pragma once

#include "kernels/program.hpp"
#include "models/architecture.hpp"

namespace hyseq::models {

/// Shares of elements that training drops, per site, in [0, 1); 0 is none.
struct DropoutRates {
  double embedding = 0;  // in front of the first layer, whatever its kind
  double probabilities = 0;
  double attention = 0;  // output of the attention branch
  double mlp = 0;        // output of the MLP branch
};

/// Forward and backward program, for inference and evaluation. Parameters are named and shaped as in the model files
/// (tests/golden/README.md); switched-off parts have none.
[[nodiscard]] kernels::Program lower(const Architecture& architecture);

/// The same model for training: the same parameters in the same order, with dropout. InputError for a rate outside
/// [0, 1).
[[nodiscard]] kernels::Program lower(const Architecture& architecture, const DropoutRates& dropout);

}  // namespace hyseq::models
