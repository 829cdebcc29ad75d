#include "tasks/mkar.hpp"

#include <algorithm>
#include <unordered_map>

namespace hyseq::tasks {
namespace {

constexpr std::uint32_t kNoGram = 0xffffffffU;

/// For every position the identity of the k-gram ending there: equal numbers for equal k-grams, all below `count`.
struct Grams {
  std::vector<std::uint32_t> ids;  // kNoGram before position k-1
  std::size_t count = 0;
};

/// The k-gram read as a number in base V, where all V^k of them fit a small table.
Grams number_grams(std::span<const std::int32_t> input, std::size_t k, std::size_t base, std::size_t all) {
  Grams grams{std::vector<std::uint32_t>(input.size(), kNoGram), all};
  std::size_t code = 0;
  for (std::size_t i = 0; i < input.size(); ++i) {
    code = (code * base + static_cast<std::size_t>(input[i])) % all;  // the token k steps back falls off the top
    if (i + 1 >= k) grams.ids[i] = static_cast<std::uint32_t>(code);
  }
  return grams;
}

/// Any k: an m-gram is a pair of shorter grams, so that about 2 log2(k) rounds of numbering pairs reach k.
Grams pair_grams(std::span<const std::int32_t> input, std::size_t k) {
  const auto join = [&](const Grams& left, const Grams& right, std::size_t right_length) {
    Grams joined{std::vector<std::uint32_t>(input.size(), kNoGram), 0};
    std::unordered_map<std::uint64_t, std::uint32_t> numbers;
    for (std::size_t i = right_length; i < input.size(); ++i) {
      const std::uint32_t before = left.ids[i - right_length];
      if (before == kNoGram) continue;
      const std::uint64_t pair = std::uint64_t{before} << 32 | right.ids[i];
      joined.ids[i] = numbers.try_emplace(pair, static_cast<std::uint32_t>(numbers.size())).first->second;
    }
    joined.count = numbers.size();
    return joined;
  };
  Grams power;  // grams of length 1, 2, 4, ...
  for (const std::int32_t token : input) {
    power.ids.push_back(static_cast<std::uint32_t>(token));
    power.count = std::max(power.count, static_cast<std::size_t>(token) + 1);
  }
  Grams result;
  std::size_t result_length = 0;
  for (std::size_t length = 1; length <= k; length *= 2) {
    if ((k & length) != 0) {
      result = result_length == 0 ? power : join(power, result, result_length);
      result_length += length;
    }
    if (length <= k / 2) power = join(power, power, length);
  }
  return result;
}

Grams make_grams(std::span<const std::int32_t> input, std::size_t k, std::size_t base) {
  const std::size_t largest_table = std::max<std::size_t>(1024, 4 * input.size());
  std::size_t all = 1;
  for (std::size_t m = 0; m < k && all <= largest_table; ++m) all *= base;
  return all <= largest_table ? number_grams(input, k, base, all) : pair_grams(input, k);
}

class Mkar final : public Task {
 public:
  Mkar(std::int32_t values, std::int32_t key_length, bool published_edges)
      : Task("mkar", Vocabulary(values, {}),
             {{"n", values}, {"k", key_length}, {"published_edges", std::int64_t{published_edges}}}),
        key_length_(static_cast<std::size_t>(key_length)),
        published_edges_(published_edges) {}

 private:
  void check_room(std::size_t length) const override {
    require_length(length, key_length_ + 1, "a key of " + std::to_string(key_length_) + " tokens must have a follower");
  }

  void write_target(std::span<const std::int32_t> input, std::span<std::int32_t> target) const override {
    mkar_sources({key_length_, published_edges_}, vocabulary().size(), input, target);
    targets_from_sources(input, vocabulary().null(), target);
  }

  void draw_input(RandomStream& stream, std::span<std::int32_t> input) const override {
    const auto values = static_cast<std::uint32_t>(vocabulary().values());
    for (std::int32_t& token : input) token = static_cast<std::int32_t>(stream.below(values));
  }

  std::size_t key_length_;
  bool published_edges_;
};

}  // namespace

void mkar_sources(const MkarShape& shape, std::int32_t vocabulary, std::span<const std::int32_t> input,
                  std::span<std::int32_t> source, std::span<std::int32_t> earlier) {
  std::ranges::fill(source, -1);
  std::ranges::fill(earlier, 0);
  const std::size_t k = shape.key_length;
  if (input.size() <= k) return;
  const Grams grams = make_grams(input, k, static_cast<std::size_t>(vocabulary));
  std::vector<std::int32_t> follower(grams.count, -1);  // of the latest occurrence
  std::vector<std::int32_t> occurrences(earlier.empty() ? 0 : grams.count, 0);
  for (std::size_t i = k; i < input.size(); ++i) {
    // The gram ending one step back has found its follower only now, hence is recorded before the look-up.
    const std::size_t j = i - 1;
    if (j >= k || !shape.published_edges) {
      follower[grams.ids[j]] = static_cast<std::int32_t>(i);
      if (!earlier.empty()) ++occurrences[grams.ids[j]];
    }
    source[i] = follower[grams.ids[i]];
    if (!earlier.empty()) earlier[i] = occurrences[grams.ids[i]];
  }
}

TaskInfo mkar_info() {
  return {"mkar",
          "recall the token that followed the latest earlier occurrence of the last k tokens",
          {{"values", "8", "number of value tokens, 1 to 1000000"},
           {"key-length", "2", "tokens in a key, 1 to 1000000"},
           {"published-edges", "1", "1: the key at the very start is never recorded, as published; 0: it is"}},
          [](const OptionValues& options) -> std::unique_ptr<Task> {
            return std::make_unique<Mkar>(options.integer("values", 1, 1000000),
                                          options.integer("key-length", 1, 1000000), options.flag("published-edges"));
          }};
}

}  // namespace hyseq::tasks
