// Mean cross-entropy over the valid positions.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/base/view.hpp"

namespace hyseq::kernels {

/// Loss over `rows` rows of logits [rows, vocabulary]: the mean of log(sum_v exp(logits[v])) - logits[target] over the
/// rows whose target is below `valid_below` (special tokens have the largest ids and do not count).
struct LossResult {
  double loss = 0;  // mean over the valid rows; 0 where there are none
  std::int64_t valid = 0;
  std::int64_t correct = 0;  // arg-max equals the target; ties count as wrong
};

/// Whether a target counts.
[[nodiscard]] constexpr bool is_valid_target(std::int32_t target, std::int32_t valid_below) {
  return target >= 0 && target < valid_below;
}

/// How many targets count.
[[nodiscard]] std::int64_t count_valid(std::span<const std::int32_t> targets, std::int32_t valid_below);

/// InputError where a target that counts lies outside the vocabulary.
void check_targets(std::span<const std::int32_t> targets, std::int32_t valid_below, std::int32_t vocabulary);

/// logits_gradient = (softmax(logits) - one_hot(target)) / valid rows of the whole batch; zero in rows whose target
/// does not count, and everywhere where no row does. First call of every backward program.
struct CrossEntropyBackward {
  View logits;
  View logits_gradient;
};

}  // namespace hyseq::kernels
