#if defined(HYSEQ_KERNELS_EMBEDDING_LANES_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef HYSEQ_KERNELS_EMBEDDING_LANES_INL_HPP
#undef HYSEQ_KERNELS_EMBEDDING_LANES_INL_HPP
#else
#define HYSEQ_KERNELS_EMBEDDING_LANES_INL_HPP
#endif

#include "kernels/embedding/embedding.hpp"
#include "kernels/lanes/context-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace hyseq::kernels::HWY_NAMESPACE {

/// Where the first column of every member's row of the table lies: members read different tokens.
template <class D>
HWY_INLINE auto table_rows(D /*d*/, int width, const hwy::MakeSigned<hn::TFromD<D>>* tokens) {
  constexpr std::size_t kLanes = LaneContext<D>::kLanes;
  const hn::RebindToSigned<D> integers;
  using Index = hwy::MakeSigned<hn::TFromD<D>>;
  const auto row = hn::Mul(hn::Load(integers, tokens), hn::Set(integers, static_cast<Index>(width) * Index{kLanes}));
  return hn::Add(row, hn::Iota(integers, 0));
}

template <class D>
void lanes(D d, const Embedding& call, const LaneContext<D>& context) {
  constexpr std::size_t kLanes = LaneContext<D>::kLanes;
  const auto* table = context.parameter(call.table);
  for (std::size_t t = context.begin; t < context.end; ++t) {
    const auto rows = table_rows(d, call.out.width, context.tokens + t * kLanes);
    auto* out = context.at(call.out, t);
    for (std::size_t c = 0; c < static_cast<std::size_t>(call.out.width); ++c) {
      hn::Store(hn::GatherIndex(d, table + c * kLanes, rows), d, out + c * kLanes);
    }
  }
}

template <class D>
void lanes(D d, const EmbeddingBackward& call, const LaneContext<D>& context) {
  constexpr std::size_t kLanes = LaneContext<D>::kLanes;
  auto* table = context.parameter_gradient(call.call.table);
  for (std::size_t t = context.begin; t < context.end; ++t) {
    const auto rows = table_rows(d, call.call.out.width, context.tokens + t * kLanes);
    const auto* gradient = context.gradient_at(call.out_gradient, t);
    for (std::size_t c = 0; c < static_cast<std::size_t>(call.call.out.width); ++c) {
      const auto sum = hn::Add(hn::GatherIndex(d, table + c * kLanes, rows), hn::Load(d, gradient + c * kLanes));
      hn::ScatterIndex(sum, d, table + c * kLanes, rows);
    }
  }
}

template <class D>
void lanes(D d, const PositionCode& call, const LaneContext<D>& context) {
  using T = hn::TFromD<D>;
  constexpr std::size_t kLanes = LaneContext<D>::kLanes;
  const auto delay = static_cast<std::uint64_t>(call.delay);
  for (std::size_t t = context.begin; t < context.end; ++t) {
    const std::uint64_t position = context.position[t] < delay ? 0 : context.position[t] - delay;
    T* out = context.at(call.out, t);
    for (int i = 0; i < call.out.width; ++i) {
      T* element = out + static_cast<std::size_t>(i) * kLanes;
      const T sign = ((position >> i) & 1U) != 0 ? T{1} : T{-1};
      hn::Store(hn::Add(hn::Load(d, element), hn::Set(d, sign)), d, element);
    }
  }
}

}  // namespace hyseq::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
