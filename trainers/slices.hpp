// Slices of an evaluation: which positions of a task belong together.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tasks/task.hpp"

namespace hyseq::trainers {

/// One way to slice. `classify` writes a number >= 0 for every position, or -1 for a position in no slice (only
/// positions with a target count); `name` gives a number's text.
struct Slicing {
  std::string by;
  std::function<void(std::span<const std::int32_t> input, std::span<std::int32_t> number)> classify;
  std::function<std::string(std::int32_t)> name;
};

/// The slicings of a task; empty for tasks without. Ranges are powers of two: "0" (the answer is the token at hand),
/// "1", "2-3", "4-7" ...
///
///   selective_copy, selective_copy_mixed   distance: that of the governing number token, exactly
///   mkar                                   distance: tokens back to the answer, in ranges;
///                                          key: earlier occurrences of the key, in ranges
///   decode_recall, decode_recall_last      distance, in ranges
///   needle                                 depth: place of the marker in the row, in tenths
///   needle_grid                            distance, in ranges; depth: place of the answer in the row, in tenths
///   mqar                                   distance, in ranges; key: which pair of the row is asked for, from 0
[[nodiscard]] std::vector<Slicing> slicings(const tasks::Task& task);

}  // namespace hyseq::trainers
