// Which forward call a backward call belongs to.
#pragma once

#include <cstddef>

#include "kernels/program.hpp"

namespace hyseq::kernels {

/// Index in program.forward of the call that `backward` differentiates: the one of its kind that writes the same
/// columns. program.forward.size() for the loss, which has none. InputError where there is no such call.
[[nodiscard]] std::size_t forward_index(const Program& program, const BackwardOperation& backward);

}  // namespace hyseq::kernels
