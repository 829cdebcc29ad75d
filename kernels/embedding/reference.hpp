#pragma once

#include "kernels/embedding/embedding.hpp"
#include "kernels/reference/context.hpp"

namespace hyseq::kernels {

template <class Scalar>
void reference(const Embedding& call, const Context<Scalar>& context) {
  const auto width = static_cast<std::size_t>(call.out.width);
  const auto* table = context.parameter(call.table);
  for (std::size_t row = 0; row < context.rows(); ++row) {
    const auto* from = table + static_cast<std::size_t>(context.tokens[row]) * width;
    Scalar* out = context.at(call.out, row);
    for (std::size_t i = 0; i < width; ++i) out[i] = Context<Scalar>::Numeric::round(from[i]);
  }
}

template <class Scalar>
void reference(const PositionCode& call, const Context<Scalar>& context) {
  using Numeric = typename Context<Scalar>::Numeric;
  using Accumulator = typename Numeric::Accumulator;
  const auto delay = static_cast<std::uint64_t>(call.delay);
  for (std::size_t row = 0; row < context.rows(); ++row) {
    const std::uint64_t position = context.position[row] < delay ? 0 : context.position[row] - delay;
    Scalar* out = context.at(call.out, row);
    for (int i = 0; i < call.out.width; ++i) {
      const Accumulator sign = Numeric::widen(Numeric::from_double(((position >> i) & 1U) != 0 ? 1.0 : -1.0));
      out[i] = Numeric::round(Numeric::widen(out[i]) + sign);
    }
  }
}

template <class Scalar>
void reference(const EmbeddingBackward& call, const Context<Scalar>& context) {
  using Numeric = typename Context<Scalar>::Numeric;
  const auto width = static_cast<std::size_t>(call.out_gradient.width);
  auto* table = context.parameter_gradient(call.call.table);
  for (std::size_t row = 0; row < context.rows(); ++row) {
    auto* sums = table + static_cast<std::size_t>(context.tokens[row]) * width;
    const Scalar* gradient = context.gradient_at(call.out_gradient, row);
    for (std::size_t i = 0; i < width; ++i) sums[i] = sums[i] + Numeric::widen(gradient[i]);
  }
}

}  // namespace hyseq::kernels
