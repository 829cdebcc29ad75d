#pragma once

#include "kernels/layer_norm/layer_norm.hpp"
#include "kernels/reference/context.hpp"

namespace hyseq::kernels {

template <class Scalar>
void reference(const LayerNorm& call, const Context<Scalar>& context) {
  using Numeric = typename Context<Scalar>::Numeric;
  using Accumulator = typename Numeric::Accumulator;
  const int width = call.in.width;
  const auto count = constant<Accumulator>(width);
  const auto epsilon = constant<Accumulator>(call.epsilon);
  const auto* weight = context.parameter(call.weight);
  const auto* bias = context.parameter(call.bias);
  for (std::size_t row = 0; row < context.rows(); ++row) {
    const Scalar* in = context.at(call.in, row);
    Scalar* out = context.at(call.out, row);
    Accumulator sum{};
    for (int i = 0; i < width; ++i) sum = sum + Numeric::widen(in[i]);
    const Accumulator mean = sum / count;
    Accumulator squares{};
    for (int i = 0; i < width; ++i) {
      squares = squares + numbers::square(Numeric::widen(in[i]) - mean);
    }
    const Accumulator deviation = numbers::sqrt(squares / count + epsilon);
    for (int i = 0; i < width; ++i) {
      out[i] = Numeric::round((Numeric::widen(in[i]) - mean) / deviation * weight[i] + bias[i]);
    }
  }
}

}  // namespace hyseq::kernels
