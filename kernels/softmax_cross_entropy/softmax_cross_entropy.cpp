#include "kernels/softmax_cross_entropy/softmax_cross_entropy.hpp"

#include <algorithm>
#include <string>

#include "kernels/base/error.hpp"

namespace hyseq::kernels {

std::int64_t count_valid(std::span<const std::int32_t> targets, std::int32_t valid_below) {
  return std::count_if(targets.begin(), targets.end(),
                       [&](std::int32_t target) { return is_valid_target(target, valid_below); });
}

void check_targets(std::span<const std::int32_t> targets, std::int32_t valid_below, std::int32_t vocabulary) {
  if (valid_below <= vocabulary) return;
  for (const std::int32_t target : targets) {
    if (is_valid_target(target, valid_below) && target >= vocabulary) {
      throw InputError("target " + std::to_string(target) + " lies outside the vocabulary 0.." +
                       std::to_string(vocabulary - 1));
    }
  }
}

}  // namespace hyseq::kernels
