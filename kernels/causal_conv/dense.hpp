#pragma once

#include "kernels/causal_conv/causal_conv.hpp"
#include "kernels/dense/slabs.hpp"

namespace hyseq::kernels::dense {

/// The kernel [channels, k] as [k][channels], so that vectors run over channels.
template <class T>
void transpose_kernel(const T* weight, std::size_t channels, std::size_t kernel, T* to) {
  for (std::size_t c = 0; c < channels; ++c) {
    for (std::size_t j = 0; j < kernel; ++j) to[j * channels + c] = weight[c * kernel + j];
  }
}

template <class T>
void forward(const CausalConv& call, const Context<T>& context) {
  const auto channels = static_cast<std::size_t>(call.in.width);
  const auto kernel = static_cast<std::size_t>(call.kernel);
  const T* bias = context.parameter(call.bias);
  const std::size_t stride = context.stride(call.in);
  T* weight = context.scratch->shared(kernel * channels);
  transpose_kernel(context.parameter(call.weight), channels, kernel, weight);
  context.for_row_tiles(channels, [&](std::size_t first, std::size_t last, std::size_t /*worker*/) {
    for (std::size_t row = first; row < last; ++row) {
      // Tap j reads the input `kernel - 1 - j` rows back, as far as the segment reaches.
      const std::size_t skipped = kernel - 1 - std::min<std::size_t>(kernel - 1, context.position[row]);
      const T* in = context.at(call.in, row);
      T* out = context.at(call.out, row);
      for_vectors<T>(channels, [&](auto v, std::size_t c) {
        auto sum = hn::Zero(v.tag);
        for (std::size_t j = skipped; j < kernel; ++j) {
          sum = hn::MulAdd(v.load(weight + j * channels + c), v.load(in + c - (kernel - 1 - j) * stride), sum);
        }
        v.store(hn::Add(sum, v.load(bias + c)), out + c);
      });
    }
  });
}

template <class T>
void backward(const CausalConvBackward& call, const Context<T>& context) {
  const CausalConv& conv = call.call;
  const auto channels = static_cast<std::size_t>(conv.in.width);
  const auto kernel = static_cast<std::size_t>(conv.kernel);
  const std::size_t stride = context.stride(conv.in);
  const std::size_t g_stride = context.gradient_stride(call.out_gradient);

  if (call.in_gradient.wanted()) {
    T* weight = context.scratch->shared(kernel * channels);
    transpose_kernel(context.parameter(conv.weight), channels, kernel, weight);
    context.for_row_tiles(channels, [&](std::size_t first, std::size_t last, std::size_t /*worker*/) {
      for (std::size_t row = first; row < last; ++row) {
        // Outputs that read this row: those up to kernel - 1 rows on, in the same row and segment.
        std::size_t readers = 1;
        while (readers < kernel && row % context.time + readers < context.time &&
               context.position[row + readers] >= readers) {
          ++readers;
        }
        const T* g = context.gradient_at(call.out_gradient, row);
        T* to = context.gradient_at(call.in_gradient.view, row);
        for_vectors<T>(channels, [&](auto v, std::size_t c) {
          auto sum = hn::Zero(v.tag);
          for (std::size_t ahead = 0; ahead < readers; ++ahead) {
            sum =
                hn::MulAdd(v.load(weight + (kernel - 1 - ahead) * channels + c), v.load(g + ahead * g_stride + c), sum);
          }
          put(v, call.in_gradient.mode, sum, to + c);
        });
      }
    });
  }

  const auto rows = [&](std::size_t first, std::size_t last, T* partial, std::size_t /*worker*/) {
    for (std::size_t row = first; row < last; ++row) {
      const std::size_t skipped = kernel - 1 - std::min<std::size_t>(kernel - 1, context.position[row]);
      const T* in = context.at(conv.in, row);
      const T* out_gradient = context.gradient_at(call.out_gradient, row);
      for_vectors<T>(channels, [&](auto v, std::size_t c) {
        const auto g = v.load(out_gradient + c);
        for (std::size_t j = skipped; j < kernel; ++j) {
          T* sum = partial + j * channels + c;
          v.store(hn::MulAdd(g, v.load(in + c - (kernel - 1 - j) * stride), v.load(sum)), sum);
        }
        T* sum = partial + kernel * channels + c;
        v.store(hn::Add(g, v.load(sum)), sum);
      });
    }
  };
  const T* sums = sum_over_slabs((kernel + 1) * channels, context, rows);
  T* weight_gradient = context.parameter_gradient(conv.weight);
  for (std::size_t j = 0; j < kernel; ++j) {
    for (std::size_t c = 0; c < channels; ++c) weight_gradient[c * kernel + j] += sums[j * channels + c];
  }
  add_to(sums + kernel * channels, channels, context.parameter_gradient(conv.bias));
}

}  // namespace hyseq::kernels::dense
