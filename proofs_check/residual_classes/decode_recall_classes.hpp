// Associative recall with decoding (Theorem 4.5 of Cooper, Diakonikolas, Ma, Sala 2026, arXiv 2603.08859) as a
// streaming machine.
//
// 2^bits words, of which the first `words` occur, and two bit tokens, ids `words` and `words` + 1 here.
#pragma once

#include "proofs_check/residual_classes/streaming_machine.hpp"

namespace hyseq::proofs_check {

struct RecallShape {
  int words = 2;  // 1 .. 2^bits: words that occur
  int bits = 1;
};

/// Deliberate faults for negative controls.
enum class RecallFault {
  none,
  first_follower,  // keeps the first follower of a word instead of the latest
  lost_bit,        // a register of one bit less
  words_only,      // takes no bit token for a follower, against the task
};

/// Asked always: an answer to every token. The memory is the register, every word's latest follower and the last token
/// if it is a word (its follower is still to come).
[[nodiscard]] StreamingMachine recall_machine(const RecallShape& shape, std::size_t limit,
                                              RecallFault fault = RecallFault::none);
/// Asked once: words without answers, then one question. Token `words` + q asks for word q: it stands for the bits of
/// q. The state behind it is not a class of contexts.
[[nodiscard]] StreamingMachine recall_machine_once(int words, std::size_t limit);

/// The task's labellers: decode_recall for the first machine; for the second decode_recall_last with the question
/// spelt in bits.
[[nodiscard]] Labeller recall_labeller(const RecallShape& shape);
[[nodiscard]] Labeller recall_labeller_once(const RecallShape& shape);

}  // namespace hyseq::proofs_check
