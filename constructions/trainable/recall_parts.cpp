#include "constructions/trainable/recall_parts.hpp"

#include <cmath>

#include "kernels/base/error.hpp"

namespace hyseq::constructions {

void check_sizes(const RecallModelSpec& spec, int least_width, int most_states) {
  const auto check = [](const std::string& what, int value, int least, int most) {
    if (value >= least && value <= most) return;
    throw InputError(what + " " + std::to_string(value) + " must lie in " + std::to_string(least) + ".." +
                     std::to_string(most));
  };
  check("bits", spec.bits, 1, 6);
  check("window", spec.window, 3, 1 << 16);
  check("width", spec.width, least_width, 1024);
  check("state size", spec.state_size, 1, most_states);
}

void label_parts(Construction& construction, const RecallModelSpec& spec) {
  for (int w = 0; w < spec.words(); ++w) construction.token_labels.push_back("V" + std::to_string(w));
  for (const char* other : {"bit 0", "bit 1", "<bos>", "<eos>", "<null>"})
    construction.token_labels.emplace_back(other);
  for (int i = 0; i < spec.width; ++i) construction.row_labels.push_back("coordinate " + std::to_string(i));
}

models::Architecture recall_architecture(const RecallModelSpec& spec, int attentions) {
  models::SsmBlock ssm;
  ssm.state_size = spec.state_size;
  models::TransformerBlock tf;
  tf.window = spec.built_window();
  Recency(spec.window, 1).set_rotary(tf);
  models::Architecture architecture;
  architecture.width = spec.width;
  architecture.vocabulary = spec.vocabulary();
  architecture.layers = {ssm};
  architecture.layers.insert(architecture.layers.end(), static_cast<std::size_t>(attentions), tf);
  return architecture;
}

void detect_bits(SelectiveState& state, const std::vector<Code>& codes, const RecallModelSpec& spec) {
  const auto first_bit = static_cast<std::size_t>(spec.words());
  state.detect(kBitZero, codes, first_bit);
  state.detect(kBitOne, codes, first_bit + 1);
  for (const int bit : {kBitZero, kBitOne}) state.writes(bit);
}

RecallScores recall_scores(int window, double code_gap, double match_gap) {
  const double leak = code_gap / 16;  // attention beside the source that the decoder bears
  RecallScores scores;
  scores.recency = std::log(2 / leak);
  scores.temperature = (1.05 * Recency(window, scores.recency).range() + std::log(2 * window / leak)) / match_gap;
  scores.value_gain = 4 * std::sqrt(2 / code_gap);
  return scores;
}

}  // namespace hyseq::constructions
