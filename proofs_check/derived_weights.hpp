// Margins are derived for weights of a certain form. Complete domains see the form only where the vocabulary is small,
// so what grows with it is looked at weight by weight: every token's code, every number's query, every word's key.
#pragma once

#include <string>

#include "constructions/decode_recall.hpp"
#include "constructions/selective_copy.hpp"

namespace hyseq::proofs_check {

/// Empty, or a sentence on the first weight that is not as derived: codes of +-1, no two alike; the number n's query at
/// distance n-1 and nothing to carry in any other token; the word's value and square; the attention's window.
[[nodiscard]] std::string weights_failure(const constructions::SelectiveCopyConstruction& construction);
[[nodiscard]] std::string weights_failure(const constructions::DecodeRecallConstruction& construction);

}  // namespace hyseq::proofs_check
