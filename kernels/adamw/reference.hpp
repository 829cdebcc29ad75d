#pragma once

#include <cmath>
#include <vector>

#include "kernels/adamw/update.hpp"
#include "kernels/base/numbers/numbers.hpp"

namespace hyseq::kernels {

/// The Euclidean norm over all gradients of a model, [parameter][element], summed in double: squares of floats may
/// overflow, those of their widened values do not.
template <class Accumulator>
[[nodiscard]] double gradient_norm(const std::vector<std::vector<Accumulator>>& gradients) {
  double squares = 0;
  for (const auto& array : gradients) {
    for (const Accumulator& gradient : array) squares += static_cast<double>(gradient) * static_cast<double>(gradient);
  }
  return std::sqrt(squares);
}

/// What the elements of one parameter have in common in one update.
struct AdamWStep {
  const AdamW* optimiser = nullptr;
  std::uint64_t updates = 1;  // this one included
  double rate = 0;
  bool decays = true;
  double clip_factor = 1;
};

/// Updates one parameter, [elements], its values stored in Scalar, its moments in the accumulator's format. All factors
/// that the elements share are computed in double and rounded once.
template <class Scalar, class Accumulator = typename numbers::Numeric<Scalar>::Accumulator>
void adamw(const AdamWStep& step, const std::vector<Accumulator>& gradients, std::vector<Accumulator>& values,
           std::vector<Accumulator>& first, std::vector<Accumulator>& second) {
  using Numeric = numbers::Numeric<Scalar>;
  const AdamW& optimiser = *step.optimiser;
  const auto updates = static_cast<double>(step.updates);
  const AdamWUpdate<Accumulator> update({optimiser.beta1, optimiser.beta2, optimiser.epsilon,
                                         step.decays ? optimiser.decay : 0, 1 - std::pow(optimiser.beta1, updates),
                                         1 - std::pow(optimiser.beta2, updates), step.rate, step.clip_factor});
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = Numeric::widen(Numeric::round(update.step(values[i], gradients[i], first[i], second[i])));
  }
}

}  // namespace hyseq::kernels
