#pragma once

#include <cmath>

#include "kernels/dense/slabs.hpp"
#include "kernels/rms_norm/rms_norm.hpp"

namespace hyseq::kernels::dense {

template <class T>
[[nodiscard]] T root_mean_square(const T* in, std::size_t width, double epsilon) {
  const T squares = sum_vectors<T>(width, [&](auto v, std::size_t i) {
    const auto x = v.load(in + i);
    return hn::Mul(x, x);
  });
  return std::sqrt(squares / static_cast<T>(width) + static_cast<T>(epsilon));
}

template <class T>
void forward(const RmsNorm& call, const Context<T>& context) {
  const auto width = static_cast<std::size_t>(call.in.width);
  const T* weight = context.parameter(call.weight);
  context.for_row_tiles(width, [&](std::size_t first, std::size_t last, std::size_t /*worker*/) {
    for (std::size_t row = first; row < last; ++row) {
      const T* in = context.at(call.in, row);
      T* out = context.at(call.out, row);
      const T scale = root_mean_square(in, width, call.epsilon);
      for_vectors<T>(width, [&](auto v, std::size_t i) {
        const auto normalised = hn::Div(v.load(in + i), v.set(scale));
        v.store(hn::Mul(normalised, v.load(weight + i)), out + i);
      });
    }
  });
}

template <class T>
void backward(const RmsNormBackward& call, const Context<T>& context) {
  const RmsNorm& norm = call.call;
  const auto width = static_cast<std::size_t>(norm.in.width);
  const T* weight = context.parameter(norm.weight);
  const auto rows = [&](std::size_t first, std::size_t last, T* sums, std::size_t /*worker*/) {
    for (std::size_t row = first; row < last; ++row) {
      const T* in = context.at(norm.in, row);
      const T* out_gradient = context.gradient_at(call.out_gradient, row);
      const T scale = root_mean_square(in, width, norm.epsilon);
      const auto n_at = [&](auto v, std::size_t i) { return hn::Div(v.load(in + i), v.set(scale)); };
      for_vectors<T>(width, [&](auto v, std::size_t i) {
        const auto sum = hn::MulAdd(v.load(out_gradient + i), n_at(v, i), v.load(sums + i));
        v.store(sum, sums + i);
      });
      if (!call.in_gradient.wanted()) continue;
      const auto g_at = [&](auto v, std::size_t i) { return hn::Mul(v.load(out_gradient + i), v.load(weight + i)); };
      const T along = sum_vectors<T>(width, [&](auto v, std::size_t i) { return hn::Mul(g_at(v, i), n_at(v, i)); }) /
                      static_cast<T>(width);
      T* to = context.gradient_at(call.in_gradient.view, row);
      for_vectors<T>(width, [&](auto v, std::size_t i) {
        const auto value = hn::Sub(g_at(v, i), hn::Mul(n_at(v, i), v.set(along)));
        put(v, call.in_gradient.mode, hn::Div(value, v.set(scale)), to + i);
      });
    }
  };
  const T* sums = sum_over_slabs(width, context, rows);
  add_to(sums, width, context.parameter_gradient(norm.weight));
}

}  // namespace hyseq::kernels::dense
