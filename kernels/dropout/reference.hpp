#pragma once

#include "kernels/dropout/dropout.hpp"
#include "kernels/reference/context.hpp"

namespace hyseq::kernels {

/// The factor of one element: 0 where it is dropped.
[[nodiscard]] inline double dropout_factor(const DropoutSite& site, const DropoutKey& key, std::uint64_t row,
                                           std::uint64_t position, std::uint64_t element) {
  const RandomBlock words = random_block({key.seed, Purpose::dropout}, dropout_index(key.step, row),
                                         dropout_block(site, position, element / 4));
  return words[element % 4] < site.threshold() ? 0 : site.scale();
}

template <class Scalar>
void reference(const Dropout& call, const Context<Scalar>& context) {
  using Numeric = typename Context<Scalar>::Numeric;
  for (std::size_t row = 0; row < context.rows(); ++row) {
    const Scalar* in = context.at(call.in, row);
    Scalar* out = context.at(call.out, row);
    for (int i = 0; i < call.in.width; ++i) {
      const double factor = dropout_factor(call.site, context.dropout, row / context.time, row % context.time,
                                           static_cast<std::uint64_t>(i));
      out[i] = Numeric::round(Numeric::widen(in[i]) * constant<typename Numeric::Accumulator>(factor));
    }
  }
}

}  // namespace hyseq::kernels
