// Loops of constant length written out, so that an array of vectors that they index becomes registers. (Compilers
// unroll such loops only after they have decided which arrays may live in registers.)
#if defined(HYSEQ_KERNELS_LANES_UNROLLED_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef HYSEQ_KERNELS_LANES_UNROLLED_INL_HPP
#undef HYSEQ_KERNELS_LANES_UNROLLED_INL_HPP
#else
#define HYSEQ_KERNELS_LANES_UNROLLED_INL_HPP
#endif

#include <cstddef>
#include <type_traits>
#include <utility>

#include <hwy/highway.h>

#include "kernels/lanes/targets.hpp"

HWY_BEFORE_NAMESPACE();
namespace hyseq::kernels::HWY_NAMESPACE {

template <class Body, std::size_t... kIndex>
HWY_INLINE void unrolled(const Body& body, std::index_sequence<kIndex...> /*indices*/) {
  (body(std::integral_constant<std::size_t, kIndex>{}), ...);
}

/// body(0), .., body(kCount - 1), each with a constant of its own type. Lambdas need the attribute HYSEQ_UNROLLED in
/// front of their body.
template <std::size_t kCount, class Body>
HWY_INLINE void unrolled(const Body& body) {
  unrolled(body, std::make_index_sequence<kCount>());
}

}  // namespace hyseq::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#ifndef HYSEQ_UNROLLED
#define HYSEQ_UNROLLED HWY_ATTR __attribute__((always_inline))
#endif

#endif
