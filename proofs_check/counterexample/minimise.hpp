// From a failing sequence to a small one.
#pragma once

#include "proofs_check/counterexample/question.hpp"

namespace hyseq::proofs_check {

struct Minimised {
  Failure failure;
  /// No sequence with one token left out fails, nor one with a single token replaced by one of a smaller id.
  bool locally_minimal = false;  // else the budget was over before that was known
};

/// In the reference engine's arithmetic, where `failing` must fail. Ends are cut off, then blocks of halving size left
/// out, then tokens lowered, from the first position on and each as far as it goes, until nothing helps. Where only the
/// last position of a fixed length is asked for, tokens are lowered alone.
[[nodiscard]] Minimised minimise(const Question& question, const Failure& failing, const TimeBudget& budget);

}  // namespace hyseq::proofs_check
