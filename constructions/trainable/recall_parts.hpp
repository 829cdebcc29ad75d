// What the two constructions of associative recall with decoding in standard blocks have in common: the sizes, the
// tokens, the register's detectors, and the scores of the attention that recalls.
#pragma once

#include <vector>

#include "constructions/construction.hpp"
#include "constructions/trainable/recency.hpp"
#include "constructions/trainable/selective_state.hpp"

namespace hyseq::constructions {

struct RecallModelSpec {
  int bits = 5;      // 1..6
  int window = 100;  // of the attention; sequences up to window + 1 tokens are answered at every position
  int width = 0;     // of the model
  int state_size = 16;
  double step_bias = 0;  // of the step size
  Fault fault = Fault::none;

  [[nodiscard]] int words() const { return 1 << bits; }
  [[nodiscard]] int answers() const { return words() + 2; }
  [[nodiscard]] int vocabulary() const { return answers() + 3; }
  /// Of the attention as built: the fault makes it one shorter.
  [[nodiscard]] int built_window() const { return fault == Fault::short_window ? window - 1 : window; }
};

/// InputError with one sentence where bits, window, width or state size do not fit.
void check_sizes(const RecallModelSpec& spec, int least_width, int most_states);

/// "V0" .., the bits, the special tokens; "coordinate 0" ..
void label_parts(Construction& construction, const RecallModelSpec& spec);

/// SSM and then `attentions` Transformer blocks with the window and Recency's rotary width.
[[nodiscard]] models::Architecture recall_architecture(const RecallModelSpec& spec, int attentions);

/// Channels of the state space block: a detector of each bit, and pairs that pass the previous token on.
enum RecallChannel : int { kBitZero = 0, kBitOne = 1, kPassing = 2 };

/// Detectors of both bits, each of which writes; what the state is made of is the caller's.
void detect_bits(SelectiveState& state, const std::vector<Code>& codes, const RecallModelSpec& spec);

/// Scores and value of the attention: recency decides between occurrences of the word, the match outweighs recency over
/// the whole window, and the copied code the token's own.
struct RecallScores {
  double recency = 0;      // gamma: least difference of score between a position and the one before
  double temperature = 0;  // beta, of the match
  double value_gain = 0;   // length of the copied code relative to the token's own in the residual
};
/// `code_gap`: decoder gap of the codes; `match_gap`: least difference of match between the right word and another.
[[nodiscard]] RecallScores recall_scores(int window, double code_gap, double match_gap);

}  // namespace hyseq::constructions
