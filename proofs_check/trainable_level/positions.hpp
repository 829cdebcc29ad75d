// Accuracy of a model with given weights at every position of random sequences of a task.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "constructions/construction.hpp"
#include "kernels/base/number_format.hpp"
#include "proofs_check/domain.hpp"
#include "tasks/task.hpp"

namespace hyseq::proofs_check {

struct RandomPositions {
  std::size_t length = 100;
  std::uint64_t answers = 10000000;  // positions with a target, rounded up to whole rounds of the engine
  std::uint64_t seed = 1;
  std::string engine = "lanes";
  NumberFormat format = NumberFormat::float32;
  std::size_t threads = 1;
  bool stop_at_first_error = false;  // at the end of the round that has it
};

struct PositionCounts {
  std::uint64_t positions = 0;                   // tokens seen
  std::uint64_t defined = 0;                     // positions with a target
  std::uint64_t correct = 0;                     // the largest logit is the target's alone
  double loss = 0;                               // mean cross-entropy over the defined positions
  std::optional<Counterexample> counterexample;  // the prefix up to the first wrong position

  [[nodiscard]] bool all_correct() const { return defined > 0 && correct == defined; }
};

/// Rows of the verification stream of `seed`, sampled and labelled by the task, through an engine's evaluation (all
/// members of a cohort hold the same weights and take different rows). InputError where the vocabularies differ or the
/// task refuses the length.
[[nodiscard]] PositionCounts check_random_positions(const constructions::Construction& construction,
                                                    const tasks::Task& task, const RandomPositions& request);

}  // namespace hyseq::proofs_check
