// What a body of the cuda engine sees: the rows of all members in a call, buffers, parameters, and the stream.
//
// A buffer is row-major [members x batch x time][stride]. Parameters of a member lie together, one after the other, and
// those of the next member behind them. Bodies launch kernels and products and wait for nothing; what changes from step
// to step (seeds, counters, weights of the loss, tokens) lies in device memory, so that a step can be recorded once and
// replayed.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/cuda/device.hpp"
#include "kernels/cuda/product.hpp"
#include "kernels/cuda/workspace.hpp"
#include "kernels/program.hpp"

namespace hyseq::kernels::cuda {
inline namespace HYSEQ_CUDA_DEVICE {

/// Columns of a buffer: element i of row r is data[r * stride + i].
template <class T>
struct Columns {
  Span<T> data;
  std::size_t stride = 0;
  unsigned width = 0;

  [[nodiscard]] HYSEQ_DEVICE T& at(std::size_t row, std::size_t i) const { return data[row * stride + i]; }
  // NOLINTNEXTLINE(google-explicit-constructor): reading what may be written
  template <std::same_as<const T> U>
  [[nodiscard]] operator Columns<U>() const {
    return {data, stride, width};
  }
};

/// One parameter of all members: element i of member m is data[m * step + i]. Empty where an operation has none.
template <class T>
struct MemberArray {
  Span<T> data;
  std::size_t step = 0;
  std::size_t size = 0;

  [[nodiscard]] HYSEQ_DEVICE bool present() const { return size != 0; }
  [[nodiscard]] HYSEQ_DEVICE T& at(std::size_t member, std::size_t i) const { return data[member * step + i]; }
};

/// What a step is for a member, in device memory.
struct MemberStepValues {
  std::uint64_t seed = 0;  // of its dropout
  double loss_weight = 0;  // 1 / valid positions of its whole batch; 0 where there are none
  double rate = 0;         // learning rate
};
/// What a step is for all members, in device memory.
struct StepValues {
  std::uint64_t step = 0;       // from 0; keys the dropout
  std::uint64_t first_row = 0;  // index of batch row 0 in the whole batch of the step: keys the dropout
  double correction1 = 1;       // 1 - beta1^(step + 1)
  double correction2 = 1;
};

/// Sums over rows of one member, in device memory; `loss` in double.
struct LossSums {
  double loss = 0;            // not yet divided by the valid targets
  std::uint64_t correct = 0;  // rows whose arg-max is unique and equals a target that counts
};

/// Rows of each member by token: those with token v are order[m * rows + starts[m * (vocabulary + 1) + v] ...], up to
/// the next start, ascending; rows count within the member.
struct TokenIndex {
  Span<const std::uint32_t> starts;
  Span<const std::uint32_t> order;
};

template <class T>
struct Context {
  const Program* program = nullptr;
  Stream* stream = nullptr;
  Workspace* workspace = nullptr;  // where a body keeps partial sums
  std::size_t members = 0;
  std::size_t batch = 0;
  std::size_t time = 0;
  Factors factors = Factors::full;  // precision of products

  Span<const std::int32_t> tokens;            // [members, batch, time]
  Span<const std::int32_t> targets;           // [members, batch, time]; -1 where a target does not count
  Span<const std::uint32_t> position;         // [batch, time], in the segment; at most the index in the row
  TokenIndex token_index;                     // where a backward pass will follow
  Span<const StepValues> step;                // [1]
  Span<const MemberStepValues> member_steps;  // [members]

  std::vector<Span<T>> buffers;      // [buffer]
  std::vector<Span<T>> gradients;    // [gradient buffer]
  std::vector<std::size_t> strides;  // [buffer], numbers from row to row
  std::vector<std::size_t> gradient_strides;
  Span<const T> parameters;          // [members][parameter_step]
  Span<T> parameter_gradients;       // likewise; accumulate
  std::vector<std::size_t> offsets;  // of each parameter among a member's
  std::size_t parameter_step = 0;
  Span<T> kept;  // what the call in hand keeps for its backward call, or kept there; empty where none will come

  /// Rows of one member, and of all.
  [[nodiscard]] std::size_t member_rows() const { return batch * time; }
  [[nodiscard]] std::size_t rows() const { return members * batch * time; }

  [[nodiscard]] Columns<T> at(const View& view) const {
    const auto buffer = static_cast<std::size_t>(view.buffer);
    return columns(buffers[buffer], strides[buffer], view);
  }
  [[nodiscard]] Columns<T> gradient_at(const View& view) const {
    const auto buffer = static_cast<std::size_t>(view.buffer);
    return columns(gradients[buffer], gradient_strides[buffer], view);
  }
  [[nodiscard]] MemberArray<const T> parameter(ParameterId id) const { return array<const T>(parameters, id); }
  [[nodiscard]] MemberArray<T> parameter_gradient(ParameterId id) const { return array<T>(parameter_gradients, id); }

 private:
  [[nodiscard]] static Columns<T> columns(Span<T> buffer, std::size_t stride, const View& view) {
    const auto offset = static_cast<std::size_t>(view.offset);
    return {buffer.from(offset, buffer.size() - offset), stride, static_cast<unsigned>(view.width)};
  }
  template <class U>
  [[nodiscard]] MemberArray<U> array(Span<U> all, ParameterId id) const {
    if (id == kNoParameter) return {};
    const auto p = static_cast<std::size_t>(id);
    return {all.from(offsets[p], all.size() - offsets[p]), parameter_step, program->parameters[p].size()};
  }
};

/// Columns that a gradient is written to, and how.
template <class T>
struct GradientColumns {
  Columns<T> columns;
  bool wanted = false;
  bool accumulate = false;

  HYSEQ_DEVICE void put(std::size_t row, std::size_t i, T value) const {
    T& to = columns.at(row, i);
    to = accumulate ? to + value : value;
  }
};

template <class T>
[[nodiscard]] GradientColumns<T> sink(const GradientView& gradient, const Context<T>& context) {
  if (!gradient.wanted()) return {};
  return {context.gradient_at(gradient.view), true, gradient.mode == GradientMode::accumulate};
}

}  // namespace HYSEQ_CUDA_DEVICE
}  // namespace hyseq::kernels::cuda
