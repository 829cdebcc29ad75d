// Streaming algorithms with finitely many memories, as tables.
//
// Between two tokens such a machine is in one state; a token gives an answer and the next state. The answer to a token
// may depend on the token itself, so what is counted is what has to be held between two tokens: two prefixes need
// different states exactly if some non-empty continuation is answered differently (Myhill, Nerode 1958, for machines
// with answers).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hyseq::proofs_check {

inline constexpr std::int32_t kUndefined = -1;  // the task has no target here: an answer of its own
inline constexpr std::int32_t kNotAsked = -2;   // nothing was asked here

struct StreamingMachine {
  int tokens = 0;
  std::vector<std::int32_t> next;          // [state][token]; state 0 is the start
  std::vector<std::int16_t> answer;        // [state][token]: a token id, kUndefined or kNotAsked
  std::vector<std::int32_t> parent;        // [state]: a shortest way here, by its last step; -1 at the start
  std::vector<std::int16_t> parent_token;  // [state]

  [[nodiscard]] std::size_t states() const { return parent.size(); }
  [[nodiscard]] std::size_t cell(std::size_t state, std::size_t token) const {
    return state * static_cast<std::size_t>(tokens) + token;
  }
  /// A shortest sequence of tokens that leads from the start to the state.
  [[nodiscard]] std::vector<std::int32_t> access_word(std::size_t state) const;
};

/// What a memory does on one token. Memories are packed into 64 bits by their owner.
struct MemoryStep {
  std::uint64_t memory = 0;
  std::int32_t answer = kNotAsked;
};

/// All memories reachable from `start`, breadth first. InputError where there are more than `limit`.
[[nodiscard]] StreamingMachine explore(int tokens, std::uint64_t start,
                                       const std::function<MemoryStep(std::uint64_t, std::int32_t)>& step,
                                       std::size_t limit);

/// The task's own answer to the last token of a sequence: a token id, kUndefined or kNotAsked.
using Labeller = std::function<std::int32_t(std::span<const std::int32_t>)>;

struct Agreement {
  std::uint64_t compared = 0;              // answers
  std::vector<std::int32_t> disagreement;  // a sequence whose last answer differs; empty if there is none
  std::int32_t labelled = kNotAsked;
  std::int32_t answered = kNotAsked;

  [[nodiscard]] bool agrees() const { return compared > 0 && disagreement.empty(); }
  /// "0 2 1: labelled 2, answered -1"
  [[nodiscard]] std::string text() const;
};

/// Runs the machine against the labeller: every state's shortest access word followed by every token, every sequence of
/// up to `domain` tokens (in number), and `random` sequences of 100 tokens, answers at every position.
[[nodiscard]] Agreement compare(const StreamingMachine& machine, const Labeller& labeller, std::uint64_t domain,
                                std::uint64_t random, std::uint64_t seed);

/// Residual classes by the labeller alone: prefixes of up to `prefix` tokens that some continuation of 1 to `suffix`
/// tokens tells apart. A lower bound of the number of classes, reached once both lengths are long enough.
[[nodiscard]] std::size_t labelled_classes(int tokens, const Labeller& labeller, int prefix, int suffix);

}  // namespace hyseq::proofs_check
