#pragma once

#include "kernels/dropout/dropout.hpp"
#include "kernels/reference/context.hpp"

namespace hyseq::kernels {

/// The factor of one element: 0 where it is dropped.
[[nodiscard]] inline double dropout_factor(const DropoutSite& site, const DropoutKey& key, std::uint64_t row,
                                           std::uint64_t position, std::uint64_t element) {
  const RandomBlock words = dropout_words(site, key, row, position, element / 4);
  return words[element % 4] < site.threshold() ? 0 : site.scale();
}

template <class Scalar>
[[nodiscard]] double dropout_factor(const DropoutSite& site, const Context<Scalar>& context, std::size_t row,
                                    std::uint64_t element) {
  return dropout_factor(site, context.dropout, context.first_row + row / context.time, row % context.time, element);
}

template <class Scalar>
void reference(const Dropout& call, const Context<Scalar>& context) {
  using Numeric = typename Context<Scalar>::Numeric;
  for (std::size_t row = 0; row < context.rows(); ++row) {
    const Scalar* in = context.at(call.in, row);
    Scalar* out = context.at(call.out, row);
    for (std::size_t i = 0; i < static_cast<std::size_t>(call.in.width); ++i) {
      const auto factor = constant<typename Numeric::Accumulator>(dropout_factor(call.site, context, row, i));
      out[i] = Numeric::round(Numeric::widen(in[i]) * factor);
    }
  }
}

template <class Scalar>
void reference(const DropoutBackward& call, const Context<Scalar>& context) {
  using Numeric = typename Context<Scalar>::Numeric;
  if (!call.in_gradient.wanted()) return;
  for (std::size_t row = 0; row < context.rows(); ++row) {
    const Scalar* out_gradient = context.gradient_at(call.out_gradient, row);
    for (std::size_t i = 0; i < static_cast<std::size_t>(call.call.in.width); ++i) {
      const auto factor = constant<typename Numeric::Accumulator>(dropout_factor(call.call.site, context, row, i));
      context.contribute(call.in_gradient, row, i, Numeric::widen(out_gradient[i]) * factor);
    }
  }
}

}  // namespace hyseq::kernels
