// Sums over all rows of a call that several tasks build together: gradients of norm weights, convolution kernels.
#pragma once

#include "kernels/dense/context.hpp"
#include "kernels/dense/vectors.hpp"

namespace hyseq::kernels::dense {

/// `count` sums, in shared scratch memory. Rows are cut into slabs of fixed size; task(first, last, partial, worker)
/// adds the rows [first, last) of its slab to `partial` [count], zero before. The partial sums are added in the order
/// of the slabs.
template <class T, class Task>
[[nodiscard]] const T* sum_over_slabs(std::size_t count, const Context<T>& context, const Task& task) {
  constexpr std::size_t kSlab = 128;
  const std::size_t slabs = (context.rows() + kSlab - 1) / kSlab;
  T* partial = context.scratch->shared(slabs * count);
  context.for_tiles(context.rows(), kSlab, [&](std::size_t first, std::size_t last, std::size_t worker) {
    T* mine = partial + first / kSlab * count;
    std::fill_n(mine, count, T(0));
    task(first, last, mine, worker);
  });
  constexpr std::size_t kTile = 1024;
  context.for_tiles(count, kTile, [&](std::size_t first, std::size_t last, std::size_t /*worker*/) {
    for_vectors<T>(last - first, [&](auto v, std::size_t i) {
      T* to = partial + first + i;
      auto sum = v.load(to);
      for (std::size_t slab = 1; slab < slabs; ++slab) sum = hn::Add(sum, v.load(to + slab * count));
      v.store(sum, to);
    });
  });
  return partial;
}

/// to[i] += from[i].
template <class T>
void add_to(const T* from, std::size_t count, T* to) {
  for_vectors<T>(count, [&](auto v, std::size_t i) { v.store(hn::Add(v.load(to + i), v.load(from + i)), to + i); });
}

}  // namespace hyseq::kernels::dense
