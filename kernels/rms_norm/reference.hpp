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

}  // namespace hyseq::kernels
