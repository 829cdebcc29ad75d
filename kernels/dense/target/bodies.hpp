// The functions of a table, for the sources of this folder alone: they are compiled once per instruction set and see
// each other's symbols, nobody else does.
#pragma once

#include "kernels/dense/context.hpp"

namespace hyseq::kernels::dense {

template <class T>
void run_forward(const Operation& operation, const Context<T>& context);
template <class T>
void run_backward(const BackwardOperation& operation, const Context<T>& context);

}  // namespace hyseq::kernels::dense
