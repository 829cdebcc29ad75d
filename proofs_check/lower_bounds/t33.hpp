// Theorem 3.3: refuted as printed, and its corrected form against the best encoders that can be found.
#pragma once

#include <vector>

#include "proofs_check/controls.hpp"
#include "proofs_check/lower_bounds/machine_points.hpp"
#include "proofs_check/lower_bounds/request.hpp"
#include "results/certificate.hpp"

namespace hyseq::proofs_check {

/// Checks:
///   printed      the printed right side is never positive under its own assumption
///   stateless    a machine with one state is right with probability 1/2 for binary answers, as a table and as a model
///   enumeration  every encoder of small sizes against the corrected bound
///   optimiser    the best codes found for larger sizes against it, and how much better a code could be
///   tightness    the gap to the curve per position as N grows, M = 2
///   machines     small SSM stacks through the engine, their states counted, as points beside the curve
///   trained      SSM stacks that the training engine taught selective copying, states rounded to fewer and fewer bits
///   controls     false bounds and dishonest encoders, each of which must be caught
/// Verdict "refuted as printed" if all pass, with the reason and the corrected form in the scope; else "not shown".
[[nodiscard]] results::Certificate verify_lower_bound_3_3(const LowerBoundRequest& request);

/// The same with further machines (models by `model_point`) beside the curve; one above the bound fails it.
[[nodiscard]] results::Certificate verify_lower_bound_3_3(const LowerBoundRequest& request,
                                                          const std::vector<MachinePoint>& further);

/// The claims that the certificate's checks must turn down, each with a counterexample; the honest one passes. (The
/// certificate has one more, on a model that it has trained.)
[[nodiscard]] std::vector<Control> lower_bound_controls(NumberFormat format);

}  // namespace hyseq::proofs_check
