#if defined(HYSEQ_KERNELS_SOFTMAX_CROSS_ENTROPY_LANES_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef HYSEQ_KERNELS_SOFTMAX_CROSS_ENTROPY_LANES_INL_HPP
#undef HYSEQ_KERNELS_SOFTMAX_CROSS_ENTROPY_LANES_INL_HPP
#else
#define HYSEQ_KERNELS_SOFTMAX_CROSS_ENTROPY_LANES_INL_HPP
#endif

#include "kernels/lanes/context-inl.hpp"
#include "kernels/lanes/math-inl.hpp"
#include "kernels/softmax_cross_entropy/softmax_cross_entropy.hpp"

HWY_BEFORE_NAMESPACE();
namespace hyseq::kernels::HWY_NAMESPACE {

/// Loss and hit of every valid position of tokens [begin, end), into context.losses and context.hits (0 where not
/// valid); with `gradient`, the gradient of the logits as well.
template <class D>
void cross_entropy(D d, const View& logits, const View* gradient, const LaneContext<D>& context) {
  using T = hn::TFromD<D>;
  using V = hn::Vec<D>;
  using Index = typename LaneContext<D>::Index;
  constexpr std::size_t kLanes = LaneContext<D>::kLanes;
  const hn::RebindToSigned<D> integers;
  const auto vocabulary = static_cast<std::size_t>(logits.width);
  const V one = constant(d, 1);
  typename Scratch<T>::Scope scope(*context.scratch);
  T* const exponentials = context.scratch->take(vocabulary * kLanes);
  for (std::size_t t = context.begin; t < context.end; ++t) {
    const T* x = context.at(logits, t);
    const auto target = hn::Load(integers, context.targets + t * kLanes);
    const auto valid = hn::RebindMask(d, hn::Gt(target, hn::Set(integers, Index{-1})));
    // The target's column is compared with a counter, so that no lane is picked out alone.
    V largest = hn::Load(d, x);
    V wanted = hn::Zero(d);
    auto column = hn::Zero(integers);
    const auto step = hn::Set(integers, Index{1});
    for (std::size_t v = 0; v < vocabulary; ++v) {
      const V logit = hn::Load(d, x + v * kLanes);
      largest = hn::Max(largest, logit);
      wanted = hn::IfThenElse(hn::RebindMask(d, hn::Eq(column, target)), logit, wanted);
      column = hn::Add(column, step);
    }
    V sum = hn::Zero(d);
    V ties = hn::Zero(d);
    for (std::size_t v = 0; v < vocabulary; ++v) {
      const V logit = hn::Load(d, x + v * kLanes);
      const V e = exp(d, hn::Sub(logit, largest));
      sum = hn::Add(sum, e);
      ties = hn::Add(ties, hn::IfThenElseZero(hn::Eq(logit, largest), one));
      hn::Store(e, d, exponentials + v * kLanes);
    }
    const V loss = hn::Add(log(d, sum), hn::Sub(largest, wanted));
    // A row with a NaN has no largest logit.
    const auto hit = hn::And(hn::And(hn::Eq(wanted, largest), hn::Eq(ties, one)), hn::And(hn::Eq(sum, sum), valid));
    hn::Store(hn::IfThenElseZero(valid, loss), d, context.losses + t * kLanes);
    hn::Store(hn::IfThenElseZero(hit, one), d, context.hits + t * kLanes);
    if (gradient == nullptr) continue;
    T* to = context.gradient_at(*gradient, t);
    const V weight = hn::IfThenElseZero(valid, hn::Load(d, context.loss_weight));
    const V scale = hn::Div(weight, sum);
    column = hn::Zero(integers);
    for (std::size_t v = 0; v < vocabulary; ++v) {
      const auto is_target = hn::RebindMask(d, hn::Eq(column, target));
      const V share = hn::Mul(hn::Load(d, exponentials + v * kLanes), scale);
      const V value = hn::Sub(share, hn::IfThenElseZero(is_target, weight));
      hn::Store(hn::IfThenElseZero(valid, value), d, to + v * kLanes);
      column = hn::Add(column, step);
    }
  }
}

template <class D>
void lanes(D d, const CrossEntropyBackward& call, const LaneContext<D>& context) {
  cross_entropy(d, call.logits, &call.logits_gradient, context);
}

}  // namespace hyseq::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
