// selective_copy: number tokens say how far back to copy from.
//
// Labeller: c = the distance named by the latest number token at or before i; target x[i-c], a number token included;
//           <null> while there is no number token, or when i-c < 0.
// Sampler:  every position on its own: with probability p a uniform number token, else a uniform value.
//
// Example (distances from 2):
//   position   0       1       2       3    4    5
//   input      V3      V1      #2      V0   #3   V2
//   target     <null>  <null>  V3      V1   V1   #2
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "kernels/base/random.hpp"
#include "tasks/registry.hpp"
#include "tasks/task.hpp"

namespace hyseq::tasks {

struct SelectiveCopyShape {
  std::int32_t values;          // >= 1
  std::int32_t distance_min;    // >= 0; distance 0 copies the token itself
  std::int32_t distance_count;  // >= 1; the number token of distance c has id values + c - distance_min

  [[nodiscard]] std::int32_t distance_max() const { return distance_min + distance_count - 1; }
};

/// The vocabulary V0 .. , #lo .. #hi, <bos>, <eos>, <null>.
[[nodiscard]] Vocabulary selective_copy_vocabulary(const SelectiveCopyShape& shape);

/// Position that every target is copied from, or -1 where there is none.
void selective_copy_sources(const SelectiveCopyShape& shape, std::span<const std::int32_t> input,
                            std::span<std::int32_t> source);

void label_selective_copy(const SelectiveCopyShape& shape, std::int32_t null, std::span<const std::int32_t> input,
                          std::span<std::int32_t> target);

void sample_selective_copy(const SelectiveCopyShape& shape, const Bernoulli& is_number, RandomStream& stream,
                           std::span<std::int32_t> input);

[[nodiscard]] TaskInfo selective_copy_info();

}  // namespace hyseq::tasks
