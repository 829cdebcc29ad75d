#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/adamw/adamw.hpp"
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

[[nodiscard]] inline double clip_factor(const Clip& clip, double norm) {
  return clip.limit == 0 ? 1 : std::min(1.0, clip.limit / (norm + clip.epsilon));
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
  const auto rounded = [](double value) { return numbers::Numeric<Accumulator>::from_double(value); };
  const auto updates = static_cast<double>(step.updates);
  const Accumulator factor = rounded(step.clip_factor);
  const Accumulator kept = rounded(step.decays ? 1 - step.rate * optimiser.decay : 1);
  const Accumulator beta1 = rounded(optimiser.beta1);
  const Accumulator beta2 = rounded(optimiser.beta2);
  const Accumulator fresh1 = rounded(1 - optimiser.beta1);
  const Accumulator fresh2 = rounded(1 - optimiser.beta2);
  const Accumulator correction1 = rounded(1 - std::pow(optimiser.beta1, updates));
  const Accumulator correction2 = rounded(1 - std::pow(optimiser.beta2, updates));
  const Accumulator epsilon = rounded(optimiser.epsilon);
  const Accumulator rate = rounded(step.rate);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Accumulator gradient = gradients[i] * factor;
    first[i] = beta1 * first[i] + fresh1 * gradient;
    second[i] = beta2 * second[i] + fresh2 * (gradient * gradient);
    const Accumulator move = first[i] / correction1 / (numbers::sqrt(second[i] / correction2) + epsilon);
    values[i] = Numeric::widen(Numeric::round(values[i] * kept - rate * move));
  }
}

}  // namespace hyseq::kernels
