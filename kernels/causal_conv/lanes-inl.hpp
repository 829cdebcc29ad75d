#if defined(HYSEQ_KERNELS_CAUSAL_CONV_LANES_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef HYSEQ_KERNELS_CAUSAL_CONV_LANES_INL_HPP
#undef HYSEQ_KERNELS_CAUSAL_CONV_LANES_INL_HPP
#else
#define HYSEQ_KERNELS_CAUSAL_CONV_LANES_INL_HPP
#endif

#include <algorithm>

#include "kernels/causal_conv/causal_conv.hpp"
#include "kernels/lanes/context-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace hyseq::kernels::HWY_NAMESPACE {

// The last kernel - 1 inputs before token 0, oldest first (set by the session), and behind them the first kernel - 1
// output gradients of the range that the backward pass has last seen.
inline std::size_t memory_size(const CausalConv& call, const Program& /*program*/, std::size_t /*time*/) {
  return 2 * static_cast<std::size_t>((call.kernel - 1) * call.in.width);
}

/// Input of tap `back` tokens before t: a row of the buffer, or of the tail in front of it.
template <class D>
HWY_INLINE const hn::TFromD<D>* conv_input(D /*d*/, const CausalConv& call, const LaneContext<D>& context,
                                           std::size_t t, std::size_t back) {
  if (t >= back) return context.at(call.in, t - back);
  const std::size_t tail = static_cast<std::size_t>(call.kernel) - 1;
  return context.memory + (tail + t - back) * static_cast<std::size_t>(call.in.width) * LaneContext<D>::kLanes;
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
    if (kernel == 4 && taps == 4 && t >= 3) {
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
        sum = hn::MulAdd(hn::Load(d, conv_input(d, call, context, t, back) + c * kLanes), w, sum);
      }
      hn::Store(sum, d, out + c * kLanes);
    }
  }
}

template <class D>
void lanes(D d, const CausalConvBackward& call, const LaneContext<D>& context) {
  using T = hn::TFromD<D>;
  using V = hn::Vec<D>;
  constexpr std::size_t kLanes = LaneContext<D>::kLanes;
  const CausalConv& forward = call.call;
  const auto channels = static_cast<std::size_t>(forward.in.width);
  const auto kernel = static_cast<std::size_t>(forward.kernel);
  const std::size_t tail = kernel - 1;
  const T* weight = context.parameter(forward.weight);
  T* weight_gradient = context.parameter_gradient(forward.weight);
  T* bias_gradient = context.parameter_gradient(forward.bias);
  T* later = context.memory + tail * channels * kLanes;  // output gradients of tokens end, end + 1, ..
  for (std::size_t t = context.begin; t < context.end; ++t) {
    const T* gradient = context.gradient_at(call.out_gradient, t);
    const std::size_t taps = conv_taps(forward, context, t);
    for (std::size_t c = 0; c < channels; ++c) {
      const V g = hn::Load(d, gradient + c * kLanes);
      hn::Store(hn::Add(hn::Load(d, bias_gradient + c * kLanes), g), d, bias_gradient + c * kLanes);
      for (std::size_t back = 0; back < taps; ++back) {
        T* to = weight_gradient + (c * kernel + tail - back) * kLanes;
        const V x = hn::Load(d, conv_input(d, forward, context, t, back) + c * kLanes);
        hn::Store(hn::MulAdd(g, x, hn::Load(d, to)), d, to);
      }
    }
    if (!call.in_gradient.wanted()) continue;
    // Tokens after t that see it: while they lie in its segment.
    std::size_t ahead = 1;
    while (ahead < kernel && t + ahead < context.time && context.starts[t + ahead] == 0) ++ahead;
    T* in = context.gradient_at(call.in_gradient.view, t);
    for (std::size_t c = 0; c < channels; ++c) {
      V sum = hn::Zero(d);
      for (std::size_t j = 0; j < ahead; ++j) {
        const T* from = t + j < context.end ? context.gradient_at(call.out_gradient, t + j)
                                            : later + (t + j - context.end) * channels * kLanes;
        sum = hn::MulAdd(hn::Load(d, from + c * kLanes), hn::Load(d, weight + (c * kernel + tail - j) * kLanes), sum);
      }
      put(d, call.in_gradient.mode, sum, in + c * kLanes);
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
