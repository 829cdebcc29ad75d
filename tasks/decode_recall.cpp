#include "tasks/decode_recall.hpp"

#include "tasks/draw.hpp"

namespace hyseq::tasks {

Vocabulary word_and_bit_vocabulary(std::int32_t bits) { return {std::int32_t{1} << bits, {"#0", "#1"}}; }

void decode_recall_sources(std::int32_t words, std::span<const std::int32_t> input, std::span<std::int32_t> source) {
  std::vector<std::int32_t> follower(static_cast<std::size_t>(words), -1);  // of the latest occurrence
  std::int32_t word = 0;                                                    // the register
  for (std::size_t i = 0; i < input.size(); ++i) {
    if (i > 0 && input[i - 1] < words) follower[static_cast<std::size_t>(input[i - 1])] = static_cast<std::int32_t>(i);
    const std::int32_t bit = input[i] - words;
    if (bit == 0 || bit == 1) word = (2 * word + bit) & (words - 1);
    source[i] = follower[static_cast<std::size_t>(word)];
  }
}

namespace {

class DecodeRecall final : public Task {
 public:
  DecodeRecall(std::int32_t bits, double bit_share)
      : Task("decode_recall", word_and_bit_vocabulary(bits), {{"bits", bits}, {"p", bit_share}}), is_bit_(bit_share) {}

 private:
  void check_room(std::size_t length) const override { require_length(length, 2, "a word must have a follower"); }

  void write_target(std::span<const std::int32_t> input, std::span<std::int32_t> target) const override {
    decode_recall_sources(vocabulary().values(), input, target);
    targets_from_sources(input, vocabulary().null(), target);
  }

  void draw_input(RandomStream& stream, std::span<std::int32_t> input) const override {
    const auto words = static_cast<std::uint32_t>(vocabulary().values());
    for (std::int32_t& token : input) token = draw_value_or_own(stream, is_bit_, words, 2);
  }

  Bernoulli is_bit_;
};

}  // namespace

TaskInfo decode_recall_info() {
  return {"decode_recall",
          "bits spell a word at any time; recall what followed that word's latest occurrence",
          {{"bits", "5", "bits b of a word, 1 to 24; there are 2^b words"},
           {"bit-share", "0.2", "probability of a bit token, 0 to 1"}},
          [](const OptionValues& options) -> std::unique_ptr<Task> {
            return std::make_unique<DecodeRecall>(options.integer("bits", 1, 24), options.share("bit-share"));
          }};
}

}  // namespace hyseq::tasks
