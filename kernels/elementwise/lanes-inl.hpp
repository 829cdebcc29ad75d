#if defined(HYSEQ_KERNELS_ELEMENTWISE_LANES_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef HYSEQ_KERNELS_ELEMENTWISE_LANES_INL_HPP
#undef HYSEQ_KERNELS_ELEMENTWISE_LANES_INL_HPP
#else
#define HYSEQ_KERNELS_ELEMENTWISE_LANES_INL_HPP
#endif

#include "kernels/elementwise/elementwise.hpp"
#include "kernels/lanes/context-inl.hpp"
#include "kernels/lanes/math-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace hyseq::kernels::HWY_NAMESPACE {

// The slope at every element is at hand in the forward pass and costs an exp and a division to find again.
inline std::size_t memory_size(const Activate& call, const Program& /*program*/, std::size_t time) {
  return call.activation == Activation::identity ? 0 : time * static_cast<std::size_t>(call.in.width);
}

template <class V>
struct ValueAndSlope {
  V value;
  V slope;
};

template <Activation kActivation, class D, class V = hn::Vec<D>>
HWY_INLINE ValueAndSlope<V> activate(D d, V x) {
  const V one = constant(d, 1);
  if constexpr (kActivation == Activation::silu) {
    const V s = sigmoid(d, x);
    return {hn::Mul(x, s), hn::Mul(s, hn::MulAdd(x, hn::Sub(one, s), one))};
  } else if constexpr (kActivation == Activation::softplus) {
    return {softplus(d, x), sigmoid(d, x)};
  } else if constexpr (kActivation == Activation::gelu) {
    return {gelu(d, x), gelu_slope(d, x)};
  } else {
    return {x, one};
  }
}

template <Activation kActivation, class D>
void activate_rows(D d, const Activate& call, const LaneContext<D>& context) {
  constexpr std::size_t kLanes = LaneContext<D>::kLanes;
  const std::size_t count = static_cast<std::size_t>(call.in.width) * kLanes;
  for (std::size_t t = context.begin; t < context.end; ++t) {
    const auto* in = context.at(call.in, t);
    auto* out = context.at(call.out, t);
    if (context.keep && kActivation != Activation::identity) {
      auto* slopes = context.memory + t * count;
      for (std::size_t i = 0; i < count; i += kLanes) {
        const auto result = activate<kActivation>(d, hn::Load(d, in + i));
        hn::Store(result.value, d, out + i);
        hn::Store(result.slope, d, slopes + i);
      }
    } else {
      for (std::size_t i = 0; i < count; i += kLanes) {
        hn::Store(activate<kActivation>(d, hn::Load(d, in + i)).value, d, out + i);
      }
    }
  }
}

template <class D>
void lanes(D d, const Activate& call, const LaneContext<D>& context) {
  switch (call.activation) {
    case Activation::identity:
      return activate_rows<Activation::identity>(d, call, context);
    case Activation::silu:
      return activate_rows<Activation::silu>(d, call, context);
    case Activation::gelu:
      return activate_rows<Activation::gelu>(d, call, context);
    case Activation::softplus:
      return activate_rows<Activation::softplus>(d, call, context);
  }
}

template <class D>
void lanes(D d, const ActivateBackward& call, const LaneContext<D>& context) {
  constexpr std::size_t kLanes = LaneContext<D>::kLanes;
  if (!call.in_gradient.wanted()) return;
  const std::size_t count = static_cast<std::size_t>(call.call.in.width) * kLanes;
  const bool identity = call.call.activation == Activation::identity;
  for (std::size_t t = context.begin; t < context.end; ++t) {
    const auto* out = context.gradient_at(call.out_gradient, t);
    auto* in = context.gradient_at(call.in_gradient.view, t);
    const auto* slopes = context.memory + t * count;
    for (std::size_t i = 0; i < count; i += kLanes) {
      auto gradient = hn::Load(d, out + i);
      if (!identity) gradient = hn::Mul(gradient, hn::Load(d, slopes + i));
      put(d, call.in_gradient.mode, gradient, in + i);
    }
  }
}

template <class D>
void lanes(D d, const Add& call, const LaneContext<D>& context) {
  constexpr std::size_t kLanes = LaneContext<D>::kLanes;
  const std::size_t count = static_cast<std::size_t>(call.out.width) * kLanes;
  for (std::size_t t = context.begin; t < context.end; ++t) {
    const auto* a = context.at(call.a, t);
    const auto* b = context.at(call.b, t);
    auto* out = context.at(call.out, t);
    for (std::size_t i = 0; i < count; i += kLanes) {
      hn::Store(hn::Add(hn::Load(d, a + i), hn::Load(d, b + i)), d, out + i);
    }
  }
}

template <class D>
void lanes(D d, const AddBackward& call, const LaneContext<D>& context) {
  constexpr std::size_t kLanes = LaneContext<D>::kLanes;
  const std::size_t count = static_cast<std::size_t>(call.call.out.width) * kLanes;
  for (std::size_t t = context.begin; t < context.end; ++t) {
    const auto* out = context.gradient_at(call.out_gradient, t);
    for (const GradientView* gradient : {&call.a_gradient, &call.b_gradient}) {
      if (!gradient->wanted()) continue;
      auto* to = context.gradient_at(gradient->view, t);
      for (std::size_t i = 0; i < count; i += kLanes) put(d, gradient->mode, hn::Load(d, out + i), to + i);
    }
  }
}

template <class D>
void lanes(D d, const Multiply& call, const LaneContext<D>& context) {
  constexpr std::size_t kLanes = LaneContext<D>::kLanes;
  const std::size_t count = static_cast<std::size_t>(call.out.width) * kLanes;
  for (std::size_t t = context.begin; t < context.end; ++t) {
    const auto* a = context.at(call.a, t);
    const auto* b = context.at(call.b, t);
    auto* out = context.at(call.out, t);
    for (std::size_t i = 0; i < count; i += kLanes) {
      hn::Store(hn::Mul(hn::Load(d, a + i), hn::Load(d, b + i)), d, out + i);
    }
  }
}

template <class D>
void lanes(D d, const MultiplyBackward& call, const LaneContext<D>& context) {
  constexpr std::size_t kLanes = LaneContext<D>::kLanes;
  const std::size_t count = static_cast<std::size_t>(call.call.out.width) * kLanes;
  const GradientMode a_mode = call.a_gradient.mode;
  const GradientMode b_mode = call.b_gradient.mode;
  for (std::size_t t = context.begin; t < context.end; ++t) {
    const auto* out = context.gradient_at(call.out_gradient, t);
    const auto* a = context.at(call.call.a, t);
    const auto* b = context.at(call.call.b, t);
    auto* to_a = call.a_gradient.wanted() ? context.gradient_at(call.a_gradient.view, t) : nullptr;
    auto* to_b = call.b_gradient.wanted() ? context.gradient_at(call.b_gradient.view, t) : nullptr;
    for (std::size_t i = 0; i < count; i += kLanes) {
      const auto gradient = hn::Load(d, out + i);
      if (to_a != nullptr) put(d, a_mode, hn::Mul(gradient, hn::Load(d, b + i)), to_a + i);
      if (to_b != nullptr) put(d, b_mode, hn::Mul(gradient, hn::Load(d, a + i)), to_b + i);
    }
  }
}

}  // namespace hyseq::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
