// Selective copying (Theorem 4.2 of Cooper, Diakonikolas, Ma, Sala 2026, arXiv 2603.08859) as a streaming machine.
//
// M values, N number tokens for the distances lo .. hi = lo + N - 1; token ids as in tasks/selective_copy.hpp. Number n
// of the theorem copies x_{t-(n-1)}: its distances are 0 .. N-1 (lo = 0), and number 1 reads its own position. The
// plain convention has lo = 1.
#pragma once

#include "proofs_check/residual_classes/streaming_machine.hpp"
#include "tasks/selective_copy.hpp"

namespace hyseq::proofs_check {

/// Deliberate faults for negative controls.
enum class CopyFault {
  none,
  short_memory,        // forgets the oldest token that is still needed
  numbers_not_copied,  // treats a copied number token as undefined, against the task
  first_number,        // obeys the first number token instead of the latest
};

/// Asked always: an answer to every token. The memory is the last hi tokens, number tokens included, and the latest
/// number; an answer is a token id or kUndefined.
[[nodiscard]] StreamingMachine copy_machine(const tasks::SelectiveCopyShape& shape, std::size_t limit,
                                            CopyFault fault = CopyFault::none);
/// Asked once: values without answers, then one number token; the state behind it is the machine's last one and is not
/// a class of contexts.
[[nodiscard]] StreamingMachine copy_machine_once(const tasks::SelectiveCopyShape& shape, std::size_t limit);

/// The task's labeller for either machine.
[[nodiscard]] Labeller copy_labeller(const tasks::SelectiveCopyShape& shape);
[[nodiscard]] Labeller copy_labeller_once(const tasks::SelectiveCopyShape& shape);

}  // namespace hyseq::proofs_check
