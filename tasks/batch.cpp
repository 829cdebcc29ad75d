#include "tasks/batch.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <string>
#include <thread>

#include "kernels/base/error.hpp"

namespace hyseq::tasks {
namespace {

/// Calls work(row) for all rows, split into one contiguous piece per thread; rethrows the first exception.
template <class Work>
void for_rows(std::size_t rows, std::size_t threads, const Work& work) {
  if (threads < 1) throw InputError("threads is 0, allowed is 1 or more");
  threads = std::min(threads, std::max<std::size_t>(rows, 1));
  if (threads == 1) {
    for (std::size_t row = 0; row < rows; ++row) work(row);
    return;
  }
  std::exception_ptr failure;
  std::mutex failure_mutex;
  {
    std::vector<std::jthread> pool;
    for (std::size_t t = 0; t < threads; ++t) {
      pool.emplace_back([&, first = rows * t / threads, last = rows * (t + 1) / threads] {
        try {
          for (std::size_t row = first; row < last; ++row) work(row);
        } catch (...) {
          const std::lock_guard lock(failure_mutex);
          if (!failure) failure = std::current_exception();
        }
      });
    }
  }
  if (failure) std::rethrow_exception(failure);
}

/// Every length of the range is checked, not only its ends: what fits may depend on the length in other ways.
void check_lengths(const Task& task, LengthRange lengths) {
  if (lengths.min > lengths.max) {
    throw InputError("the smallest length is " + std::to_string(lengths.min) + ", allowed is at most the largest, " +
                     std::to_string(lengths.max));
  }
  if (lengths.max > 0xffffffffU) {
    throw InputError("the largest length is " + std::to_string(lengths.max) + ", allowed is at most 4294967295");
  }
  for (std::size_t length = lengths.min; length <= lengths.max; ++length) task.check_length(length);
}

std::size_t draw_length(RandomStream& stream, LengthRange lengths) {
  if (lengths.min == lengths.max) return lengths.min;
  return lengths.min + stream.below_wide(lengths.max - lengths.min + 1);
}

Batch empty_batch(const Task& task, std::size_t rows, std::size_t length) {
  const std::vector<std::int32_t> nulls(rows * length, task.vocabulary().null());
  return {rows, length, nulls, nulls};
}

}  // namespace

Batch sample_rows(const Task& task, StreamKey key, std::uint64_t first_row, std::size_t rows, LengthRange lengths,
                  std::size_t threads) {
  check_lengths(task, lengths);
  Batch batch = empty_batch(task, rows, lengths.max);
  for_rows(rows, threads, [&](std::size_t row) {
    RandomStream stream(key, first_row + row);
    const std::size_t length = draw_length(stream, lengths);
    const std::span input = std::span(batch.input).subspan(row * batch.length, length);
    task.sample(stream, input);
    task.label(input, std::span(batch.target).subspan(row * batch.length, length));
  });
  return batch;
}

std::vector<std::int32_t> label_rows(const Task& task, const std::vector<std::int32_t>& input, std::size_t rows,
                                     std::size_t length, std::size_t threads) {
  std::vector<std::int32_t> target(input.size(), task.vocabulary().null());
  for_rows(rows, threads, [&](std::size_t row) {
    try {
      task.label(std::span(input).subspan(row * length, length), std::span(target).subspan(row * length, length));
    } catch (const InputError& error) {
      throw InputError("row " + std::to_string(row) + ": " + error.what());
    }
  });
  return target;
}

PackedBatch sample_packed(const Task& task, StreamKey key, std::uint64_t first_row, std::size_t rows,
                          std::size_t context, LengthRange lengths, std::size_t threads) {
  check_lengths(task, lengths);
  if (context < lengths.max + 2) {
    throw InputError("the context length is " + std::to_string(context) + ", allowed is " +
                     std::to_string(lengths.max + 2) + " or more, for the longest example with <bos> and <eos>");
  }
  PackedBatch packed{empty_batch(task, rows, context), std::vector<std::int32_t>(rows * context, -1)};
  for_rows(rows, threads, [&](std::size_t row) {
    const std::span input = std::span(packed.batch.input).subspan(row * context, context);
    const std::span target = std::span(packed.batch.target).subspan(row * context, context);
    const std::span segment = std::span(packed.segment).subspan(row * context, context);
    RandomStream layout({0, Purpose::packing}, first_row + row);
    RandomStream stream(key, first_row + row);
    std::size_t begin = 0;
    for (std::int32_t example = 0;; ++example) {
      const std::size_t length = draw_length(layout, lengths);
      if (begin + length + 2 > context) break;
      input[begin] = task.vocabulary().bos();
      task.sample(stream, input.subspan(begin + 1, length));
      task.label(input.subspan(begin + 1, length), target.subspan(begin + 1, length));
      input[begin + 1 + length] = task.vocabulary().eos();
      std::ranges::fill(segment.subspan(begin, length + 2), example);
      begin += length + 2;
    }
  });
  return packed;
}

}  // namespace hyseq::tasks
