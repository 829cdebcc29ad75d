// Residual classes of a streaming machine by partition refinement (Moore 1956): states are split by their answers, then
// by the classes that their tokens lead to, until nothing splits. What is left in one class no continuation tells
// apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "proofs_check/residual_classes/streaming_machine.hpp"

namespace hyseq::proofs_check {

struct Partition {
  std::vector<std::int32_t> class_of;  // [state]
  std::size_t classes = 0;
  int rounds = 0;       // after the split by answers
  bool stable = false;  // false only where `most_rounds` ended it
};

[[nodiscard]] Partition residual_partition(const StreamingMachine& machine, int most_rounds = 1 << 30);

/// For a task that is asked once: classes after t = 0 .. length ordinary tokens (those below `ordinary`), when exactly
/// `length` of them come before one question (a token from `ordinary` on).
[[nodiscard]] std::vector<std::size_t> classes_by_time(const StreamingMachine& machine, int ordinary, int length);

}  // namespace hyseq::proofs_check
