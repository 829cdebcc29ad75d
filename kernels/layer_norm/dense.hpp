#pragma once

#include <cmath>

#include "kernels/dense/slabs.hpp"
#include "kernels/layer_norm/layer_norm.hpp"

namespace hyseq::kernels::dense {

template <class T>
struct LayerNormRow {
  T mean;
  T deviation;

  LayerNormRow(const T* in, std::size_t width, double epsilon) {
    const T count = static_cast<T>(width);
    mean = sum_vectors<T>(width, [&](auto v, std::size_t i) { return v.load(in + i); }) / count;
    const T squares = sum_vectors<T>(width, [&](auto v, std::size_t i) {
      const auto centred = hn::Sub(v.load(in + i), v.set(mean));
      return hn::Mul(centred, centred);
    });
    deviation = std::sqrt(squares / count + static_cast<T>(epsilon));
  }

  /// (in - mean) / deviation.
  template <class V>
  [[nodiscard]] HWY_INLINE Vector<T> normalised(V v, const T* in) const {
    return hn::Div(hn::Sub(v.load(in), v.set(mean)), v.set(deviation));
  }
};

template <class T>
void forward(const LayerNorm& call, const Context<T>& context) {
  const auto width = static_cast<std::size_t>(call.in.width);
  const T* weight = context.parameter(call.weight);
  const T* bias = context.parameter(call.bias);
  context.for_row_tiles(width, [&](std::size_t first, std::size_t last, std::size_t /*worker*/) {
    for (std::size_t row = first; row < last; ++row) {
      const T* in = context.at(call.in, row);
      T* out = context.at(call.out, row);
      const LayerNormRow<T> norm(in, width, call.epsilon);
      for_vectors<T>(width, [&](auto v, std::size_t i) {
        const auto scaled = hn::Mul(norm.normalised(v, in + i), v.load(weight + i));
        v.store(hn::Add(scaled, v.load(bias + i)), out + i);
      });
    }
  });
}

template <class T>
void backward(const LayerNormBackward& call, const Context<T>& context) {
  const LayerNorm& norm = call.call;
  const auto width = static_cast<std::size_t>(norm.in.width);
  const T count = static_cast<T>(width);
  const T* weight = context.parameter(norm.weight);
  const auto rows = [&](std::size_t first, std::size_t last, T* partial, std::size_t /*worker*/) {
    T* weight_sums = partial;
    T* bias_sums = partial + width;
    for (std::size_t row = first; row < last; ++row) {
      const T* in = context.at(norm.in, row);
      const T* out_gradient = context.gradient_at(call.out_gradient, row);
      const LayerNormRow<T> r(in, width, norm.epsilon);
      for_vectors<T>(width, [&](auto v, std::size_t i) {
        const auto g = v.load(out_gradient + i);
        v.store(hn::MulAdd(g, r.normalised(v, in + i), v.load(weight_sums + i)), weight_sums + i);
        v.store(hn::Add(g, v.load(bias_sums + i)), bias_sums + i);
      });
      if (!call.in_gradient.wanted()) continue;
      const auto g_at = [&](auto v, std::size_t i) { return hn::Mul(v.load(out_gradient + i), v.load(weight + i)); };
      const T mean = sum_vectors<T>(width, g_at) / count;
      const T along =
          sum_vectors<T>(width, [&](auto v, std::size_t i) { return hn::Mul(g_at(v, i), r.normalised(v, in + i)); }) /
          count;
      T* to = context.gradient_at(call.in_gradient.view, row);
      for_vectors<T>(width, [&](auto v, std::size_t i) {
        const auto rest = hn::Sub(g_at(v, i), v.set(mean));
        const auto value = hn::Sub(rest, hn::Mul(r.normalised(v, in + i), v.set(along)));
        put(v, call.in_gradient.mode, hn::Div(value, v.set(r.deviation)), to + i);
      });
    }
  };
  const T* sums = sum_over_slabs(2 * width, context, rows);
  add_to(sums, width, context.parameter_gradient(norm.weight));
  add_to(sums + width, width, context.parameter_gradient(norm.bias));
}

}  // namespace hyseq::kernels::dense
