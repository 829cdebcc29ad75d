// Whole sequences through an engine, each scored by its worst position.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "kernels/engine.hpp"
#include "proofs_check/counterexample/question.hpp"

namespace hyseq::proofs_check {

struct Examination {
  /// The least margin over the positions with a target: above 0 all are right. Infinite where none has a target,
  /// -infinity where a logit is not a number.
  double margin = std::numeric_limits<double>::infinity();
  std::optional<Failure> failure;  // the first wrong position
};

/// One per sequence, in their order; no sequence may be empty. Sequences of several lengths share a batch: what pads
/// the shorter ones lies behind their end, where a causal model cannot see it. Where `give_up`, asked before every
/// batch, says so, the later sequences are left out.
[[nodiscard]] std::vector<Examination> examine(const Question& question, const kernels::Engine& engine,
                                               std::span<const Sequence> sequences,
                                               const std::function<bool()>& give_up = {});

/// One sequence in the reference engine's arithmetic.
[[nodiscard]] Examination examine(const Question& question, const Sequence& sequence);

}  // namespace hyseq::proofs_check
