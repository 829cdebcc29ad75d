#pragma once

#include "kernels/reference/context.hpp"
#include "kernels/rms_norm/rms_norm.hpp"

namespace hyseq::kernels {

template <class Scalar>
void reference(const RmsNorm& call, const Context<Scalar>& context) {
  using Numeric = typename Context<Scalar>::Numeric;
  using Accumulator = typename Numeric::Accumulator;
  const int width = call.in.width;
  const auto count = constant<Accumulator>(width);
  const auto epsilon = constant<Accumulator>(call.epsilon);
  const auto* weight = context.parameter(call.weight);
  for (std::size_t row = 0; row < context.rows(); ++row) {
    const Scalar* in = context.at(call.in, row);
    Scalar* out = context.at(call.out, row);
    Accumulator squares{};
    for (int i = 0; i < width; ++i) squares = squares + numbers::square(Numeric::widen(in[i]));
    const Accumulator scale = numbers::sqrt(squares / count + epsilon);
    for (int i = 0; i < width; ++i) out[i] = Numeric::round(Numeric::widen(in[i]) / scale * weight[i]);
  }
}

template <class Scalar>
void reference(const RmsNormBackward& call, const Context<Scalar>& context) {
  using Numeric = typename Context<Scalar>::Numeric;
  using Accumulator = typename Numeric::Accumulator;
  const auto width = static_cast<std::size_t>(call.call.in.width);
  const auto count = constant<Accumulator>(call.call.in.width);
  const auto epsilon = constant<Accumulator>(call.call.epsilon);
  const auto* weight = context.parameter(call.call.weight);
  auto* weight_gradient = context.parameter_gradient(call.call.weight);
  for (std::size_t row = 0; row < context.rows(); ++row) {
    const Scalar* in = context.at(call.call.in, row);
    const Scalar* out_gradient = context.gradient_at(call.out_gradient, row);
    Accumulator squares{};
    for (std::size_t i = 0; i < width; ++i) squares = squares + numbers::square(Numeric::widen(in[i]));
    const Accumulator scale = numbers::sqrt(squares / count + epsilon);
    Accumulator sum_gn{};
    for (std::size_t i = 0; i < width; ++i) {
      const Accumulator gradient = Numeric::widen(out_gradient[i]);
      const Accumulator normal = Numeric::widen(in[i]) / scale;
      weight_gradient[i] = weight_gradient[i] + gradient * normal;
      sum_gn = sum_gn + gradient * weight[i] * normal;
    }
    if (!call.in_gradient.wanted()) continue;
    for (std::size_t i = 0; i < width; ++i) {
      const Accumulator g = Numeric::widen(out_gradient[i]) * weight[i];
      const Accumulator normal = Numeric::widen(in[i]) / scale;
      context.contribute(call.in_gradient, row, i, (g - normal * (sum_gn / count)) / scale);
    }
  }
}

}  // namespace hyseq::kernels
