// How far back the output of a model can depend on a token (docs/residual-classes.md).
//
// A window W counts the position itself, so a layer reaches W - 1 tokens back and a stack 1 + sum (W_i - 1) tokens in
// all. A convolution of width k reaches k - 1 tokens back, a recurrent state for ever.
#pragma once

#include <cstdint>

#include "models/architecture.hpp"

namespace hyseq::models {

struct ReceptiveField {
  std::uint64_t tokens = 1;        // by attention and convolutions, the position itself included
  std::uint64_t total_window = 0;  // sum of the windows, each counting its own position
  int attention_layers = 0;
  bool unlimited = false;  // there is a recurrent layer
};

[[nodiscard]] ReceptiveField receptive_field(const Architecture& architecture);

}  // namespace hyseq::models
