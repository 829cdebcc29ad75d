#pragma once

#include <cmath>

#include "kernels/reference/context.hpp"
#include "kernels/rotary/rotary.hpp"

namespace hyseq::kernels {

/// Angles are computed in double and rounded to the accumulator's format, never to a 16-bit one. `row_data(row)` is the
/// row to rotate; `direction` +1 rotates by the angles, -1 back.
template <class Scalar, class RowData>
void rotate(const Rotary& call, const Context<Scalar>& context, double direction, const RowData& row_data) {
  using Numeric = typename Context<Scalar>::Numeric;
  using Accumulator = typename Numeric::Accumulator;
  using Wide = numbers::Numeric<Accumulator>;
  const std::size_t half = call.turns.size();
  const auto heads = static_cast<std::size_t>(call.heads);
  const std::size_t head_width = static_cast<std::size_t>(call.data.width) / heads;
  for (std::size_t row = 0; row < context.rows(); ++row) {
    Scalar* data = row_data(row);
    for (std::size_t i = 0; i < half; ++i) {
      const double angle = direction * rotary_angle(context.position[row], call.turns[i]);
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

template <class Scalar>
void reference(const Rotary& call, const Context<Scalar>& context) {
  rotate(call, context, 1, [&](std::size_t row) { return context.at(call.data, row); });
}

template <class Scalar>
void reference(const RotaryBackward& call, const Context<Scalar>& context) {
  rotate(call.call, context, -1, [&](std::size_t row) { return context.gradient_at(call.gradient, row); });
}

}  // namespace hyseq::kernels
