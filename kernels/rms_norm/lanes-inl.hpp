#if defined(HYSEQ_KERNELS_RMS_NORM_LANES_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef HYSEQ_KERNELS_RMS_NORM_LANES_INL_HPP
#undef HYSEQ_KERNELS_RMS_NORM_LANES_INL_HPP
#else
#define HYSEQ_KERNELS_RMS_NORM_LANES_INL_HPP
#endif

#include "kernels/lanes/context-inl.hpp"
#include "kernels/rms_norm/rms_norm.hpp"

HWY_BEFORE_NAMESPACE();
namespace hyseq::kernels::HWY_NAMESPACE {

// 1 / scale of every row is kept for the backward pass.
inline std::size_t memory_size(const RmsNorm& /*call*/, const Program& /*program*/, std::size_t time) { return time; }

template <class D>
void lanes(D d, const RmsNorm& call, const LaneContext<D>& context) {
  using T = hn::TFromD<D>;
  using V = hn::Vec<D>;
  constexpr std::size_t kLanes = LaneContext<D>::kLanes;
  const auto width = static_cast<std::size_t>(call.in.width);
  const V share = hn::Set(d, static_cast<T>(1.0 / call.in.width));
  const V epsilon = hn::Set(d, static_cast<T>(call.epsilon));
  const T* weight = context.parameter(call.weight);
  for (std::size_t t = context.begin; t < context.end; ++t) {
    const T* in = context.at(call.in, t);
    T* out = context.at(call.out, t);
    V squares = hn::Zero(d);
    for (std::size_t i = 0; i < width * kLanes; i += kLanes) {
      const V x = hn::Load(d, in + i);
      squares = hn::MulAdd(x, x, squares);
    }
    const V inverse = hn::Div(hn::Set(d, T{1}), hn::Sqrt(hn::MulAdd(squares, share, epsilon)));
    for (std::size_t i = 0; i < width * kLanes; i += kLanes) {
      hn::Store(hn::Mul(hn::Mul(hn::Load(d, in + i), inverse), hn::Load(d, weight + i)), d, out + i);
    }
    hn::Store(inverse, d, context.memory + t * kLanes);
  }
}

template <class D>
void lanes(D d, const RmsNormBackward& call, const LaneContext<D>& context) {
  using T = hn::TFromD<D>;
  using V = hn::Vec<D>;
  constexpr std::size_t kLanes = LaneContext<D>::kLanes;
  const RmsNorm& forward = call.call;
  const auto width = static_cast<std::size_t>(forward.in.width);
  const V share = hn::Set(d, static_cast<T>(1.0 / forward.in.width));
  const T* weight = context.parameter(forward.weight);
  T* weight_gradient = context.parameter_gradient(forward.weight);
  for (std::size_t t = context.begin; t < context.end; ++t) {
    const T* in = context.at(forward.in, t);
    const T* gradient = context.gradient_at(call.out_gradient, t);
    const V inverse = hn::Load(d, context.memory + t * kLanes);
    V dot = hn::Zero(d);
    for (std::size_t i = 0; i < width * kLanes; i += kLanes) {
      const V g = hn::Load(d, gradient + i);
      const V normal = hn::Mul(hn::Load(d, in + i), inverse);
      const V weighted = hn::Mul(g, normal);
      hn::Store(hn::Add(weighted, hn::Load(d, weight_gradient + i)), d, weight_gradient + i);
      dot = hn::MulAdd(weighted, hn::Load(d, weight + i), dot);
    }
    if (!call.in_gradient.wanted()) continue;
    T* to = context.gradient_at(call.in_gradient.view, t);
    const V mean_dot = hn::Mul(dot, share);
    for (std::size_t i = 0; i < width * kLanes; i += kLanes) {
      const V normal = hn::Mul(hn::Load(d, in + i), inverse);
      const V weighted = hn::Mul(hn::Load(d, gradient + i), hn::Load(d, weight + i));
      put(d, call.in_gradient.mode, hn::Mul(hn::NegMulAdd(normal, mean_dot, weighted), inverse), to + i);
    }
  }
}

}  // namespace hyseq::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
