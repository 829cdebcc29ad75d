// Every sequence of one length, through the real weights.
//
// The sequences form a tree of prefixes, walked depth first with the model's carry (recurrent states, windows of keys
// and values) kept per depth and siblings in one batch, so that each prefix is computed once per length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "proofs_check/counterexample/question.hpp"

namespace hyseq::proofs_check {

struct LengthResult {
  std::size_t length = 0;
  bool complete = false;        // every sequence was looked at, or all those before the failing one
  std::uint64_t sequences = 0;  // looked at; where one fails, those before it in order
  std::uint64_t defined = 0;    // of these, how many have a position with a target
  double smallest_margin = std::numeric_limits<double>::infinity();  // over all positions with a target
  std::vector<std::uint64_t> answers;  // how often each token was due; empty where a sequence fails
  std::optional<Sequence> failing;     // the first in lexicographic order, if complete
  double seconds = 0;
};

/// Number of sequences of that length, as a double: it may be astronomic.
[[nodiscard]] double sequences_of_length(const Question& question, std::size_t length);

/// In the arithmetic of the reference engine. The result does not depend on the number of threads where it is complete.
/// `progress` is told the number of sequences so far, now and then, never from two threads at once.
[[nodiscard]] LengthResult check_length(const Question& question, std::size_t length, const TimeBudget& budget,
                                        int threads, const std::function<void(double)>& progress = {});

}  // namespace hyseq::proofs_check
