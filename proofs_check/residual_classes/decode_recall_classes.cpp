#include "proofs_check/residual_classes/decode_recall_classes.hpp"

#include <vector>

#include "tasks/decode_recall.hpp"
#include "tasks/decode_recall_last.hpp"

namespace hyseq::proofs_check {
namespace {

/// One digit per word, its latest follower: 0 for none yet, token + 1 else.
class Followers {
 public:
  Followers(int words, int tokens) : base_(static_cast<std::uint64_t>(tokens) + 1) {
    for (int w = 0; w <= words; ++w, top_ *= base_) place_.push_back(top_);
  }

  [[nodiscard]] std::uint64_t count() const { return place_.back(); }
  [[nodiscard]] std::int32_t of(std::uint64_t digits, std::int32_t word) const {
    return static_cast<std::int32_t>(digits / place(word) % base_) - 1;
  }
  [[nodiscard]] std::uint64_t set(std::uint64_t digits, std::int32_t word, std::int32_t follower) const {
    const std::uint64_t old = digits / place(word) % base_;
    return digits + (static_cast<std::uint64_t>(follower) + 1 - old) * place(word);
  }

 private:
  [[nodiscard]] std::uint64_t place(std::int32_t word) const { return place_[static_cast<std::size_t>(word)]; }

  std::uint64_t base_;
  std::uint64_t top_ = 1;
  std::vector<std::uint64_t> place_;
};

}  // namespace

StreamingMachine recall_machine(const RecallShape& shape, std::size_t limit, RecallFault fault) {
  const int words = shape.words;
  const Followers followers(words, words + 2);
  const auto lasts = static_cast<std::uint64_t>(words) + 1;
  const std::uint64_t registers = std::uint64_t{1} << (shape.bits - (fault == RecallFault::lost_bit ? 1 : 0));
  // memory = (followers * lasts + last word + 1) * registers + register
  const auto step = [=](std::uint64_t memory, std::int32_t token) {
    std::uint64_t spelt = memory % registers;
    const auto last = static_cast<std::int32_t>(memory / registers % lasts) - 1;
    std::uint64_t digits = memory / registers / lasts;
    const bool bit = token >= words;
    if (last >= 0 && !(fault == RecallFault::words_only && bit) &&
        !(fault == RecallFault::first_follower && followers.of(digits, last) >= 0)) {
      digits = followers.set(digits, last, token);
    }
    if (bit) spelt = (2 * spelt + static_cast<std::uint64_t>(token - words)) % registers;
    const auto now = static_cast<std::uint64_t>(bit ? 0 : token + 1);
    const auto word = static_cast<std::int32_t>(spelt);
    return MemoryStep{(digits * lasts + now) * registers + spelt,
                      word < words ? followers.of(digits, word) : kUndefined};
  };
  return explore(words + 2, 0, step, limit);
}

StreamingMachine recall_machine_once(int words, std::size_t limit) {
  const Followers followers(words, words);
  const auto lasts = static_cast<std::uint64_t>(words) + 1;
  const std::uint64_t answered = followers.count() * lasts;
  const auto step = [=](std::uint64_t memory, std::int32_t token) {
    if (memory == answered) return MemoryStep{answered, kNotAsked};
    const auto last = static_cast<std::int32_t>(memory % lasts) - 1;
    std::uint64_t digits = memory / lasts;
    if (token >= words) return MemoryStep{answered, followers.of(digits, token - words)};
    if (last >= 0) digits = followers.set(digits, last, token);
    return MemoryStep{digits * lasts + static_cast<std::uint64_t>(token) + 1, kNotAsked};
  };
  return explore(2 * words, 0, step, limit);
}

Labeller recall_labeller(const RecallShape& shape) {
  const std::int32_t all = std::int32_t{1} << shape.bits;
  const std::int32_t skipped = all - shape.words;  // word ids of the task that do not occur
  return [=, task = std::vector<std::int32_t>(),
          source = std::vector<std::int32_t>()](std::span<const std::int32_t> input) mutable {
    task.assign(input.begin(), input.end());
    for (std::int32_t& token : task) token += token >= shape.words ? skipped : 0;
    source.resize(input.size());
    tasks::decode_recall_sources(all, task, source);
    return source.back() < 0 ? kUndefined : input[static_cast<std::size_t>(source.back())];
  };
}

Labeller recall_labeller_once(const RecallShape& shape) {
  return [shape, task = std::vector<std::int32_t>()](std::span<const std::int32_t> input) mutable {
    for (const std::int32_t token : input.first(input.size() - 1)) {
      if (token >= shape.words) return kNotAsked;
    }
    if (input.back() < shape.words) return kNotAsked;
    const std::int32_t query = input.back() - shape.words;
    task.assign(input.begin(), input.end() - 1);
    for (int bit = shape.bits - 1; bit >= 0; --bit)
      task.push_back((std::int32_t{1} << shape.bits) + ((query >> bit) & 1));
    const std::int32_t source = tasks::decode_recall_last_source(shape.bits, task);
    return source < 0 ? kUndefined : task[static_cast<std::size_t>(source)];
  };
}

}  // namespace hyseq::proofs_check
