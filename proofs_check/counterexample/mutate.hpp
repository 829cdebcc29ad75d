// Sequences to begin a guided search with, and small changes of them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/base/random.hpp"
#include "proofs_check/counterexample/question.hpp"
#include "tasks/batch.hpp"

namespace hyseq::proofs_check {

/// A sequence of `length` tokens. `kind` goes through four ways in turn: the task's own sampler (uniform tokens where
/// it refuses the length); uniform tokens; tokens out of a random few; one token almost everywhere.
[[nodiscard]] Sequence starting_sequence(const Question& question, std::size_t length, std::size_t kind,
                                         RandomStream& random);

/// Every token that may not stand at its place becomes one that may.
void fit(const Question& question, Sequence& sequence);

/// One to three changes of `parent`, its length kept within `lengths`: a token replaced, two exchanged, a block copied
/// elsewhere, a token inserted or deleted, a token moved, the rest of `other` spliced on.
[[nodiscard]] Sequence mutate(const Sequence& parent, const Sequence& other, std::int32_t tokens,
                              tasks::LengthRange lengths, RandomStream& random);

}  // namespace hyseq::proofs_check
