// Complete domains of the constructions in standard blocks, labelled by the tasks.
#pragma once

#include "constructions/trainable/decode_recall.hpp"
#include "constructions/trainable/selective_copy.hpp"
#include "proofs_check/domain.hpp"

namespace hyseq::proofs_check {

/// Every sequence of `length` answers (no special tokens), every position checked.
[[nodiscard]] DomainSpec complete_domain(const constructions::TrainableCopySpec& spec, int length);
[[nodiscard]] DomainSpec complete_domain(const constructions::TrainableRecallSpec& spec, int length);

/// Families of sequences over the whole vocabulary, every position checked.
/// Copying: every number, behind it every two answers, then one value as far as the largest distance, then every value:
/// all pairs of a number and a source, all pairs of a source and the token that asks.
[[nodiscard]] DomainSpec vocabulary_domain(const constructions::TrainableCopySpec& spec);
/// Recall: every word, every answer behind it, every word behind that, then all ways to spell b bits: every spelt word
/// among every two that occur, with every follower.
[[nodiscard]] DomainSpec vocabulary_domain(const constructions::TrainableRecallSpec& spec);

}  // namespace hyseq::proofs_check
