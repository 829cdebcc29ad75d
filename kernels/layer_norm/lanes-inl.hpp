#if defined(HYSEQ_KERNELS_LAYER_NORM_LANES_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef HYSEQ_KERNELS_LAYER_NORM_LANES_INL_HPP
#undef HYSEQ_KERNELS_LAYER_NORM_LANES_INL_HPP
#else
#define HYSEQ_KERNELS_LAYER_NORM_LANES_INL_HPP
#endif

#include "kernels/lanes/context-inl.hpp"
#include "kernels/layer_norm/layer_norm.hpp"

HWY_BEFORE_NAMESPACE();
namespace hyseq::kernels::HWY_NAMESPACE {

// Mean and 1 / deviation of every row are kept for the backward pass.
inline std::size_t memory_size(const LayerNorm& /*call*/, const Program& /*program*/, std::size_t time) {
  return 2 * time;
}

template <class D>
void lanes(D d, const LayerNorm& call, const LaneContext<D>& context) {
  using T = hn::TFromD<D>;
  using V = hn::Vec<D>;
  constexpr std::size_t kLanes = LaneContext<D>::kLanes;
  const auto width = static_cast<std::size_t>(call.in.width);
  const V share = hn::Set(d, static_cast<T>(1.0 / call.in.width));
  const V epsilon = hn::Set(d, static_cast<T>(call.epsilon));
  const T* weight = context.parameter(call.weight);
  const T* bias = context.parameter(call.bias);
  for (std::size_t t = context.begin; t < context.end; ++t) {
    const T* in = context.at(call.in, t);
    T* out = context.at(call.out, t);
    V sum = hn::Load(d, in);
    for (std::size_t c = 1; c < width; ++c) sum = hn::Add(sum, hn::Load(d, in + c * kLanes));
    const V mean = hn::Mul(sum, share);
    V squares = hn::Zero(d);
    for (std::size_t c = 0; c < width; ++c) {
      const V centred = hn::Sub(hn::Load(d, in + c * kLanes), mean);
      squares = hn::MulAdd(centred, centred, squares);
    }
    const V inverse = hn::Div(hn::Set(d, T{1}), hn::Sqrt(hn::MulAdd(squares, share, epsilon)));
    for (std::size_t c = 0; c < width; ++c) {
      const V normal = hn::Mul(hn::Sub(hn::Load(d, in + c * kLanes), mean), inverse);
      hn::Store(hn::MulAdd(normal, hn::Load(d, weight + c * kLanes), hn::Load(d, bias + c * kLanes)), d,
                out + c * kLanes);
    }
    hn::Store(mean, d, context.memory + 2 * t * kLanes);
    hn::Store(inverse, d, context.memory + (2 * t + 1) * kLanes);
  }
}

template <class D>
void lanes(D d, const LayerNormBackward& call, const LaneContext<D>& context) {
  using T = hn::TFromD<D>;
  using V = hn::Vec<D>;
  constexpr std::size_t kLanes = LaneContext<D>::kLanes;
  const LayerNorm& forward = call.call;
  const auto width = static_cast<std::size_t>(forward.in.width);
  const V share = hn::Set(d, static_cast<T>(1.0 / forward.in.width));
  const T* weight = context.parameter(forward.weight);
  T* weight_gradient = context.parameter_gradient(forward.weight);
  T* bias_gradient = context.parameter_gradient(forward.bias);
  for (std::size_t t = context.begin; t < context.end; ++t) {
    const T* in = context.at(forward.in, t);
    const T* gradient = context.gradient_at(call.out_gradient, t);
    const V mean = hn::Load(d, context.memory + 2 * t * kLanes);
    const V inverse = hn::Load(d, context.memory + (2 * t + 1) * kLanes);
    V sum = hn::Zero(d);
    V dot = hn::Zero(d);
    for (std::size_t i = 0; i < width * kLanes; i += kLanes) {
      const V g = hn::Load(d, gradient + i);
      const V normal = hn::Mul(hn::Sub(hn::Load(d, in + i), mean), inverse);
      hn::Store(hn::MulAdd(g, normal, hn::Load(d, weight_gradient + i)), d, weight_gradient + i);
      hn::Store(hn::Add(g, hn::Load(d, bias_gradient + i)), d, bias_gradient + i);
      const V weighted = hn::Mul(g, hn::Load(d, weight + i));
      sum = hn::Add(sum, weighted);
      dot = hn::MulAdd(weighted, normal, dot);
    }
    if (!call.in_gradient.wanted()) continue;
    T* to = context.gradient_at(call.in_gradient.view, t);
    const V mean_sum = hn::Mul(sum, share);
    const V mean_dot = hn::Mul(dot, share);
    for (std::size_t i = 0; i < width * kLanes; i += kLanes) {
      const V normal = hn::Mul(hn::Sub(hn::Load(d, in + i), mean), inverse);
      const V weighted = hn::Mul(hn::Load(d, gradient + i), hn::Load(d, weight + i));
      const V value = hn::Mul(hn::NegMulAdd(normal, mean_dot, hn::Sub(weighted, mean_sum)), inverse);
      put(d, call.in_gradient.mode, value, to + i);
    }
  }
}

}  // namespace hyseq::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
