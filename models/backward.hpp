// Reverse-mode differentiation of a program: the forward list read backwards.
#pragma once

#include "kernels/program.hpp"

namespace hyseq::models {

/// Whether gradient buffers whose lives do not overlap share memory.
enum class GradientMemory { shared, separate };

/// Writes program.backward and program.gradients. Every column's first gradient overwrites and later ones accumulate,
/// so that gradient buffers need no clearing. Operations whose output nothing reads have no backward call. The result
/// does not depend on `memory`; separate buffers are for tests that prove it.
void differentiate(kernels::Program& program, GradientMemory memory = GradientMemory::shared);

}  // namespace hyseq::models
