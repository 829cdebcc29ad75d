// How well selective_copy can be solved by a model that sees no further back than its receptive field.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tasks/selective_copy.hpp"

namespace hyseq::tasks {

struct BestSuccess {
  std::int64_t valid = 0;  // positions with a target
  double right = 0;        // of these, expected under the best predictor; at most `valid`
};

/// Adds the valid positions of one input, each with the probability at which the best predictor of its target from the
/// last `receptive_field` tokens (the current one included, >= 1) is right, over everything that it does not see being
/// drawn as the sampler draws it with this share of number tokens. The predictor knows that the position counts. Means
/// over inputs of the sampler therefore converge to the largest accuracy that such a model can have.
void add_best_success(const SelectiveCopyShape& shape, double number_share, std::size_t receptive_field,
                      std::span<const std::int32_t> input, BestSuccess& sum);

}  // namespace hyseq::tasks
