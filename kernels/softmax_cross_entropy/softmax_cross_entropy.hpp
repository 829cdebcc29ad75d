// Mean cross-entropy over the valid positions.
#pragma once

#include <cstdint>
#include <span>

namespace hyseq::kernels {

/// Loss over `rows` rows of logits [rows, vocabulary]: the mean of log(sum_v exp(logits[v])) - logits[target] over the
/// rows whose target is below `valid_below` (special tokens have the largest ids and do not count).
struct LossResult {
  double loss = 0;  // mean over the valid rows; 0 where there are none
  std::int64_t valid = 0;
  std::int64_t correct = 0;  // arg-max equals the target; ties count as wrong
};

}  // namespace hyseq::kernels
