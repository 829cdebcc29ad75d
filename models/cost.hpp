// What a model costs: parameters, floating-point operations, memory while generating. docs/models.md, section 7.
//
// Everything is counted from the program. Operations per token, every addition, multiplication, division, square root,
// exp, log and erf counting 1, so that a multiply-add is 2:
//
//   linear            2 in out (+ out with a bias)
//   layer norm        8 width + 4
//   rms norm          4 width + 3
//   causal conv       channels (2 k + 1)
//   selective scan    channels (7 states + 3)
//   rotary            6 per rotated pair (angles come from tables)
//   window attention  heads (4 h + 5) per visible key of head width h; visible keys are averaged over the L positions
//   silu 4, gelu 5, softplus 3, add 1, multiply 1 per element; position code 1 per column; embedding 0
//
// Comparisons and changes of sign are free. A training step costs forward plus backward, and backward twice the
// forward: a product has two gradients, one for each factor, each as large as the product itself. The optimiser's work
// is per step, not per token, and is not counted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/base/number_format.hpp"
#include "kernels/program.hpp"

namespace hyseq::models {

struct PartCost {
  std::string name;  // "layers.0", or "embedding" and "head"
  std::uint64_t parameters = 0;
  double flops_per_token_forward = 0;
  double flops_per_token_training = 0;
  std::uint64_t state_bytes = 0;
  std::uint64_t working_memory_bits = 0;
};

struct Cost {
  PartCost total;
  PartCost embedding;  // the table (which is also the head's) and position codes
  PartCost head;       // final norm and logits
  std::vector<PartCost> layers;
};

/// Costs at sequence length `length` >= 1, memory in `format`.
[[nodiscard]] Cost cost(const kernels::Program& program, std::uint64_t length, NumberFormat format);

/// Operations of one call for one token that sees `visible_keys` keys (used by attention alone).
[[nodiscard]] double operation_flops(const kernels::Operation& operation, double visible_keys);

/// Keys that a position sees, averaged over the positions of a sequence: the mean of min(t + 1, window).
[[nodiscard]] double mean_visible_keys(std::uint64_t length, int window);

/// Bytes held while token number `length` is generated: 2 min(L, W) channels numbers per attention layer, states and
/// convolution tails of recurrent layers.
[[nodiscard]] std::uint64_t state_bytes(const kernels::Program& program, std::uint64_t length, NumberFormat format);

/// Bits that one carry holds between two tokens of a sequence of `length` (docs/theorems.md, section 4): attention
/// 2 channels min(L, W-1) numbers, a state channels x states, a convolution's tail channels (k-1).
[[nodiscard]] std::uint64_t working_memory_bits(const kernels::CarryInfo& carry, std::uint64_t length,
                                                NumberFormat format);

/// Their sum over a program: the working memory that the theorems speak of. A certificate that knows how many states
/// are reachable replaces the bits of a state by their logarithm.
[[nodiscard]] std::uint64_t working_memory_bits(const kernels::Program& program, std::uint64_t length,
                                                NumberFormat format);

}  // namespace hyseq::models
