#if defined(HYSEQ_KERNELS_ROTARY_LANES_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef HYSEQ_KERNELS_ROTARY_LANES_INL_HPP
#undef HYSEQ_KERNELS_ROTARY_LANES_INL_HPP
#else
#define HYSEQ_KERNELS_ROTARY_LANES_INL_HPP
#endif

#include <cmath>

#include "kernels/lanes/context-inl.hpp"
#include "kernels/rotary/rotary.hpp"

HWY_BEFORE_NAMESPACE();
namespace hyseq::kernels::HWY_NAMESPACE {

// Cosines and sines are the same in all lanes; the session tabulates them when it is given new positions.
inline std::size_t memory_size(const Rotary& call, const Program& /*program*/, std::size_t time) {
  return 2 * time * call.turns.size();
}

/// [time][pair][cosine, sine], one number each.
template <class D>
void tabulate(D /*d*/, const Rotary& call, const LaneContext<D>& context) {
  using T = hn::TFromD<D>;
  T* table = context.memory;
  for (std::size_t t = 0; t < context.time; ++t) {
    for (const std::uint64_t turns : call.turns) {
      const double angle = rotary_angle(context.position[t], turns);
      *table++ = static_cast<T>(std::cos(angle));
      *table++ = static_cast<T>(std::sin(angle));
    }
  }
}

/// Rotates one row, backwards for a negative `direction`.
template <class D>
HWY_INLINE void rotate(D d, const Rotary& call, const hn::TFromD<D>* table, hn::TFromD<D> direction,
                       hn::TFromD<D>* data) {
  constexpr std::size_t kLanes = LaneContext<D>::kLanes;
  const std::size_t half = call.turns.size();
  const std::size_t head_width = static_cast<std::size_t>(call.data.width / call.heads);
  for (std::size_t i = 0; i < half; ++i) {
    const auto cosine = hn::Set(d, table[2 * i]);
    const auto sine = hn::Set(d, direction * table[2 * i + 1]);
    for (std::size_t head = 0; head < static_cast<std::size_t>(call.heads); ++head) {
      auto* first = data + (head * head_width + i) * kLanes;
      auto* second = first + half * kLanes;
      const auto a = hn::Load(d, first);
      const auto b = hn::Load(d, second);
      hn::Store(hn::NegMulAdd(b, sine, hn::Mul(a, cosine)), d, first);
      hn::Store(hn::MulAdd(a, sine, hn::Mul(b, cosine)), d, second);
    }
  }
}

template <class D>
void lanes(D d, const Rotary& call, const LaneContext<D>& context) {
  for (std::size_t t = context.begin; t < context.end; ++t) {
    rotate(d, call, context.memory + 2 * t * call.turns.size(), 1, context.at(call.data, t));
  }
}

template <class D>
void lanes(D d, const RotaryBackward& call, const LaneContext<D>& context) {
  for (std::size_t t = context.begin; t < context.end; ++t) {
    rotate(d, call.call, context.memory + 2 * t * call.call.turns.size(), -1, context.gradient_at(call.gradient, t));
  }
}

}  // namespace hyseq::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
