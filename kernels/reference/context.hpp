// What a reference body sees: the rows of a call, its parameters, its carry.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "kernels/base/numbers/numbers.hpp"
#include "kernels/reference/carry.hpp"

namespace hyseq::kernels {

/// Values recorded on request while a program runs, by name: "layers.0.ssm.states" [batch, time, channels, states],
/// "layers.1.tf.probabilities" [batch, time, heads, distance] with distance 0 the position itself.
struct Trace {
  std::map<std::string, std::vector<double>> values;
};

template <class Scalar>
struct Context {
  using Numeric = numbers::Numeric<Scalar>;
  using Accumulator = typename Numeric::Accumulator;

  const Program* program = nullptr;
  std::size_t batch = 0;
  std::size_t time = 0;
  std::span<const std::int32_t> tokens;  // [batch, time]
  std::vector<std::uint64_t> position;   // [batch, time], within the segment
  std::vector<std::uint8_t> starts;      // [batch, time], 1 at a segment's first token
  std::vector<std::vector<Scalar>>* buffers = nullptr;
  const std::vector<std::vector<Accumulator>>* parameters = nullptr;
  const CarryLayout* layout = nullptr;
  Carry<Scalar>* carry = nullptr;
  std::vector<Accumulator>* scratch = nullptr;
  Trace* trace = nullptr;
  DropoutKey dropout;
  std::uint64_t first_row = 0;  // of these rows in the batch of the step: keys the dropout
  bool store_only = false;      // an attention stores keys and values and computes no output

  // Of the backward list alone.
  std::vector<std::vector<Scalar>>* gradients = nullptr;                 // of Program::gradients
  std::vector<std::vector<Accumulator>>* parameter_gradients = nullptr;  // sums over all rows, never rounded to Scalar
  std::span<const std::int32_t> targets;                                 // [batch, time]
  std::int32_t valid_below = 0;                                          // targets from here on do not count
  std::int64_t valid = 0;  // valid positions that the loss averages over, maybe more than these rows have

  [[nodiscard]] std::size_t rows() const { return batch * time; }

  /// Whether an answer is asked for here.
  [[nodiscard]] bool counts(std::size_t row) const {
    return row < targets.size() && targets[row] >= 0 && targets[row] < valid_below;
  }

  [[nodiscard]] Scalar* at(const View& view, std::size_t row) const {
    const auto buffer = static_cast<std::size_t>(view.buffer);
    const auto stride = static_cast<std::size_t>(program->buffers[buffer].width);
    return (*buffers)[buffer].data() + row * stride + static_cast<std::size_t>(view.offset);
  }

  [[nodiscard]] const Accumulator* parameter(ParameterId id) const {
    return id == kNoParameter ? nullptr : (*parameters)[static_cast<std::size_t>(id)].data();
  }

  [[nodiscard]] Scalar* gradient_at(const View& view, std::size_t row) const {
    const auto buffer = static_cast<std::size_t>(view.buffer);
    const auto stride = static_cast<std::size_t>(program->gradients[buffer].width);
    return (*gradients)[buffer].data() + row * stride + static_cast<std::size_t>(view.offset);
  }

  /// What reaches a gradient, rounded once: in place of what is there or on top of it.
  void contribute(const GradientView& gradient, std::size_t row, std::size_t column, const Accumulator& value) const {
    Scalar& place = gradient_at(gradient.view, row)[column];
    place = Numeric::round(gradient.mode == GradientMode::overwrite ? value : Numeric::widen(place) + value);
  }

  [[nodiscard]] Accumulator* parameter_gradient(ParameterId id) const {
    return id == kNoParameter ? nullptr : (*parameter_gradients)[static_cast<std::size_t>(id)].data();
  }

  [[nodiscard]] Scalar* carried(CarryId id, std::size_t batch_row) const {
    return carry->row(batch_row) + layout->entries[static_cast<std::size_t>(id)].offset;
  }

  /// Scratch of `count` accumulators set to zero.
  [[nodiscard]] Accumulator* zeroed(std::size_t count) const {
    if (scratch->size() < count) scratch->resize(count);
    std::fill_n(scratch->begin(), count, Accumulator{});
    return scratch->data();
  }
};

/// A constant rounded to the accumulator's format.
template <class Accumulator>
[[nodiscard]] Accumulator constant(double value) {
  return numbers::Numeric<Accumulator>::from_double(value);
}

template <class Accumulator>
[[nodiscard]] bool is_exact_zero(const Accumulator& x) {
  if constexpr (requires { x.lower; }) {
    return x.lower == 0 && x.upper == 0;
  } else {
    return x == Accumulator{};
  }
}

}  // namespace hyseq::kernels
