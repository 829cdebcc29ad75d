// Complete domains of the constructions in standard blocks, labelled by the tasks.
#pragma once

#include <vector>

#include "constructions/trainable/decode_recall.hpp"
#include "constructions/trainable/deep_recall.hpp"
#include "constructions/trainable/selective_copy.hpp"
#include "proofs_check/domain.hpp"

namespace hyseq::proofs_check {

/// Every sequence of `length` answers (no special tokens), every position checked.
[[nodiscard]] DomainSpec complete_domain(const constructions::TrainableCopySpec& spec, int length);
[[nodiscard]] DomainSpec complete_domain(const constructions::TrainableRecallSpec& spec, int length);
[[nodiscard]] DomainSpec complete_domain(const constructions::DeepRecallSpec& spec, int length);

/// Families of sequences over the whole vocabulary, every position checked.
/// Copying: every number, behind it every two answers, then one value as far as the largest distance, then every value:
/// all pairs of a number and a source, all pairs of a source and the token that asks.
[[nodiscard]] std::vector<DomainSpec> vocabulary_domains(const constructions::TrainableCopySpec& spec);
/// Recall, two families: every word with every answer behind it, and every two words; behind them all ways to spell b
/// bits.
[[nodiscard]] std::vector<DomainSpec> vocabulary_domains(const constructions::TrainableRecallSpec& spec);
[[nodiscard]] std::vector<DomainSpec> vocabulary_domains(const constructions::DeepRecallSpec& spec);

}  // namespace hyseq::proofs_check
