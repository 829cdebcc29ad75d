// One update of adamw.hpp, element by element, for the engines that compute in scalars.
#pragma once

#include <algorithm>

#include "kernels/adamw/adamw.hpp"
#include "kernels/base/everywhere.hpp"
#include "kernels/base/numbers/functions.hpp"

namespace hyseq::kernels {

/// See Clip.
[[nodiscard]] HYSEQ_EVERYWHERE inline double clip_factor(const Clip& clip, double norm) {
  return clip.limit == 0 ? 1 : std::min(1.0, clip.limit / (norm + clip.epsilon));
}

/// What the elements of a parameter have in common in one update.
struct AdamWNumbers {
  double beta1 = 0;
  double beta2 = 0;
  double epsilon = 0;
  double decay = 0;        // 0 where the policy spares the parameter
  double correction1 = 1;  // 1 - beta1^t
  double correction2 = 1;  // 1 - beta2^t
  double rate = 0;
  double clip_factor = 1;  // of the gradient
};

/// AdamW of single elements. Factors that they share are computed in double and rounded once.
template <numbers::RealNumber T>
class AdamWUpdate {
 public:
  HYSEQ_EVERYWHERE explicit AdamWUpdate(const AdamWNumbers& numbers)
      : factor_(static_cast<T>(numbers.clip_factor)),
        kept_(static_cast<T>(1 - numbers.rate * numbers.decay)),
        beta1_(static_cast<T>(numbers.beta1)),
        beta2_(static_cast<T>(numbers.beta2)),
        fresh1_(static_cast<T>(1 - numbers.beta1)),
        fresh2_(static_cast<T>(1 - numbers.beta2)),
        correction1_(static_cast<T>(numbers.correction1)),
        correction2_(static_cast<T>(numbers.correction2)),
        epsilon_(static_cast<T>(numbers.epsilon)),
        rate_(static_cast<T>(numbers.rate)) {}

  /// The new value, and the new moments in place of the old.
  [[nodiscard]] HYSEQ_EVERYWHERE T step(T value, T gradient, T& first, T& second) const {
    const T clipped = gradient * factor_;
    first = beta1_ * first + fresh1_ * clipped;
    second = beta2_ * second + fresh2_ * (clipped * clipped);
    const T move = first / correction1_ / (numbers::sqrt(second / correction2_) + epsilon_);
    return value * kept_ - rate_ * move;
  }

 private:
  T factor_;
  T kept_;
  T beta1_;
  T beta2_;
  T fresh1_;
  T fresh2_;
  T correction1_;
  T correction2_;
  T epsilon_;
  T rate_;
};

}  // namespace hyseq::kernels
