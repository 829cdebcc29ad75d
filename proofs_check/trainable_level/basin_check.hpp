// The check "basin" of the level trainable.
#pragma once

#include "constructions/trainable/selective_copy.hpp"
#include "proofs_check/trainable_level/verify.hpp"
#include "results/certificate.hpp"

namespace hyseq::proofs_check {

/// Trains the construction, with noise on its weights and without, and drawn weights beside it, as request.basin says.
/// Passes where every run without noise at a rate up to `kept_rate` ends solved, and the same cannot be said of drawn
/// weights at these rates: else it would speak of the task, not of the construction. What noise does is reported.
/// InputError for values out of range.
[[nodiscard]] results::Check basin_check(const constructions::TrainableCopySpec& spec, const TrainableRequest& request);

}  // namespace hyseq::proofs_check
