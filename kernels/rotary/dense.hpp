#pragma once

#include <cmath>

#include "kernels/dense/context.hpp"
#include "kernels/dense/vectors.hpp"
#include "kernels/rotary/rotary.hpp"

namespace hyseq::kernels::dense {

/// Rotates columns `data` of `buffer` forwards, or backwards where `back`.
template <class T, class At>
void rotate(const Rotary& call, bool back, const At& at, const Context<T>& context) {
  const std::size_t half = call.turns.size();
  const auto heads = static_cast<std::size_t>(call.heads);
  const std::size_t head_width = static_cast<std::size_t>(call.data.width) / heads;
  // Cosines and sines in double, as everywhere; computed once for all rows and heads: [position][cosine, sine][half].
  T* table = context.scratch->shared(context.time * 2 * half);
  constexpr std::size_t kTile = 64;
  context.for_tiles(context.time, kTile, [&](std::size_t first, std::size_t last, std::size_t /*worker*/) {
    for (std::size_t position = first; position < last; ++position) {
      T* entry = table + position * 2 * half;
      for (std::size_t i = 0; i < half; ++i) {
        const double angle = rotary_angle(position, call.turns[i]);
        entry[i] = static_cast<T>(std::cos(angle));
        entry[half + i] = static_cast<T>(back ? -std::sin(angle) : std::sin(angle));
      }
    }
  });
  context.for_row_tiles(heads * 2 * half, [&](std::size_t first, std::size_t last, std::size_t /*worker*/) {
    for (std::size_t row = first; row < last; ++row) {
      const T* cosines = table + context.position[row] * 2 * half;
      const T* sines = cosines + half;
      for (std::size_t h = 0; h < heads; ++h) {
        T* a = at(row) + h * head_width;
        T* b = a + half;
        for_vectors<T>(half, [&](auto v, std::size_t i) {
          const auto cosine = v.load(cosines + i);
          const auto sine = v.load(sines + i);
          const auto x = v.load(a + i);
          const auto y = v.load(b + i);
          v.store(hn::Sub(hn::Mul(x, cosine), hn::Mul(y, sine)), a + i);
          v.store(hn::Add(hn::Mul(y, cosine), hn::Mul(x, sine)), b + i);
        });
      }
    }
  });
}

template <class T>
void forward(const Rotary& call, const Context<T>& context) {
  rotate(
      call, false, [&](std::size_t row) { return context.at(call.data, row); }, context);
}

template <class T>
void backward(const RotaryBackward& call, const Context<T>& context) {
  rotate(
      call.call, true, [&](std::size_t row) { return context.gradient_at(call.gradient, row); }, context);
}

}  // namespace hyseq::kernels::dense
