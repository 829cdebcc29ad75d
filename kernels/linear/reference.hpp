#pragma once

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
    columns_.resize(inputs);
    for (std::size_t i = 0; i < inputs; ++i) {
      std::vector<Entry> entries;
      for (std::size_t o = 0; o < outputs; ++o) {
        if (!is_exact_zero(weight[o * inputs + i])) entries.push_back({o, weight[o * inputs + i]});
      }
      Column& column = columns_[i];
      if (entries.size() * 4 <= outputs) {
        column.sparse = std::move(entries);
      } else {
        column.dense.resize(outputs);
        for (std::size_t o = 0; o < outputs; ++o) column.dense[o] = weight[o * inputs + i];
      }
    }
  }

  [[nodiscard]] std::size_t outputs() const { return outputs_; }

  /// sums[o] += weight[o][i] * x, for all o.
  void accumulate(std::size_t i, const Accumulator& x, Accumulator* sums) const {
    const Column& column = columns_[i];
    if (column.dense.empty()) {
      for (const Entry& entry : column.sparse) sums[entry.output] = sums[entry.output] + entry.weight * x;
    } else {
      const Accumulator* dense = column.dense.data();
      for (std::size_t o = 0; o < outputs_; ++o) sums[o] = sums[o] + dense[o] * x;
    }
  }

 private:
  struct Entry {
    std::size_t output;
    Accumulator weight;
  };
  struct Column {
    std::vector<Accumulator> dense;
    std::vector<Entry> sparse;
  };
  std::size_t outputs_;
  std::vector<Column> columns_;
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

}  // namespace hyseq::kernels
