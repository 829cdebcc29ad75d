// Theorem 4.6's task (Cooper, Diakonikolas, Ma, Sala 2026, arXiv 2603.08859) in the standard blocks: associative recall
// with decoding as weights of SSM then TF, with every switch at its default but the rotary width.
//
// Tokens are those of the task: 0 .. 2^b-1 words, then the bits 0 and 1, then <bos>, <eos>, <null>. The last b bits
// spell a word; the answer is the token after its latest occurrence, right wherever that token lies in the window.
//
// One attention layer does, since the convolution brings the previous token: at position j the key says which word
// stood at j - 1, the query which word the bits spell, and j's own code is the value.
//
// Width w = 1 + code + register + key (docs/trainable-constructions.md):
//   axis 0    constant: opens the gates; LayerNorm removes it
//   code      the token's unit vector, w - 4 dimensions, of which the first two are the word's place on an arc
//   register  the binary fraction that the last bits spell, small
//   key       the previous token's place on the arc, 2 dimensions
#pragma once

#include "constructions/construction.hpp"
#include "constructions/trainable/exponential_filter.hpp"
#include "constructions/trainable/recall_parts.hpp"
#include "constructions/trainable/spherical_code.hpp"

namespace hyseq::constructions {

struct TrainableRecallSpec : RecallModelSpec {
  /// Width 8, step bias -110 (see TrainableCopySpec).
  TrainableRecallSpec() : RecallModelSpec{.width = 8, .step_bias = -110} {}

  [[nodiscard]] static int least_width() { return 6; }
  [[nodiscard]] int code_width() const { return width - 4; }

  /// InputError with one sentence where the numbers do not fit.
  void validate() const;
};

struct TrainableRecallConstruction : Construction {
  TrainableRecallSpec spec;
  std::vector<Code> codes;  // of the answers
  double code_gap = 0;      // decoder_gap(codes)
  BinaryRegister binary;    // of the state space block
  double slope = 0;         // the register shows slope * (fraction - centre), the tangent of the word's angle
  double centre = 0;
  double match_gap = 0;      // least difference of match between the spelt word and any other, for all histories
  double register_size = 0;  // of the register in the residual, relative to the token's code
  RecallScores scores;
};

/// Rotary width 4 with the second frequency 1/(window - 1); match and code stand in coordinates that are not turned.
[[nodiscard]] TrainableRecallConstruction build(const TrainableRecallSpec& spec);

}  // namespace hyseq::constructions
