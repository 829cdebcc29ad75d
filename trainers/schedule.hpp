// The learning rate at every step.
#pragma once

#include <cstdint>

#include "trainers/configuration.hpp"

namespace hyseq::trainers {

/// Rate of step s, 0 <= s <= steps: peak * s / warmup while s < warmup, so that a first step of a warm-up has rate 0
/// (and still updates the moments); from there on it falls from the peak at s = warmup to 0 at s = steps, the step
/// behind the last one: linearly, or as (1 + cos) / 2. Finite for every warm-up from 0 to `steps`; where the two are
/// equal, the peak is reached at s = steps.
[[nodiscard]] double learning_rate(const OptimiserConfiguration& options, std::int64_t step);

}  // namespace hyseq::trainers
