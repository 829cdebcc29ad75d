#pragma once

#include "kernels/adamw/adamw.hpp"
#include "kernels/dense/update.hpp"
#include "kernels/dense/vectors.hpp"

namespace hyseq::kernels::dense {

/// In double, in an order that depends on `count` alone.
template <class T>
[[nodiscard]] double sum_of_squares(const T* x, std::size_t count) {
  constexpr std::size_t kChains = 8;
  double sums[kChains] = {};
  std::size_t i = 0;
  for (; i + kChains <= count; i += kChains) {
    for (std::size_t chain = 0; chain < kChains; ++chain) {
      const auto value = static_cast<double>(x[i + chain]);
      sums[chain] += value * value;
    }
  }
  for (; i < count; ++i) sums[0] += static_cast<double>(x[i]) * static_cast<double>(x[i]);
  double sum = 0;
  for (const double part : sums) sum += part;
  return sum;
}

/// See AdamW; `count` numbers of one parameter, their moments and their gradient.
template <class T>
void adamw(const Update& update, std::size_t count, const T* gradient, T* parameter, T* first, T* second) {
  for_vectors<T>(count, [&](auto v, std::size_t i) {
    const auto set = [&](double x) { return v.set(static_cast<T>(x)); };
    const auto g = hn::Mul(v.load(gradient + i), set(update.factor));
    const auto mean = hn::MulAdd(set(update.beta1), v.load(first + i), hn::Mul(set(1 - update.beta1), g));
    const auto square = hn::Mul(set(1 - update.beta2), hn::Mul(g, g));
    const auto mean_square = hn::MulAdd(set(update.beta2), v.load(second + i), square);
    v.store(mean, first + i);
    v.store(mean_square, second + i);
    const auto shrunk = hn::Mul(v.load(parameter + i), set(1 - update.rate * update.decay));
    const auto root = hn::Sqrt(hn::Div(mean_square, set(update.correction2)));
    const auto move = hn::Div(hn::Div(mean, set(update.correction1)), hn::Add(root, set(update.epsilon)));
    v.store(hn::Sub(shrunk, hn::Mul(set(update.rate), move)), parameter + i);
  });
}

}  // namespace hyseq::kernels::dense
