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

template <class Scalar>
void reference(const LayerNormBackward& call, const Context<Scalar>& context) {
  using Numeric = typename Context<Scalar>::Numeric;
  using Accumulator = typename Numeric::Accumulator;
  const auto width = static_cast<std::size_t>(call.call.in.width);
  const auto count = constant<Accumulator>(call.call.in.width);
  const auto epsilon = constant<Accumulator>(call.call.epsilon);
  const auto* weight = context.parameter(call.call.weight);
  auto* weight_gradient = context.parameter_gradient(call.call.weight);
  auto* bias_gradient = context.parameter_gradient(call.call.bias);
  std::vector<Accumulator> normal(width);
  for (std::size_t row = 0; row < context.rows(); ++row) {
    const Scalar* in = context.at(call.call.in, row);
    const Scalar* out_gradient = context.gradient_at(call.out_gradient, row);
    Accumulator sum{};
    for (std::size_t i = 0; i < width; ++i) sum = sum + Numeric::widen(in[i]);
    const Accumulator mean = sum / count;
    Accumulator squares{};
    for (std::size_t i = 0; i < width; ++i) squares = squares + numbers::square(Numeric::widen(in[i]) - mean);
    const Accumulator deviation = numbers::sqrt(squares / count + epsilon);
    Accumulator sum_g{};
    Accumulator sum_gn{};
    for (std::size_t i = 0; i < width; ++i) {
      const Accumulator gradient = Numeric::widen(out_gradient[i]);
      normal[i] = (Numeric::widen(in[i]) - mean) / deviation;
      weight_gradient[i] = weight_gradient[i] + gradient * normal[i];
      bias_gradient[i] = bias_gradient[i] + gradient;
      sum_g = sum_g + gradient * weight[i];
      sum_gn = sum_gn + gradient * weight[i] * normal[i];
    }
    if (!call.in_gradient.wanted()) continue;
    for (std::size_t i = 0; i < width; ++i) {
      const Accumulator g = Numeric::widen(out_gradient[i]) * weight[i];
      context.contribute(call.in_gradient, row, i, (g - sum_g / count - normal[i] * (sum_gn / count)) / deviation);
    }
  }
}

}  // namespace hyseq::kernels
