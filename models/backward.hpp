// Reverse-mode differentiation of a program: the forward list read backwards.
#pragma once

#include "kernels/program.hpp"

namespace hyseq::models {

/// Writes program.backward and program.gradients. Every column's first gradient overwrites and later ones accumulate,
/// so that gradient buffers need no clearing; buffers whose lives do not overlap share memory. Operations whose output
/// nothing reads have no backward call.
void differentiate(kernels::Program& program);

}  // namespace hyseq::models
