// A bench for one operation: buffers, parameters and carries made by hand, and the reference body run on them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/base/numbers/numbers.hpp"
#include "kernels/base/random.hpp"
#include "kernels/reference/context.hpp"

namespace hyseq::kernels {

template <class Scalar>
struct IntervalBase {
  static constexpr bool is_interval = false;
  using type = Scalar;
};
template <class Base>
struct IntervalBase<numbers::Interval<Base>> {
  static constexpr bool is_interval = true;
  using type = Base;
};

/// Unit roundoffs of storage and accumulator, and the absolute error of results too small for the format.
template <class Scalar>
struct Precision {
  static constexpr NumberFormat format = numbers::Numeric<Scalar>::format;
  static constexpr double storage = unit_roundoff(format);
  static constexpr double sums = unit_roundoff(accumulator_format(format));
  static constexpr double least = smallest_subnormal(format);

  /// Rounding of one result to storage, on top of an error inside the operation.
  static double stored(double value, double inner_error) {
    return inner_error * (1 + storage) + storage * std::abs(value) + least;
  }
};

/// Fixed normal numbers, another sequence for every `seed`.
inline std::vector<double> normals(std::uint64_t seed, std::size_t count, double scale = 1) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) {
    values.push_back(scale * normal_real({seed, Purpose::verification}, 0, i));
  }
  return values;
}

template <class Scalar>
class Bench {
 public:
  using Numeric = numbers::Numeric<Scalar>;
  using Accumulator = typename Numeric::Accumulator;

  Bench(std::size_t batch, std::size_t time) : batch_(batch), time_(time) {
    for (std::size_t b = 0; b < batch; ++b) {
      for (std::size_t t = 0; t < time; ++t) set_position(b * time + t, t);
    }
  }

  [[nodiscard]] std::size_t rows() const { return batch_ * time_; }

  /// A buffer of the given columns; outputs start as NaN.
  View buffer(std::size_t width, const std::vector<double>& values) {
    std::vector<Scalar> rounded;
    for (const double value : values) rounded.push_back(Numeric::from_double(value));
    buffers_.push_back(std::move(rounded));
    program_.buffers.push_back({"buffer", static_cast<int>(width)});
    return {static_cast<int>(buffers_.size()) - 1, 0, static_cast<int>(width)};
  }
  View output(std::size_t width) { return buffer(width, std::vector<double>(rows() * width, std::nan(""))); }
  View input(std::size_t width, std::uint64_t seed, double scale = 1) {
    return buffer(width, normals(seed, rows() * width, scale));
  }

  ParameterId parameter(const std::vector<double>& values) {
    std::vector<Accumulator> rounded;
    for (const double value : values) rounded.push_back(Numeric::widen(Numeric::from_double(value)));
    parameters_.push_back(std::move(rounded));
    return static_cast<ParameterId>(parameters_.size()) - 1;
  }

  CarryId carry(CarryKind kind, std::size_t channels, std::size_t depth) {
    program_.carries.push_back({"layer.carry", kind, static_cast<int>(channels), static_cast<int>(depth)});
    return static_cast<CarryId>(program_.carries.size()) - 1;
  }

  void set_position(std::size_t row, std::uint64_t position) {
    context_.position.resize(rows());
    context_.starts.resize(rows());
    context_.position[row] = position;
    context_.starts[row] = position == 0 ? 1 : 0;
  }
  void set_tokens(std::vector<std::int32_t> tokens) { tokens_ = std::move(tokens); }

  /// The context to run a body in; carries start as NaN, for a fresh segment must not look at them.
  const Context<Scalar>& context() {
    layout_ = std::make_unique<CarryLayout>(program_, time_);
    carry_ = Carry<Scalar>(batch_, layout_->stride, Numeric::from_double(std::nan("")));
    context_.program = &program_;
    context_.batch = batch_;
    context_.time = time_;
    context_.tokens = tokens_;
    context_.buffers = &buffers_;
    context_.parameters = &parameters_;
    context_.layout = layout_.get();
    context_.carry = &carry_;
    context_.scratch = &scratch_;
    return context_;
  }

  /// What is stored, in double (midpoints of intervals).
  [[nodiscard]] double at(const View& view, std::size_t row, std::size_t column) const {
    return Numeric::to_double(scalar(view, row, column));
  }
  [[nodiscard]] const Scalar& scalar(const View& view, std::size_t row, std::size_t column) const {
    const auto buffer = static_cast<std::size_t>(view.buffer);
    const auto stride = static_cast<std::size_t>(program_.buffers[buffer].width);
    return buffers_[buffer][row * stride + static_cast<std::size_t>(view.offset) + column];
  }
  [[nodiscard]] double parameter_at(ParameterId id, std::size_t index) const {
    return numbers::Numeric<Accumulator>::to_double(parameters_[static_cast<std::size_t>(id)][index]);
  }
  [[nodiscard]] const std::vector<Accumulator>& parameter_values(ParameterId id) const {
    return parameters_[static_cast<std::size_t>(id)];
  }

 private:
  std::size_t batch_;
  std::size_t time_;
  Program program_;
  std::vector<std::vector<Scalar>> buffers_;
  std::vector<std::vector<Accumulator>> parameters_;
  std::vector<std::int32_t> tokens_;
  std::unique_ptr<CarryLayout> layout_;
  Carry<Scalar> carry_;
  std::vector<Accumulator> scratch_;
  Context<Scalar> context_;
};

/// What an operation gave and what it should have given.
template <class Scalar>
struct Outcome {
  std::vector<Scalar> found;
  std::vector<double> expected;
  std::vector<double> tolerance;

  void add(const Scalar& value, double wanted, double error) {
    found.push_back(value);
    expected.push_back(wanted);
    tolerance.push_back(error);
  }
};

}  // namespace hyseq::kernels
