// The checks of Theorem 3.7, each with its figures.
#pragma once

#include "proofs_check/receptive_field/verify.hpp"

namespace hyseq::proofs_check {

/// Random architectures of every block variant on the reference engine in double: bitwise equal outside the field,
/// different on its edge.
[[nodiscard]] results::Check random_models_check(const ReceptiveFieldRequest& request);
/// A part of them on every engine, in double and float.
[[nodiscard]] results::Check engines_check(const ReceptiveFieldRequest& request);
/// With a recurrent layer there is no edge: tokens far outside the attention's field show.
[[nodiscard]] results::Check recurrent_check(const ReceptiveFieldRequest& request);
/// The pairs of selective copying and decode recall through models of 1 to 4 layers, one token short and just enough.
[[nodiscard]] results::Check pairs_check(const ReceptiveFieldRequest& request);
/// Small models trained on the spot.
[[nodiscard]] results::Check trained_check(const ReceptiveFieldRequest& request);
/// request.stored.
[[nodiscard]] results::Check stored_check(const ReceptiveFieldRequest& request);
/// Leaking masks and wrong claims.
[[nodiscard]] results::Check field_controls_check(const ReceptiveFieldRequest& request);

}  // namespace hyseq::proofs_check
