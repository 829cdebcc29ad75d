#if defined(HYSEQ_KERNELS_CAUSAL_CONV_LANES_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef HYSEQ_KERNELS_CAUSAL_CONV_LANES_INL_HPP
#undef HYSEQ_KERNELS_CAUSAL_CONV_LANES_INL_HPP
#else
#define HYSEQ_KERNELS_CAUSAL_CONV_LANES_INL_HPP
#endif

#include <algorithm>

#include "kernels/causal_conv/causal_conv.hpp"
#include "kernels/lanes/context-inl.hpp"
#include "kernels/lanes/unrolled-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace hyseq::kernels::HWY_NAMESPACE {

// The first kernel - 1 output gradients of the range that the backward pass has last seen.
inline std::size_t memory_size(const CausalConv& call, const Program& /*program*/, std::size_t /*time*/) {
  return (static_cast<std::size_t>(call.kernel) - 1) * static_cast<std::size_t>(call.in.width);
}

/// Taps of token t that lie in its segment.
template <class D>
HWY_INLINE std::size_t conv_taps(const CausalConv& call, const LaneContext<D>& context, std::size_t t) {
  return static_cast<std::size_t>(
      std::min<std::uint64_t>(context.position[t] + 1, static_cast<std::uint64_t>(call.kernel)));
}

template <class D>
void lanes(D d, const CausalConv& call, const LaneContext<D>& context) {
  constexpr std::size_t kLanes = LaneContext<D>::kLanes;
  const auto channels = static_cast<std::size_t>(call.in.width);
  const auto kernel = static_cast<std::size_t>(call.kernel);
  const auto* weight = context.parameter(call.weight);
  const auto* bias = context.parameter(call.bias);
  for (std::size_t t = context.begin; t < context.end; ++t) {
    const std::size_t taps = conv_taps(call, context, t);
    auto* out = context.at(call.out, t);
    if (kernel == 4 && taps == 4) {
      const auto* in = context.at(call.in, t);
      const std::size_t stride = context.stride(call.in) * kLanes;
      for (std::size_t c = 0; c < channels; ++c) {
        const auto* x = in + c * kLanes;
        const auto* w = weight + 4 * c * kLanes;
        auto sum = hn::MulAdd(hn::Load(d, x), hn::Load(d, w + 3 * kLanes), hn::Load(d, bias + c * kLanes));
        sum = hn::MulAdd(hn::Load(d, x - stride), hn::Load(d, w + 2 * kLanes), sum);
        sum = hn::MulAdd(hn::Load(d, x - 2 * stride), hn::Load(d, w + kLanes), sum);
        sum = hn::MulAdd(hn::Load(d, x - 3 * stride), hn::Load(d, w), sum);
        hn::Store(sum, d, out + c * kLanes);
      }
      continue;
    }
    for (std::size_t c = 0; c < channels; ++c) {
      auto sum = hn::Load(d, bias + c * kLanes);
      for (std::size_t back = 0; back < taps; ++back) {
        const auto w = hn::Load(d, weight + (c * kernel + kernel - 1 - back) * kLanes);
        sum = hn::MulAdd(hn::Load(d, context.at(call.in, t - back) + c * kLanes), w, sum);
      }
      hn::Store(sum, d, out + c * kLanes);
    }
  }
}

