// Loops over vectors of whatever width the instruction set in hand has, on top of Highway's static dispatch: the
// sources that include this are compiled once per instruction set (see README.md).
#pragma once

// clang-format off: the choice of targets has to stand before Highway.
#include "kernels/lanes/targets.hpp"
// clang-format on

#include <algorithm>
#include <cstddef>

#include "kernels/base/view.hpp"
#include "kernels/lanes/math-inl.hpp"

namespace hyseq::kernels::dense {

namespace hn = hwy::HWY_NAMESPACE;
namespace math = hyseq::kernels::HWY_NAMESPACE;  // exp, sigmoid, ... of vectors

template <class T>
using Tag = hn::ScalableTag<T>;
template <class T>
using Vector = hn::Vec<Tag<T>>;
template <class T>
inline constexpr std::size_t kLanes = hn::MaxLanes(Tag<T>());

/// Numbers that fill a vector.
template <class T>
struct Whole {
  static constexpr Tag<T> tag{};

  [[nodiscard]] HWY_INLINE Vector<T> load(const T* from) const { return hn::LoadU(tag, from); }
  HWY_INLINE void store(Vector<T> value, T* to) const { hn::StoreU(value, tag, to); }
  [[nodiscard]] HWY_INLINE Vector<T> set(T value) const { return hn::Set(tag, value); }
  [[nodiscard]] HWY_INLINE Vector<T> used(Vector<T> value) const { return value; }
};

/// `count` numbers, fewer than fill a vector: memory behind them is neither read nor written.
template <class T>
struct Part {
  static constexpr Tag<T> tag{};
  std::size_t count;

  /// The rest of the vector is zero.
  [[nodiscard]] HWY_INLINE Vector<T> load(const T* from) const {
#if HWY_MEM_OPS_MIGHT_FAULT && HWY_TARGET != HWY_AVX2 && HWY_TARGET != HWY_AVX3
    HWY_ALIGN T lanes[kLanes<T>] = {};
    std::copy_n(from, count, lanes);
    return hn::Load(tag, lanes);
#else
    return hn::MaskedLoad(hn::FirstN(tag, count), tag, from);
#endif
  }
  HWY_INLINE void store(Vector<T> value, T* to) const {
#if HWY_MEM_OPS_MIGHT_FAULT && HWY_TARGET != HWY_AVX2 && HWY_TARGET != HWY_AVX3
    HWY_ALIGN T lanes[kLanes<T>];
    hn::Store(value, tag, lanes);
    std::copy_n(lanes, count, to);
#else
    hn::BlendedStore(value, hn::FirstN(tag, count), tag, to);
#endif
  }
  [[nodiscard]] HWY_INLINE Vector<T> set(T value) const { return hn::Set(tag, value); }
  /// `value` with zeros behind the numbers.
  [[nodiscard]] HWY_INLINE Vector<T> used(Vector<T> value) const {
    return hn::IfThenElseZero(hn::FirstN(tag, count), value);
  }
};

/// body(v, i) for every vector of [0, count): v a Whole or a Part, i its first element.
template <class T, class Body>
HWY_INLINE void for_vectors(std::size_t count, const Body& body) {
  std::size_t i = 0;
  for (; i + kLanes<T> <= count; i += kLanes<T>) body(Whole<T>(), i);
  if (i < count) body(Part<T>{count - i}, i);
}

/// The sum of body(v, i), in an order that depends on `count` alone.
template <class T, class Body>
[[nodiscard]] HWY_INLINE T sum_vectors(std::size_t count, const Body& body) {
  Vector<T> even = hn::Zero(Tag<T>());
  Vector<T> odd = even;
  std::size_t i = 0;
  for (; i + 2 * kLanes<T> <= count; i += 2 * kLanes<T>) {
    even = hn::Add(even, body(Whole<T>(), i));
    odd = hn::Add(odd, body(Whole<T>(), i + kLanes<T>));
  }
  if (i + kLanes<T> <= count) {
    even = hn::Add(even, body(Whole<T>(), i));
    i += kLanes<T>;
  }
  if (i < count) {
    const Part<T> rest{count - i};
    odd = hn::Add(odd, rest.used(body(rest, i)));
  }
  return hn::GetLane(hn::SumOfLanes(Tag<T>(), hn::Add(even, odd)));
}

/// The largest of x[0 .. count), count at least 1.
template <class T>
[[nodiscard]] HWY_INLINE T largest_of(const T* x, std::size_t count) {
  Vector<T> largest = hn::Set(Tag<T>(), x[0]);
  for_vectors<T>(count, [&](auto v, std::size_t i) {
    // Zeros behind the numbers must not win: compare with what is there already.
    const Vector<T> here = v.load(x + i);
    const Vector<T> larger = hn::Max(largest, here);
    if constexpr (requires { v.count; }) {
      largest = hn::IfThenElse(hn::FirstN(v.tag, v.count), larger, largest);
    } else {
      largest = larger;
    }
  });
  return hn::GetLane(hn::MaxOfLanes(Tag<T>(), largest));
}

/// to = or += value.
template <class V, class T>
HWY_INLINE void put(V v, GradientMode mode, Vector<T> value, T* to) {
  if (mode == GradientMode::accumulate) value = hn::Add(v.load(to), value);
  v.store(value, to);
}

}  // namespace hyseq::kernels::dense
