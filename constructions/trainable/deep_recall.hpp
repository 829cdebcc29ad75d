// Associative recall with decoding in the standard blocks SSM,TF,TF, the layers of Theorem 4.6 (Cooper, Diakonikolas,
// Ma, Sala 2026, arXiv 2603.08859): wider than decode_recall.hpp, and far less sensitive to its weights.
//
// The first Transformer block's attention is empty; its MLP reads the register and writes the code of the word that it
// spells, one step of the staircase for each neighbouring pair of words. The second block then compares codes that are
// as far apart as tokens are, where the narrow construction has to tell points on an arc.
//
// Width w >= 3 code + 2 (docs/trainable-constructions.md):
//   axis 0    constant: opens the gates; LayerNorm removes it
//   code      the token's unit vector
//   previous  that of the token before
//   register  what the last bits spell
//   spelt     the code of that word
#pragma once

#include "constructions/construction.hpp"
#include "constructions/trainable/recall_parts.hpp"
#include "constructions/trainable/spherical_code.hpp"

namespace hyseq::constructions {

struct DeepRecallSpec : RecallModelSpec {
  /// Width 32. A step bias of -18 leaves words a step of 1.5e-8; what a register forgets is that times the words since
  /// a bit.
  DeepRecallSpec() : RecallModelSpec{.width = 32, .step_bias = -18} {}

  [[nodiscard]] int code_width() const { return (width - 2) / 3; }
  /// The MLP has 2 width channels and needs two for each of words - 1 steps; codes have at least two dimensions.
  [[nodiscard]] int least_width() const { return words() - 1 > 8 ? words() - 1 : 8; }

  /// InputError with one sentence where the numbers do not fit.
  void validate() const;
};

/// A word's interval of the register, which shows -1 .. 1.
struct RegisterInterval {
  int word = 0;
  double low = 0;
  double high = 0;
};

struct DeepRecallConstruction : Construction {
  DeepRecallSpec spec;
  std::vector<Code> codes;                  // of the answers
  double code_gap = 0;                      // decoder_gap(codes)
  double lambda = 0;                        // of the register, s -> lambda s + bit
  std::vector<RegisterInterval> intervals;  // in ascending order, exact for all histories
  double register_gap = 0;                  // least distance between two of them
  RecallScores scores;
};

[[nodiscard]] DeepRecallConstruction build(const DeepRecallSpec& spec);

}  // namespace hyseq::constructions
