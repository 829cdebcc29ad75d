#include "proofs_check/residual_classes/streaming_machine.hpp"

#include <algorithm>
#include <map>

#include "kernels/base/error.hpp"
#include "kernels/base/random.hpp"
#include "proofs_check/residual_classes/grouping.hpp"

namespace hyseq::proofs_check {
namespace {

std::size_t index(std::int32_t value) { return static_cast<std::size_t>(value); }

/// Goes through sequences with the machine and the labeller side by side.
class Comparison {
 public:
  Comparison(const StreamingMachine& machine, const Labeller& labeller) : machine_(machine), labeller_(labeller) {}

  /// The answers of the sequence's tokens from `first` on. False once a disagreement is known.
  bool run(std::span<const std::int32_t> sequence, std::size_t first) {
    std::size_t state = 0;
    for (std::size_t t = 0; t < sequence.size() && result_.disagreement.empty(); ++t) {
      const std::size_t cell = machine_.cell(state, index(sequence[t]));
      if (t >= first) compare(sequence.first(t + 1), machine_.answer[cell]);
      state = index(machine_.next[cell]);
    }
    return result_.disagreement.empty();
  }

  /// The answers of every token behind `word`, which has room for one more at its end.
  bool run_every_token(std::vector<std::int32_t>& word) {
    std::size_t state = 0;
    for (std::size_t t = 0; t + 1 < word.size(); ++t) {
      state = index(machine_.next[machine_.cell(state, index(word[t]))]);
    }
    for (std::int32_t token = 0; token < machine_.tokens && result_.disagreement.empty(); ++token) {
      word.back() = token;
      compare(word, machine_.answer[machine_.cell(state, index(token))]);
    }
    return result_.disagreement.empty();
  }

  [[nodiscard]] const Agreement& result() const { return result_; }

 private:
  void compare(std::span<const std::int32_t> prefix, std::int32_t answered) {
    ++result_.compared;
    const std::int32_t labelled = labeller_(prefix);
    if (labelled == answered) return;
    result_.disagreement.assign(prefix.begin(), prefix.end());
    result_.labelled = labelled;
    result_.answered = answered;
  }

  const StreamingMachine& machine_;
  const Labeller& labeller_;
  Agreement result_;
};

/// Counts `word` up in base `tokens`; false after the last word of its length.
bool advance(std::vector<std::int32_t>& word, int tokens) {
  for (std::size_t i = word.size(); i-- > 0;) {
    if (++word[i] < tokens) return true;
    word[i] = 0;
  }
  return false;
}

}  // namespace

std::vector<std::int32_t> StreamingMachine::access_word(std::size_t state) const {
  std::vector<std::int32_t> word;
  for (; parent[state] >= 0; state = index(parent[state])) word.push_back(parent_token[state]);
  std::reverse(word.begin(), word.end());
  return word;
}

StreamingMachine explore(int tokens, std::uint64_t start,
                         const std::function<MemoryStep(std::uint64_t, std::int32_t)>& step, std::size_t limit) {
  StreamingMachine machine;
  machine.tokens = tokens;
  std::vector<std::uint64_t> memories{start};
  machine.parent.push_back(-1);
  machine.parent_token.push_back(-1);
  ItemSet known(limit + 1);
  const auto equal = [&](std::int32_t a, std::int32_t b) { return memories[index(a)] == memories[index(b)]; };
  known.find_or_add(mix(0, start), 0, equal);
  for (std::size_t state = 0; state < memories.size(); ++state) {
    for (std::int32_t token = 0; token < tokens; ++token) {
      const MemoryStep result = step(memories[state], token);
      const auto fresh = static_cast<std::int32_t>(memories.size());
      memories.push_back(result.memory);
      const std::int32_t target = known.find_or_add(mix(0, result.memory), fresh, equal);
      if (target != fresh) {
        memories.pop_back();
      } else if (memories.size() > limit) {
        throw InputError("the machine has more than " + std::to_string(limit) + " memories, the limit of enumeration");
      } else {
        machine.parent.push_back(static_cast<std::int32_t>(state));
        machine.parent_token.push_back(static_cast<std::int16_t>(token));
      }
      machine.next.push_back(target);
      machine.answer.push_back(static_cast<std::int16_t>(result.answer));
    }
  }
  return machine;
}

std::string Agreement::text() const {
  if (disagreement.empty()) return "";
  std::string text;
  for (const std::int32_t token : disagreement) text += (text.empty() ? "" : " ") + std::to_string(token);
  return text + " -> expected " + std::to_string(labelled) + ", answered " + std::to_string(answered);
}

Agreement compare(const StreamingMachine& machine, const Labeller& labeller, std::uint64_t domain, std::uint64_t random,
                  std::uint64_t seed) {
  Comparison comparison(machine, labeller);
  for (std::size_t state = 0; state < machine.states(); ++state) {
    std::vector<std::int32_t> word = machine.access_word(state);
    word.push_back(0);
    if (!comparison.run_every_token(word)) return comparison.result();
  }
  std::uint64_t sequences = static_cast<std::uint64_t>(machine.tokens);
  for (std::size_t length = 1; sequences <= domain; ++length) {
    std::vector<std::int32_t> word(length, 0);
    do {
      if (!comparison.run(word, length - 1)) return comparison.result();
    } while (advance(word, machine.tokens));
    sequences *= static_cast<std::uint64_t>(machine.tokens);
  }
  constexpr std::size_t kLength = 100;
  for (std::uint64_t i = 0; i < random; ++i) {
    RandomStream stream({seed, Purpose::verification}, i);
    std::vector<std::int32_t> word(kLength);
    for (std::int32_t& token : word) {
      token = static_cast<std::int32_t>(stream.below(static_cast<std::uint32_t>(machine.tokens)));
    }
    if (!comparison.run(word, 0)) return comparison.result();
  }
  return comparison.result();
}

std::size_t labelled_classes(int tokens, const Labeller& labeller, int prefix, int suffix) {
  std::map<std::vector<std::int32_t>, std::size_t> rows;
  for (int before = 0; before <= prefix; ++before) {
    std::vector<std::int32_t> start(static_cast<std::size_t>(before), 0);
    do {
      std::vector<std::int32_t> row;
      for (int behind = 1; behind <= suffix; ++behind) {
        std::vector<std::int32_t> end(static_cast<std::size_t>(behind), 0);
        do {
          std::vector<std::int32_t> whole = start;
          whole.insert(whole.end(), end.begin(), end.end());
          row.push_back(labeller(whole));
        } while (advance(end, tokens));
      }
      ++rows[row];
    } while (advance(start, tokens));
  }
  return rows.size();
}

}  // namespace hyseq::proofs_check
