// Theorem 4.3's algorithm (Cooper, Diakonikolas, Ma, Sala 2026, arXiv 2603.08859) in the standard blocks: selective
// copying as weights of the very model that the presets train, SSM then TF with every switch at its default.
//
// Tokens are those of the task: 0 .. values-1 are values, then one number per distance, then <bos>, <eos>, <null>. With
// c the distance of the latest number at or before t the answer is x[t-c].
//
// Width w = 1 + code + register (docs/trainable-constructions.md):
//   axis 0         constant: opens the gates of the state space block; LayerNorm removes it
//   code           the token's unit vector, w - 3 dimensions (w - 2 at width 4)
//   register       what the latest number asks for: a phase (cos, sin), or at width 4 its tangent alone
#pragma once

#include "constructions/construction.hpp"
#include "constructions/trainable/spherical_code.hpp"

namespace hyseq::constructions {

struct TrainableCopySpec {
  int values = 26;
  int distance_min = 5;
  int distances = 5;  // number tokens, one for each of distance_min .. distance_min + distances - 1
  int window = 20;    // at least the largest distance + 1
  int width = 8;      // at least least_width()
  int state_size = 16;
  /// Bias of the step size, which is its argument on every token but numbers: -110 underflows to a step of exactly 0
  /// in float. Milder ones leave a gradient; the register then fades by exp(-state_size softplus(bias)) a token.
  double step_bias = -110;
  Fault fault = Fault::none;

  [[nodiscard]] int distance_max() const { return distance_min + distances - 1; }
  [[nodiscard]] int answers() const { return values + distances; }
  [[nodiscard]] int vocabulary() const { return answers() + 3; }
  /// A channel for each number and one that is constant, of 2 width.
  [[nodiscard]] int least_width() const { return distances < 8 ? 4 : (distances + 2) / 2; }
  [[nodiscard]] int register_width() const { return width == 4 ? 1 : 2; }
  [[nodiscard]] int code_width() const { return width - 1 - register_width(); }

  /// InputError with one sentence where the numbers do not fit.
  void validate() const;
};

struct TrainableCopyConstruction : Construction {
  TrainableCopySpec spec;
  std::vector<Code> codes;  // of the answers
  double code_gap = 0;      // decoder_gap(codes)
  double frequency = 0;     // theta, radians per token
  double score_gap = 0;     // least difference of cosines between the source and another position of the window
  double temperature = 0;   // beta: a wrong position's score is at least beta * score_gap lower
  double value_gain = 0;    // length of the copied code relative to the token's own in the residual
};

/// Standard blocks. At width 4 the rotary embedding turns the whole head and its base is chosen (rotary_width 4);
/// above, rotary fraction 0.25 and base 10000 as in the presets, of which the first pair is used. The MLP's weights are
/// 0.
[[nodiscard]] TrainableCopyConstruction build(const TrainableCopySpec& spec);

}  // namespace hyseq::constructions
