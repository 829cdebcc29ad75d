#pragma once

#include "kernels/dense/context.hpp"
#include "kernels/dense/vectors.hpp"
#include "kernels/embedding/embedding.hpp"

namespace hyseq::kernels::dense {

template <class T>
void forward(const Embedding& call, const Context<T>& context) {
  const auto width = static_cast<std::size_t>(call.out.width);
  const T* table = context.parameter(call.table);
  context.for_row_tiles(width, [&](std::size_t first, std::size_t last, std::size_t /*worker*/) {
    for (std::size_t row = first; row < last; ++row) {
      std::copy_n(table + static_cast<std::size_t>(context.tokens[row]) * width, width, context.at(call.out, row));
    }
  });
}

template <class T>
void forward(const PositionCode& call, const Context<T>& context) {
  const auto delay = static_cast<std::uint64_t>(call.delay);
  context.for_row_tiles(
      static_cast<std::size_t>(call.out.width), [&](std::size_t first, std::size_t last, std::size_t /*worker*/) {
        for (std::size_t row = first; row < last; ++row) {
          const std::uint64_t position = context.position[row] < delay ? 0 : context.position[row] - delay;
          T* out = context.at(call.out, row);
          for (int i = 0; i < call.out.width; ++i) out[i] += ((position >> i) & 1U) != 0 ? T(1) : T(-1);
        }
      });
}

/// By columns: rows with the same token add to the same row of the table, in their order.
template <class T>
void backward(const EmbeddingBackward& call, const Context<T>& context) {
  const auto width = static_cast<std::size_t>(call.call.out.width);
  T* table = context.parameter_gradient(call.call.table);
  constexpr std::size_t kTile = 64;
  context.for_tiles(width, kTile, [&](std::size_t first, std::size_t last, std::size_t /*worker*/) {
    for (std::size_t row = 0; row < context.rows(); ++row) {
      const T* g = context.gradient_at(call.out_gradient, row) + first;
      T* to = table + static_cast<std::size_t>(context.tokens[row]) * width + first;
      for_vectors<T>(last - first,
                     [&](auto v, std::size_t i) { v.store(hn::Add(v.load(to + i), v.load(g + i)), to + i); });
    }
  });
}

}  // namespace hyseq::kernels::dense
