#pragma once

#include "kernels/causal_conv/causal_conv.hpp"
#include "kernels/reference/context.hpp"

namespace hyseq::kernels {

template <class Scalar>
void reference(const CausalConv& call, const Context<Scalar>& context) {
  using Numeric = typename Context<Scalar>::Numeric;
  using Accumulator = typename Numeric::Accumulator;
  const auto channels = static_cast<std::size_t>(call.in.width);
  const auto kernel = static_cast<std::size_t>(call.kernel);
  const auto* weight = context.parameter(call.weight);
  const auto* bias = context.parameter(call.bias);
  for (std::size_t b = 0; b < context.batch; ++b) {
    Scalar* tail = context.carried(call.carry, b);
    const std::size_t tail_size = (kernel - 1) * channels;
    for (std::size_t t = 0; t < context.time; ++t) {
      const std::size_t row = b * context.time + t;
      if (context.starts[row] != 0) std::fill_n(tail, tail_size, Numeric::from_double(0));
      const Scalar* in = context.at(call.in, row);
      Scalar* out = context.at(call.out, row);
      for (std::size_t c = 0; c < channels; ++c) {
        Accumulator sum{};
        for (std::size_t j = 0; j + 1 < kernel; ++j) {
          sum = sum + weight[c * kernel + j] * Numeric::widen(tail[j * channels + c]);
        }
        sum = sum + weight[c * kernel + kernel - 1] * Numeric::widen(in[c]);
        out[c] = Numeric::round(sum + bias[c]);
      }
      if (kernel > 1) {
        std::copy(tail + channels, tail + tail_size, tail);
        std::copy_n(in, channels, tail + tail_size - channels);
      }
    }
  }
}

template <class Scalar>
void reference(const CausalConvBackward& call, const Context<Scalar>& context) {
  using Numeric = typename Context<Scalar>::Numeric;
  using Accumulator = typename Numeric::Accumulator;
  const auto channels = static_cast<std::size_t>(call.call.in.width);
  const auto kernel = static_cast<std::size_t>(call.call.kernel);
  const auto* weight = context.parameter(call.call.weight);
  auto* weight_gradient = context.parameter_gradient(call.call.weight);
  auto* bias_gradient = context.parameter_gradient(call.call.bias);
  for (std::size_t b = 0; b < context.batch; ++b) {
    for (std::size_t t = 0; t < context.time; ++t) {
      const std::size_t row = b * context.time + t;
      const Scalar* out_gradient = context.gradient_at(call.out_gradient, row);
      for (std::size_t c = 0; c < channels; ++c) {
        const Accumulator g = Numeric::widen(out_gradient[c]);
        bias_gradient[c] = bias_gradient[c] + g;
        for (std::size_t back = 0; back < kernel && back <= context.position[row]; ++back) {
          Accumulator& sum = weight_gradient[c * kernel + kernel - 1 - back];
          sum = sum + g * Numeric::widen(context.at(call.call.in, row - back)[c]);
        }
        if (!call.in_gradient.wanted()) continue;
        Accumulator sum{};
        for (std::size_t ahead = 0; ahead < kernel && t + ahead < context.time; ++ahead) {
          if (context.position[row + ahead] < ahead) break;  // another segment has begun
          sum = sum + weight[c * kernel + kernel - 1 - ahead] *
                          Numeric::widen(context.gradient_at(call.out_gradient, row + ahead)[c]);
        }
        context.contribute(call.in_gradient, row, c, sum);
      }
    }
  }
}

}  // namespace hyseq::kernels
