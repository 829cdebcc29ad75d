#pragma once

#include <cmath>

#include "kernels/dense/context.hpp"
#include "kernels/dense/vectors.hpp"
#include "kernels/softmax_cross_entropy/softmax_cross_entropy.hpp"

namespace hyseq::kernels::dense {

template <class T>
struct SoftmaxRow {
  T largest;
  T sum;  // of exp(x - largest)

  SoftmaxRow(const T* x, std::size_t count) : largest(largest_of(x, count)) {
    sum = sum_vectors<T>(count, [&](auto v, std::size_t i) { return shifted_exp(v, x + i); });
  }
  template <class V>
  [[nodiscard]] HWY_INLINE Vector<T> shifted_exp(V v, const T* x) const {
    return math::exp(v.tag, hn::Sub(v.load(x), v.set(largest)));
  }
};

/// Whether x[target] is larger than every other; never where something is not a number.
template <class T>
[[nodiscard]] bool unique_largest(const T* x, std::size_t count, std::size_t target) {
  const T smaller = sum_vectors<T>(count, [&](auto v, std::size_t i) {
    return hn::IfThenElseZero(hn::Lt(v.load(x + i), v.set(x[target])), v.set(T(1)));
  });
  return smaller == static_cast<T>(count - 1);
}

/// losses[row]: the row's cross-entropy in double, 0 where its target does not count; correct[row]: 1 where the arg-max
/// is unique and equals a target that counts, else 0.
template <class T>
void cross_entropy(const View& logits, double* losses, std::uint8_t* correct, const Context<T>& context) {
  const auto width = static_cast<std::size_t>(logits.width);
  context.for_row_tiles(width, [&](std::size_t first, std::size_t last, std::size_t /*worker*/) {
    for (std::size_t row = first; row < last; ++row) {
      losses[row] = 0;
      correct[row] = 0;
      if (!context.counts(row)) continue;
      const T* x = context.at(logits, row);
      const auto target = static_cast<std::size_t>(context.targets[row]);
      const SoftmaxRow<T> softmax(x, width);
      losses[row] = static_cast<double>(std::log(softmax.sum) + (softmax.largest - x[target]));
      correct[row] = unique_largest(x, width, target) ? 1 : 0;
    }
  });
}

template <class T>
void backward(const CrossEntropyBackward& call, const Context<T>& context) {
  const auto width = static_cast<std::size_t>(call.logits.width);
  const T weight = static_cast<T>(context.loss_weight);
  context.for_row_tiles(width, [&](std::size_t first, std::size_t last, std::size_t /*worker*/) {
    for (std::size_t row = first; row < last; ++row) {
      T* to = context.gradient_at(call.logits_gradient, row);
      if (!context.counts(row)) {
        std::fill_n(to, width, T(0));
        continue;
      }
      const T* x = context.at(call.logits, row);
      const SoftmaxRow<T> softmax(x, width);
      const T factor = weight / softmax.sum;
      for_vectors<T>(width, [&](auto v, std::size_t i) {
        v.store(hn::Mul(softmax.shifted_exp(v, x + i), v.set(factor)), to + i);
      });
      to[context.targets[row]] -= weight;
    }
  });
}

}  // namespace hyseq::kernels::dense
