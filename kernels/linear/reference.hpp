#pragma once

#include <cstdint>
#include <vector>

#include "kernels/linear/linear.hpp"
#include "kernels/reference/context.hpp"

namespace hyseq::kernels {

/// A weight matrix stored by input, so that the sums of all outputs grow together, each in the order of its inputs.
/// Inputs that feed few outputs keep only their non-zero weights: explicit constructions are mostly zeros, and for
/// finite activations a product with zero leaves a sum bitwise unchanged.
template <class Accumulator>
class InputMajorMatrix {
 public:
  /// weight: [outputs, inputs], row-major.
  InputMajorMatrix(const Accumulator* weight, std::size_t outputs, std::size_t inputs) : outputs_(outputs) {
    for (std::size_t i = 0; i < inputs; ++i) {
      const auto at = [&](std::size_t o) { return weight[o * inputs + i]; };
      std::size_t nonzero = 0;
      for (std::size_t o = 0; o < outputs; ++o) nonzero += is_exact_zero(at(o)) ? 0U : 1U;
      Column column{entries_.size(), entries_.size(), dense_.size(), nonzero * 4 > outputs};
      if (column.is_dense) {
        for (std::size_t o = 0; o < outputs; ++o) dense_.push_back(at(o));
      } else {
        for (std::size_t o = 0; o < outputs; ++o) {
          if (!is_exact_zero(at(o))) entries_.push_back({at(o), static_cast<std::uint32_t>(o)});
        }
        column.last = entries_.size();
      }
      columns_.push_back(column);
    }
  }

  [[nodiscard]] std::size_t outputs() const { return outputs_; }

  /// sums[o] += weight[o][i] * x, for all o.
  void accumulate(std::size_t i, const Accumulator& x, Accumulator* sums) const {
    const Column& column = columns_[i];
    if (column.is_dense) {
      const Accumulator* dense = dense_.data() + column.dense;
      for (std::size_t o = 0; o < outputs_; ++o) sums[o] = sums[o] + dense[o] * x;
      return;
    }
    for (std::size_t e = column.first; e < column.last; ++e) {
      Accumulator& sum = sums[entries_[e].output];
      sum = sum + entries_[e].weight * x;
    }
  }

 private:
  struct Entry {
    Accumulator weight;
    std::uint32_t output;
  };
  /// One input: non-zero entries [first, last), or all outputs from dense_[dense] on.
  struct Column {
    std::size_t first;
    std::size_t last;
    std::size_t dense;
    bool is_dense;
  };
  std::size_t outputs_;
  std::vector<Column> columns_;
  std::vector<Entry> entries_;
  std::vector<Accumulator> dense_;
};

template <class Scalar>
void reference(const Linear& call, const InputMajorMatrix<typename Context<Scalar>::Accumulator>& weight,
               const Context<Scalar>& context) {
  using Numeric = typename Context<Scalar>::Numeric;
  const auto inputs = static_cast<std::size_t>(call.in.width);
  const auto outputs = static_cast<std::size_t>(call.out.width);
  const auto* bias = context.parameter(call.bias);
  for (std::size_t row = 0; row < context.rows(); ++row) {
    const Scalar* in = context.at(call.in, row);
    Scalar* out = context.at(call.out, row);
    auto* sums = context.zeroed(outputs);
    for (std::size_t i = 0; i < inputs; ++i) {
      const auto x = Numeric::widen(in[i]);
      if (!is_exact_zero(x)) weight.accumulate(i, x, sums);
    }
    if (bias != nullptr) {
      for (std::size_t o = 0; o < outputs; ++o) out[o] = Numeric::round(sums[o] + bias[o]);
    } else {
      for (std::size_t o = 0; o < outputs; ++o) out[o] = Numeric::round(sums[o]);
    }
  }
}

template <class Scalar>
void reference(const LinearBackward& call, const Context<Scalar>& context) {
  using Numeric = typename Context<Scalar>::Numeric;
  const auto inputs = static_cast<std::size_t>(call.call.in.width);
  const auto outputs = static_cast<std::size_t>(call.call.out.width);
  const auto* weight = context.parameter(call.call.weight);
  auto* weight_gradient = context.parameter_gradient(call.call.weight);
  auto* bias_gradient = context.parameter_gradient(call.call.bias);
  for (std::size_t row = 0; row < context.rows(); ++row) {
    const Scalar* in = context.at(call.call.in, row);
    const Scalar* out_gradient = context.gradient_at(call.out_gradient, row);
    auto* in_sums = context.zeroed(inputs);
    for (std::size_t o = 0; o < outputs; ++o) {
      const auto g = Numeric::widen(out_gradient[o]);
      if (bias_gradient != nullptr) bias_gradient[o] = bias_gradient[o] + g;
      for (std::size_t i = 0; i < inputs; ++i) {
        weight_gradient[o * inputs + i] = weight_gradient[o * inputs + i] + g * Numeric::widen(in[i]);
        in_sums[i] = in_sums[i] + g * weight[o * inputs + i];
      }
    }
    if (!call.in_gradient.wanted()) continue;
    for (std::size_t i = 0; i < inputs; ++i) context.contribute(call.in_gradient, row, i, in_sums[i]);
  }
}

}  // namespace hyseq::kernels
