#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "kernels/base/error.hpp"
#include "kernels/reference/context.hpp"
#include "kernels/reference/softmax.hpp"
#include "kernels/softmax_cross_entropy/softmax_cross_entropy.hpp"

namespace hyseq::kernels {

/// Column of the largest logit, or -1 where the maximum is not unique (ties count as wrong) or not a number.
template <class Scalar>
[[nodiscard]] std::int32_t unique_argmax(const Scalar* logits, std::size_t count) {
  using Numeric = numbers::Numeric<Scalar>;
  std::size_t best = 0;
  bool unique = true;
  for (std::size_t v = 1; v < count; ++v) {
    const auto x = Numeric::widen(logits[v]);
    if (std::isnan(x)) return -1;
    const auto top = Numeric::widen(logits[best]);
    if (x > top) {
      best = v;
      unique = true;
    } else if (!(x < top)) {
      unique = false;
    }
  }
  return unique ? static_cast<std::int32_t>(best) : -1;
}

/// logits: [rows, vocabulary]; targets: [rows]. Sums of one row grow in the accumulator, the mean over rows in double.
template <class Scalar>
[[nodiscard]] LossResult cross_entropy(std::span<const Scalar> logits, std::span<const std::int32_t> targets,
                                       std::int32_t valid_below) {
  using Numeric = numbers::Numeric<Scalar>;
  using Accumulator = typename Numeric::Accumulator;
  using Wide = numbers::Numeric<Accumulator>;
  const std::size_t vocabulary = logits.size() / targets.size();
  LossResult result;
  double sum = 0;
  for (std::size_t row = 0; row < targets.size(); ++row) {
    if (targets[row] < 0 || targets[row] >= valid_below) continue;
    const Scalar* x = logits.data() + row * vocabulary;
    const auto target = static_cast<std::size_t>(targets[row]);
    Accumulator rest{};
    if constexpr (Numeric::ordered) {
      Accumulator largest = Numeric::widen(x[0]);
      for (std::size_t v = 1; v < vocabulary; ++v) {
        largest = largest < Numeric::widen(x[v]) ? Numeric::widen(x[v]) : largest;
      }
      for (std::size_t v = 0; v < vocabulary; ++v) rest = rest + numbers::exp(Numeric::widen(x[v]) - largest);
      sum += Wide::to_double(std::log(rest) + (largest - Numeric::widen(x[target])));
      if (unique_argmax(x, vocabulary) == targets[row]) ++result.correct;
    } else {
      // log(1 + sum_{v != target} exp(x_v - x_target)): no shift, no ordering.
      for (std::size_t v = 0; v < vocabulary; ++v) {
        if (v != target) rest = rest + numbers::exp(Numeric::widen(x[v]) - Numeric::widen(x[target]));
      }
      sum += Wide::to_double(numbers::log1p(rest));
    }
    ++result.valid;
  }
  if (result.valid > 0) result.loss = sum / static_cast<double>(result.valid);
  return result;
}

template <class Scalar>
void reference(const CrossEntropyBackward& call, const Context<Scalar>& context) {
  using Numeric = typename Context<Scalar>::Numeric;
  using Accumulator = typename Numeric::Accumulator;
  const auto vocabulary = static_cast<std::size_t>(call.logits.width);
  const auto valid = constant<Accumulator>(static_cast<double>(context.valid));
  std::vector<Accumulator> p(vocabulary);
  for (std::size_t row = 0; row < context.rows(); ++row) {
    Scalar* gradient = context.gradient_at(call.logits_gradient, row);
    if (!context.counts(row)) {
      std::fill_n(gradient, vocabulary, Numeric::from_double(0));
      continue;
    }
    const Scalar* logits = context.at(call.logits, row);
    for (std::size_t v = 0; v < vocabulary; ++v) p[v] = Numeric::widen(logits[v]);
    softmax_in_place(p.data(), vocabulary);
    Accumulator& answer = p[static_cast<std::size_t>(context.targets[row])];
    answer = answer - constant<Accumulator>(1);
    for (std::size_t v = 0; v < vocabulary; ++v) gradient[v] = Numeric::round(p[v] / valid);
  }
}

}  // namespace hyseq::kernels
