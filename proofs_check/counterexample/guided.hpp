// Guided search for a failing sequence where there are too many to try them all.
//
// A round is a population that climbs towards smaller margins: every generation changes each member a little and keeps
// the change where the worst margin over the positions did not grow. Rounds begin afresh, so that one barren hill costs
// one round. What a round does is a function of (seed, stage, round) alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>

#include "kernels/engine.hpp"
#include "proofs_check/counterexample/question.hpp"
#include "tasks/batch.hpp"

namespace hyseq::proofs_check {

struct GuidedRequest {
  const kernels::Engine* engine = nullptr;  // runs the sequences; its failures count where the reference has them too
  tasks::LengthRange lengths{1, 1};
  std::uint64_t seed = 0;
  std::uint64_t stage = 0;  // searches of one seed are told apart by it
  std::uint64_t rounds = std::numeric_limits<std::uint64_t>::max();
  int threads = 1;
  /// Told the number of sequences so far, after a round, never from two threads at once.
  std::function<void(std::uint64_t)> progress;
};

struct GuidedResult {
  std::uint64_t rounds = 0;     // up to and with the one that failed
  std::uint64_t sequences = 0;  // in these
  double smallest_margin = std::numeric_limits<double>::infinity();
  std::optional<Sequence> failing;  // of the first round that found any
};

/// Sequences of a round that finds nothing.
[[nodiscard]] std::uint64_t round_sequences();

/// Ends with the first round that finds a failing sequence, after `rounds` of them, or when the
/// budget is over; rounds that the budget cut short do not count. But for the budget, the result does not depend on the
/// number of threads.
[[nodiscard]] GuidedResult search_guided(const Question& question, const GuidedRequest& request,
                                         const TimeBudget& budget);

}  // namespace hyseq::proofs_check
