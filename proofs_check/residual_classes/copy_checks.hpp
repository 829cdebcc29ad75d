// Checks of Theorem 4.2 beside the counts.
#pragma once

#include "proofs_check/residual_classes/verify.hpp"
#include "tasks/selective_copy.hpp"

namespace hyseq::proofs_check {

/// {"values", "distances", "distance_min"}.
[[nodiscard]] results::Json shape_json(const tasks::SelectiveCopyShape& shape);

/// N log2 M bits, M^N states, as printed: how many states suffice where number 1 reads its own position, and where the
/// distances start at 1. From the tables of the two counting checks.
[[nodiscard]] results::Check printed_bound(const results::Check& once_check, const results::Check& always_check);

/// The theorem's distribution, one number behind values: its last hi + 1 tokens decide, however long it is.
[[nodiscard]] results::Check number_last();

/// Deliberate faults.
[[nodiscard]] results::Check copy_controls(const ResidualClassesRequest& request);

}  // namespace hyseq::proofs_check
