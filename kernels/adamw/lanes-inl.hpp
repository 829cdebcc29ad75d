#if defined(HYSEQ_KERNELS_ADAMW_LANES_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef HYSEQ_KERNELS_ADAMW_LANES_INL_HPP
#undef HYSEQ_KERNELS_ADAMW_LANES_INL_HPP
#else
#define HYSEQ_KERNELS_ADAMW_LANES_INL_HPP
#endif

#include "kernels/lanes/context-inl.hpp"
#include "kernels/lanes/session.hpp"

HWY_BEFORE_NAMESPACE();
namespace hyseq::kernels::HWY_NAMESPACE {

/// sums[lane] += the squares of all elements, in double: squares of floats may overflow. Every lane has its own sum,
/// in the order of the elements.
template <class D>
void add_squares(D /*d*/, const hn::TFromD<D>* HWY_RESTRICT values, std::size_t count, double* HWY_RESTRICT sums) {
  constexpr std::size_t kLanes = LaneContext<D>::kLanes;
  HWY_ALIGN double own[kLanes];
  for (std::size_t lane = 0; lane < kLanes; ++lane) own[lane] = sums[lane];
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const auto value = static_cast<double>(values[i * kLanes + lane]);
      own[lane] += value * value;
    }
  }
  for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] = own[lane];
}

/// The update of adamw.hpp for `count` elements of one parameter. Lanes outside `update.active` keep what they have.
template <class D>
void adamw(D d, const LaneUpdate<hn::TFromD<D>>& update, bool decays, std::size_t count,
           const hn::TFromD<D>* HWY_RESTRICT gradients, hn::TFromD<D>* HWY_RESTRICT values,
           hn::TFromD<D>* HWY_RESTRICT first, hn::TFromD<D>* HWY_RESTRICT second) {
  using T = hn::TFromD<D>;
  using V = hn::Vec<D>;
  constexpr std::size_t kLanes = LaneContext<D>::kLanes;
  const auto active = hn::Gt(hn::Load(d, update.active), hn::Zero(d));
  const V factor = hn::Load(d, update.clip_factor);
  const V kept = decays ? hn::Load(d, update.kept) : hn::Set(d, T{1});
  const V rate = hn::Load(d, update.rate);
  const V beta1 = hn::Set(d, update.beta1);
  const V beta2 = hn::Set(d, update.beta2);
  const V fresh1 = hn::Set(d, update.fresh1);
  const V fresh2 = hn::Set(d, update.fresh2);
  const V inverse1 = hn::Set(d, update.inverse_correction1);
  const V inverse2 = hn::Set(d, update.inverse_correction2);
  const V epsilon = hn::Set(d, update.epsilon);
  for (std::size_t i = 0; i < count * kLanes; i += kLanes) {
    const V gradient = hn::Mul(hn::Load(d, gradients + i), factor);
    const V old_first = hn::Load(d, first + i);
    const V old_second = hn::Load(d, second + i);
    const V old_value = hn::Load(d, values + i);
    const V new_first = hn::MulAdd(beta1, old_first, hn::Mul(fresh1, gradient));
    const V new_second = hn::MulAdd(beta2, old_second, hn::Mul(fresh2, hn::Mul(gradient, gradient)));
    const V spread = hn::Add(hn::Sqrt(hn::Mul(new_second, inverse2)), epsilon);
    const V move = hn::Div(hn::Mul(new_first, inverse1), spread);
    const V new_value = hn::NegMulAdd(rate, move, hn::Mul(old_value, kept));
    hn::Store(hn::IfThenElse(active, new_first, old_first), d, first + i);
    hn::Store(hn::IfThenElse(active, new_second, old_second), d, second + i);
    hn::Store(hn::IfThenElse(active, new_value, old_value), d, values + i);
  }
}

}  // namespace hyseq::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
