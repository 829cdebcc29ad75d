#include "tasks/decode_recall_last.hpp"

#include <algorithm>

#include "tasks/decode_recall.hpp"
#include "tasks/draw.hpp"

namespace hyseq::tasks {
std::int32_t decode_recall_last_source(std::int32_t bits, std::span<const std::int32_t> input) {
  const auto count = static_cast<std::size_t>(bits);
  if (input.size() < count + 2) return -1;
  const std::int32_t words = std::int32_t{1} << bits;
  std::int32_t query = 0;
  for (const std::int32_t token : input.last(count)) {
    if (token != words && token != words + 1) return -1;
    query = 2 * query + (token - words);
  }
  for (std::size_t follower = input.size() - count - 1; follower > 0; --follower) {
    if (input[follower - 1] == query) return static_cast<std::int32_t>(follower);
  }
  return -1;
}

namespace {

class DecodeRecallLast final : public Task {
 public:
  DecodeRecallLast(std::int32_t bits, double bit_share)
      : Task("decode_recall_last", word_and_bit_vocabulary(bits), {{"bits", bits}, {"p", bit_share}}),
        bits_(static_cast<std::size_t>(bits)),
        is_bit_(bit_share) {}

 private:
  void check_room(std::size_t length) const override {
    require_length(length, bits_ + 2,
                   "a word and its follower must stand before the " + std::to_string(bits_) + " query bits");
  }

  void write_target(std::span<const std::int32_t> input, std::span<std::int32_t> target) const override {
    std::fill(target.begin(), target.end(), vocabulary().null());
    const std::int32_t source = decode_recall_last_source(static_cast<std::int32_t>(bits_), input);
    if (source >= 0) target.back() = input[static_cast<std::size_t>(source)];
  }

  void draw_input(RandomStream& stream, std::span<std::int32_t> input) const override {
    const auto words = static_cast<std::uint32_t>(vocabulary().values());
    for (std::int32_t& token : input.first(input.size() - bits_)) token = draw_value_or_own(stream, is_bit_, words, 2);
    for (std::int32_t& token : input.last(bits_)) token = static_cast<std::int32_t>(words + stream.below(2));
  }

  std::size_t bits_;
  Bernoulli is_bit_;
};

}  // namespace

TaskInfo decode_recall_last_info() {
  return {"decode_recall_last",
          "the last bits spell a word; recall what followed its latest occurrence, at the end only",
          {{"bits", "5", "bits b of a word, 1 to 24; there are 2^b words"},
           {"bit-share", "0", "probability of a distracting bit token in the context, 0 to 1; published: 0"}},
          [](const OptionValues& options) -> std::unique_ptr<Task> {
            return std::make_unique<DecodeRecallLast>(options.integer("bits", 1, 24), options.share("bit-share"));
          }};
}

}  // namespace hyseq::tasks
