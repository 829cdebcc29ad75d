#pragma once

#include <cmath>

#include "kernels/reference/context.hpp"
#include "kernels/rotary/rotary.hpp"

namespace hyseq::kernels {

/// Angles are computed in double and rounded to the accumulator's format, never to a 16-bit one.
template <class Scalar>
void reference(const Rotary& call, const Context<Scalar>& context) {
  using Numeric = typename Context<Scalar>::Numeric;
  using Accumulator = typename Numeric::Accumulator;
  using Wide = numbers::Numeric<Accumulator>;
  const std::size_t half = call.turns.size();
  const auto heads = static_cast<std::size_t>(call.heads);
  const std::size_t head_width = static_cast<std::size_t>(call.data.width) / heads;
  for (std::size_t row = 0; row < context.rows(); ++row) {
    Scalar* data = context.at(call.data, row);
    for (std::size_t i = 0; i < half; ++i) {
      const double angle = rotary_angle(context.position[row], call.turns[i]);
      const Accumulator cosine = Wide::from_double(std::cos(angle));
      const Accumulator sine = Wide::from_double(std::sin(angle));
      for (std::size_t h = 0; h < heads; ++h) {
        Scalar& first = data[h * head_width + i];
        Scalar& second = data[h * head_width + i + half];
        const Accumulator a = Numeric::widen(first);
        const Accumulator b = Numeric::widen(second);
        first = Numeric::round(a * cosine - b * sine);
        second = Numeric::round(b * cosine + a * sine);
      }
    }
  }
}

}  // namespace hyseq::kernels
