// Rows of a task, many at a time, and several examples packed into one context.
//
// Row r of a stream is a pure function of (seed, purpose, r, task, lengths): the same on every machine, for every
// number of threads and however rows are grouped into batches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/base/random.hpp"
#include "tasks/task.hpp"

namespace hyseq::tasks {

/// Lengths of examples in tokens: uniform on min .. max, or fixed where these are equal.
struct LengthRange {
  std::size_t min;
  std::size_t max;
};

/// Token ids [rows, length], row-major.
struct Batch {
  std::size_t rows = 0;
  std::size_t length = 0;
  std::vector<std::int32_t> input;
  std::vector<std::int32_t> target;
};

/// Rows first_row .. first_row+rows-1. Rows shorter than lengths.max end in <null> in input and target.
/// `threads` >= 1. Throws InputError where the task refuses lengths.min or lengths.max, or min > max.
[[nodiscard]] Batch sample_rows(const Task& task, StreamKey key, std::uint64_t first_row, std::size_t rows,
                                LengthRange lengths, std::size_t threads = 1);

/// The targets of inputs [rows, length]. Throws InputError, naming the row, for tokens outside the vocabulary.
[[nodiscard]] std::vector<std::int32_t> label_rows(const Task& task, const std::vector<std::int32_t>& input,
                                                   std::size_t rows, std::size_t length, std::size_t threads = 1);

/// Contexts of several examples, with the number of the example at every position.
struct PackedBatch {
  Batch batch;
  std::vector<std::int32_t> segment;  // [rows, length]: 0, 1, ... by example, its <bos> and <eos> included; -1: padding
};

/// Every row is <bos> example <eos> <bos> example <eos> ... with examples of lengths drawn from `lengths`, until the
/// next one does not fit; the rest is <null> (segment -1). Every example is labelled on its own; <bos> and <eos> have
/// no target. The lengths depend on the row's number and `lengths` alone, not on the key: models that train together on
/// data of different seeds share the segments. Throws InputError as `sample_rows` does, and where
/// context < lengths.max + 2.
[[nodiscard]] PackedBatch sample_packed(const Task& task, StreamKey key, std::uint64_t first_row, std::size_t rows,
                                        std::size_t context, LengthRange lengths, std::size_t threads = 1);

}  // namespace hyseq::tasks
