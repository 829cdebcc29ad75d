// Cosines and sines come from a table of all positions, computed in double as on every engine; rows and heads share it.
#pragma once

#include <cmath>
#include <numbers>

#include "kernels/cuda/context.hpp"
#include "kernels/cuda/pack.hpp"
#include "kernels/rotary/rotary.hpp"

namespace hyseq::kernels::cuda {
inline namespace HYSEQ_CUDA_DEVICE {

inline constexpr unsigned kRotaryTurns = 64;  // frequencies that travel in the arguments of one kernel

/// Entries of some frequencies, for all positions: [position][cosine, sine][frequency].
template <class T>
struct RotaryTable {
  static constexpr bool kCooperative = false;
  Pack<std::uint64_t, kRotaryTurns> turns;
  unsigned first = 0;
  unsigned count = 0;
  unsigned half = 0;
  bool back = false;  // the opposite angles
  Span<T> table;

  HYSEQ_DEVICE void operator()(const Thread& thread) const {
    const std::size_t position = thread.global_index() / count;
    const auto i = static_cast<unsigned>(thread.global_index() % count);
    if (position * 2 * half >= table.size()) return;
    // rotary_angle() of rotary.hpp
    const auto phase = static_cast<std::int64_t>(position * turns[i]);
    const double angle = static_cast<double>(phase) * (std::numbers::pi * 0x1p-63);
    const std::size_t at = position * 2 * half + first + i;
    const double sine = std::sin(angle);
    table[at] = static_cast<T>(std::cos(angle));
    table[at + half] = static_cast<T>(back ? -sine : sine);
  }
};

template <class T>
struct Rotate {
  static constexpr bool kCooperative = false;
  Columns<T> data;
  Span<const T> table;
  Span<const std::uint32_t> position;
  unsigned heads = 0;
  unsigned head_width = 0;
  unsigned half = 0;
  unsigned time = 0;

  HYSEQ_DEVICE void operator()(const Thread& thread) const {
    const auto index = static_cast<unsigned>(thread.global_index());
    const unsigned t = index / (heads * half);
    if (t >= time) return;
    const unsigned h = index / half % heads;
    const unsigned i = index % half;
    const std::size_t batch_row = thread.block().y;
    const std::size_t row = (std::size_t{thread.block().z} * thread.grid().y + batch_row) * time + t;
    const std::size_t entry = std::size_t{position[batch_row * time + t]} * 2 * half + i;
    const T cosine = table[entry];
    const T sine = table[entry + half];
    T& first = data.at(row, h * head_width + i);
    T& second = data.at(row, h * head_width + half + i);
    const T a = first;
    const T b = second;
    first = a * cosine - b * sine;
    second = b * cosine + a * sine;
  }
};

template <class T>
void rotate(const Rotary& call, const Columns<T>& data, bool back, const Context<T>& context) {
  const auto half = static_cast<unsigned>(call.turns.size());
  if (half == 0) return;
  const Workspace::Scope scope(*context.workspace);
  const Span<T> table = context.workspace->template take<T>(context.time * 2 * half);
  for (unsigned first = 0; first < half; first += kRotaryTurns) {
    RotaryTable<T> kernel{{}, first, std::min(kRotaryTurns, half - first), half, back, table};
    for (unsigned i = 0; i < kernel.count; ++i) kernel.turns.numbers[i] = call.turns[first + i];
    launch(*context.stream, {blocks(context.time * kernel.count, 128), 128, 0}, kernel);
  }
  const auto heads = static_cast<unsigned>(call.heads);
  const auto head_width = static_cast<unsigned>(call.data.width / call.heads);
  Shape shape{blocks(context.time * heads * half, 256), 256, 0};
  shape.grid.y = static_cast<unsigned>(context.batch);
  shape.grid.z = static_cast<unsigned>(context.members);
  launch(*context.stream, shape,
         Rotate<T>{data, table, context.position, heads, head_width, half, static_cast<unsigned>(context.time)});
}

template <class T>
void forward(const Rotary& call, const Context<T>& context) {
  rotate(call, context.at(call.data), false, context);
}

template <class T>
void backward(const RotaryBackward& call, const Context<T>& context) {
  rotate(call.call, context.gradient_at(call.gradient), true, context);
}

}  // namespace HYSEQ_CUDA_DEVICE
}  // namespace hyseq::kernels::cuda
