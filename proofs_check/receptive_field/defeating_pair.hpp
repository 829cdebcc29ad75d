// Pairs of inputs that defeat every model with a small receptive field: they share their last tokens and need different
// answers at the last position. Each is written down for every length; the tasks' labellers confirm it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "proofs_check/residual_classes/streaming_machine.hpp"
#include "tasks/selective_copy.hpp"

namespace hyseq::proofs_check {

struct DefeatingPair {
  std::vector<std::int32_t> first;
  std::vector<std::int32_t> second;  // of the same length
  std::int32_t first_answer = kUndefined;
  std::int32_t second_answer = kUndefined;
  std::size_t shared = 0;  // last tokens in common: R of Theorem 3.7; the token before them differs
};

/// One number token in position 0, the least distance or the one after it, then values: shares length - 1 tokens.
/// InputError for less than two values or distances, or a length below distance_min + 2.
[[nodiscard]] DefeatingPair selective_copy_pair(const tasks::SelectiveCopyShape& shape, std::size_t length);

/// decode_recall (asked always): one bit in position 0, then words: shares length - 1 tokens. bits >= 1, length >= 4.
[[nodiscard]] DefeatingPair decode_recall_pair(int bits, std::size_t length);

/// decode_recall_last (asked once): the query word in position 0, its two followers in position 1, other words, the
/// query: shares length - 2 tokens. bits >= 2 (with two words no such pair exists), length >= bits + 2.
[[nodiscard]] DefeatingPair decode_recall_last_pair(int bits, std::size_t length);

/// Confirmed: equal lengths, exactly `shared` last tokens in common, and the labeller gives the two stated answers,
/// both defined and different.
[[nodiscard]] bool defeats(const DefeatingPair& pair, const Labeller& labeller);

/// The least number of last tokens that decides the answer at the last position, over all sequences with the given
/// tokens at each position, by exhaustion. Sequences without an answer count only where `undefined_counts`.
[[nodiscard]] std::size_t deciding_suffix(const std::vector<std::vector<std::int32_t>>& allowed,
                                          const Labeller& labeller, bool undefined_counts);

/// The tasks' labellers with their own token ids: the answer at the last position or kUndefined.
[[nodiscard]] Labeller decode_recall_labeller(int bits);
[[nodiscard]] Labeller decode_recall_last_labeller(int bits);

}  // namespace hyseq::proofs_check