namespace conv_detail {

// Tokens that go through at a time, so that the addresses of their rows fit on the stack.
inline constexpr std::size_t kMostTokens = 32;

/// Tokens [begin, end), all of one segment, at most kMostTokens. `ahead`: the output gradients of the kernel - 1 tokens
/// behind them, null where these do not see the segment. Sums over tokens stay in registers.
template <std::size_t kKernel, class D>
void backward(D d, const CausalConvBackward& call, const LaneContext<D>& context, std::size_t begin, std::size_t end,
              const hn::TFromD<D>* const* ahead) {
  using T = hn::TFromD<D>;
  using V = hn::Vec<D>;
  constexpr std::size_t kLanes = LaneContext<D>::kLanes;
  constexpr std::size_t kTail = kKernel - 1;
  const CausalConv& forward = call.call;
  const std::size_t count = end - begin;
  const T* gradients[kMostTokens + kTail];
  const T* inputs[kMostTokens + kTail];  // from token begin - kTail on
  T* to[kMostTokens];
  for (std::size_t t = 0; t < count; ++t) {
    gradients[t] = context.gradient_at(call.out_gradient, begin + t);
    inputs[kTail + t] = context.at(forward.in, begin + t);
    to[t] = call.in_gradient.wanted() ? context.gradient_at(call.in_gradient.view, begin + t) : nullptr;
  }
  for (std::size_t j = 0; j < kTail; ++j) {
    gradients[count + j] = ahead[j];
    const std::size_t back = kTail - j;
    inputs[j] = context.position[begin] >= back ? context.at(forward.in, begin - back) : nullptr;
  }
  const auto load = [&](const T* row, std::size_t at)
                        HWY_ATTR { return row == nullptr ? hn::Zero(d) : hn::Load(d, row + at); };
  for (std::size_t c = 0; c < static_cast<std::size_t>(forward.in.width); ++c) {
    const T* weight = context.parameter(forward.weight) + c * kKernel * kLanes;
    T* weight_gradient = context.parameter_gradient(forward.weight) + c * kKernel * kLanes;
    T* bias_gradient = context.parameter_gradient(forward.bias) + c * kLanes;
    const std::size_t at = c * kLanes;
    V bias_sum = hn::Zero(d);
    // Newest last: x[kTail] is the input of token t, g[0] its output gradient, g[j] that of token t + j.
    V w[kKernel];
    V sum[kKernel];
    V x[kKernel];
    V g[kKernel];
    unrolled<kKernel>([&](auto j) HYSEQ_UNROLLED {
      w[j] = hn::Load(d, weight + j * kLanes);
      sum[j] = hn::Zero(d);
      if constexpr (j < kTail) {
        x[j + 1] = load(inputs[j], at);
        g[j + 1] = load(gradients[j], at);
      }
    });
    for (std::size_t t = 0; t < count; ++t) {
      unrolled<kTail>([&](auto j) HYSEQ_UNROLLED {
        x[j] = x[j + 1];
        g[j] = g[j + 1];
      });
      x[kTail] = hn::Load(d, inputs[kTail + t] + at);
      g[kTail] = load(gradients[t + kTail], at);
      bias_sum = hn::Add(bias_sum, g[0]);
      V reached = hn::Mul(g[0], w[kTail]);
      unrolled<kKernel>([&](auto j) HYSEQ_UNROLLED {
        sum[j] = hn::MulAdd(g[0], x[j], sum[j]);
        if constexpr (j > 0) reached = hn::MulAdd(g[j], w[kTail - j], reached);
      });
      if (to[t] != nullptr) put(d, call.in_gradient.mode, reached, to[t] + at);
    }
    hn::Store(hn::Add(hn::Load(d, bias_gradient), bias_sum), d, bias_gradient);
    unrolled<kKernel>([&](auto j) HYSEQ_UNROLLED {
      T* place = weight_gradient + j * kLanes;
      hn::Store(hn::Add(hn::Load(d, place), sum[j]), d, place);
    });
  }
}

template <std::size_t kKernel, class D>
void backward_range(D d, const CausalConvBackward& call, const LaneContext<D>& context) {
  using T = hn::TFromD<D>;
  constexpr std::size_t kTail = kKernel - 1;
  const std::size_t row = static_cast<std::size_t>(call.call.in.width) * LaneContext<D>::kLanes;
  const T* later = context.memory;  // output gradients of tokens end, end + 1, ..
  for (std::size_t begin = context.begin; begin < context.end;) {
    std::size_t end = begin + 1;
    while (end < context.end && end - begin < kMostTokens && context.starts[end] == 0) ++end;
    const T* ahead[kKernel] = {};
    for (std::size_t j = 0; j < kTail; ++j) {
      const std::size_t t = end + j;
      if (t >= context.time || context.starts[t] != 0) break;
      ahead[j] = t < context.end ? context.gradient_at(call.out_gradient, t) : later + (t - context.end) * row;
    }
    backward<kKernel>(d, call, context, begin, end, ahead);
    begin = end;
  }
}

}  // namespace conv_detail

template <class D>
void lanes(D d, const CausalConvBackward& call, const LaneContext<D>& context) {
  using T = hn::TFromD<D>;
  using V = hn::Vec<D>;
  constexpr std::size_t kLanes = LaneContext<D>::kLanes;
  const CausalConv& forward = call.call;
  const auto channels = static_cast<std::size_t>(forward.in.width);
  const auto kernel = static_cast<std::size_t>(forward.kernel);
  const std::size_t tail = kernel - 1;
  T* later = context.memory;
  if (kernel == 4) {
    conv_detail::backward_range<4>(d, call, context);
  } else {
    const T* weight = context.parameter(forward.weight);
    T* weight_gradient = context.parameter_gradient(forward.weight);
    T* bias_gradient = context.parameter_gradient(forward.bias);
    for (std::size_t t = context.begin; t < context.end; ++t) {
      const T* gradient = context.gradient_at(call.out_gradient, t);
      const std::size_t taps = conv_taps(forward, context, t);
      // Tokens after t that see it: while they lie in its segment.
      std::size_t ahead = 1;
      while (ahead < kernel && t + ahead < context.time && context.starts[t + ahead] == 0) ++ahead;
      T* in = call.in_gradient.wanted() ? context.gradient_at(call.in_gradient.view, t) : nullptr;
      for (std::size_t c = 0; c < channels; ++c) {
        const V g = hn::Load(d, gradient + c * kLanes);
        hn::Store(hn::Add(hn::Load(d, bias_gradient + c * kLanes), g), d, bias_gradient + c * kLanes);
        for (std::size_t back = 0; back < taps; ++back) {
          T* to = weight_gradient + (c * kernel + tail - back) * kLanes;
          const V x = hn::Load(d, context.at(forward.in, t - back) + c * kLanes);
          hn::Store(hn::MulAdd(g, x, hn::Load(d, to)), d, to);
        }
        if (in == nullptr) continue;
        V sum = hn::Zero(d);
        for (std::size_t j = 0; j < ahead; ++j) {
          const T* from = t + j < context.end ? context.gradient_at(call.out_gradient, t + j)
                                              : later + (t + j - context.end) * channels * kLanes;
          sum = hn::MulAdd(hn::Load(d, from + c * kLanes), hn::Load(d, weight + (c * kernel + tail - j) * kLanes), sum);
        }
        put(d, call.in_gradient.mode, sum, in + c * kLanes);
      }
    }
  }
  // The range before this one sees its first rows. Short ranges keep what they had of the later ones, moved back.
  const std::size_t rows = context.end - context.begin;
  for (std::size_t j = tail; j-- > 0;) {
    if (context.begin + j >= context.time) continue;
    const T* from =
        j < rows ? context.gradient_at(call.out_gradient, context.begin + j) : later + (j - rows) * channels * kLanes;
    std::copy_n(from, channels * kLanes, later + j * channels * kLanes);
  }
}

}  // namespace hyseq::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
