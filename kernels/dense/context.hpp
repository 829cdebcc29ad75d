// What a dense body sees: the rows of a call, buffers, parameters, and the threads to spread over.
//
// A buffer is row-major [batch x time][stride], its stride at least its width. A body cuts its work into tasks by the
// shapes alone, never by the number of threads, and every number is summed by one task or over a fixed list of partial
// sums in their order: results are the same for every number of threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/dense/memory.hpp"
#include "kernels/dense/pool.hpp"
#include "kernels/program.hpp"

namespace hyseq::kernels::dense {

template <class T>
struct Context {
  const Program* program = nullptr;
  std::size_t batch = 0;
  std::size_t time = 0;
  std::size_t first_row = 0;                // index of batch row 0 in the whole batch of the step: keys dropout
  const std::int32_t* tokens = nullptr;     // [batch, time]
  const std::int32_t* targets = nullptr;    // [batch, time], or null
  std::int32_t valid_below = 0;             // targets from here on and negative ones do not count
  double loss_weight = 0;                   // 1 / valid positions of the whole batch; 0 where there are none
  const std::uint64_t* position = nullptr;  // [batch, time], in the segment; at most the index in the row
  DropoutKey dropout;

  T* const* buffers = nullptr;           // [buffer]
  T* const* gradients = nullptr;         // [gradient buffer]
  const std::size_t* strides = nullptr;  // [buffer], numbers from row to row
  const std::size_t* gradient_strides = nullptr;
  const T* const* parameters = nullptr;     // [parameter]
  T* const* parameter_gradients = nullptr;  // [parameter]; accumulate
  Kept<T>* kept = nullptr;                  // [carry]
  bool keep = false;                        // whether a backward pass will follow
  Pool* pool = nullptr;
  Scratch<T>* scratch = nullptr;

  [[nodiscard]] std::size_t rows() const { return batch * time; }
  [[nodiscard]] std::size_t stride(const View& view) const { return strides[static_cast<std::size_t>(view.buffer)]; }
  [[nodiscard]] std::size_t gradient_stride(const View& view) const {
    return gradient_strides[static_cast<std::size_t>(view.buffer)];
  }
  [[nodiscard]] T* at(const View& view, std::size_t row) const {
    return buffers[static_cast<std::size_t>(view.buffer)] + row * stride(view) + static_cast<std::size_t>(view.offset);
  }
  [[nodiscard]] T* gradient_at(const View& view, std::size_t row) const {
    return gradients[static_cast<std::size_t>(view.buffer)] + row * gradient_stride(view) +
           static_cast<std::size_t>(view.offset);
  }
  [[nodiscard]] const T* parameter(ParameterId id) const {
    return id == kNoParameter ? nullptr : parameters[static_cast<std::size_t>(id)];
  }
  [[nodiscard]] T* parameter_gradient(ParameterId id) const {
    return id == kNoParameter ? nullptr : parameter_gradients[static_cast<std::size_t>(id)];
  }
  [[nodiscard]] bool counts(std::size_t row) const {
    return targets != nullptr && targets[row] >= 0 && targets[row] < valid_below;
  }

  /// `count` numbers for the backward call of `carry`'s operation, null where none will come.
  [[nodiscard]] T* keep_for_backward(CarryId carry, std::size_t count) const {
    if (!keep || carry < 0) return nullptr;
    Kept<T>& memory = kept[carry];
    if (memory.values.size() < count) memory.values.resize(count);
    memory.valid = true;
    return memory.values.data();
  }
  /// What the forward call kept, null where there was none.
  [[nodiscard]] const T* kept_by_forward(CarryId carry) const {
    return carry >= 0 && kept[carry].valid ? kept[carry].values.data() : nullptr;
  }

  /// Tasks over tiles of rows: task(first, last, worker). A tile holds about 2^14 numbers of rows of `width`.
  template <class Task>
  void for_row_tiles(std::size_t width, const Task& task) const {
    for_tiles(rows(), std::max<std::size_t>(1, (std::size_t{1} << 14) / std::max<std::size_t>(1, width)), task);
  }
  /// Tasks over [0, count) in tiles of `tile`.
  template <class Task>
  void for_tiles(std::size_t count, std::size_t tile, const Task& task) const {
    pool->run((count + tile - 1) / tile, [&](std::size_t index, std::size_t worker) {
      task(index * tile, std::min(count, (index + 1) * tile), worker);
    });
  }
};

}  // namespace hyseq::kernels::dense
