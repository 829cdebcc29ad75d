// The one step that several samplers share.
#pragma once

#include <cstdint>

#include "kernels/base/random.hpp"

namespace hyseq::tasks {

/// With the coin's probability a uniform one of the `own` tokens (ids from `values` on), else a uniform value token.
inline std::int32_t draw_value_or_own(RandomStream& stream, const Bernoulli& is_own, std::uint32_t values,
                                      std::uint32_t own) {
  // Which kind comes next cannot be predicted, so it is selected by a mask instead of a branch.
  const std::uint32_t mask = 0U - static_cast<std::uint32_t>(is_own.toss(stream));  // all ones or all zeros
  const std::uint32_t drawn = stream.below(values ^ ((values ^ own) & mask));
  return static_cast<std::int32_t>(drawn + (values & mask));
}

}  // namespace hyseq::tasks
