// Memory that training takes, from the shapes of a program alone, and memory that is free.
#pragma once

#include <cstddef>

#include "kernels/program.hpp"

namespace hyseq::kernels {

/// Numbers that a token takes in all buffers: those of the forward list and, where `backward`, those of the backward
/// list and what calls keep for their backward calls.
[[nodiscard]] std::size_t numbers_per_token(const Program& program, bool backward);

/// Numbers that a member takes however long its rows: parameters, their gradients, and two moments.
[[nodiscard]] std::size_t numbers_per_member(const Program& program);

/// Rows of each member that callers evaluate at a time.
inline constexpr std::size_t kEvaluatedRows = 64;

/// Bytes that this process may still take: what the system calls available, within the limit of its control group where
/// it has one. The largest number where the system does not say.
[[nodiscard]] std::size_t free_memory();

}  // namespace hyseq::kernels
