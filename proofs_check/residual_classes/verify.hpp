// Lower bounds by counting: Theorems 4.2 and 4.5 of Cooper, Diakonikolas, Ma, Sala 2026 (arXiv 2603.08859).
// docs/residual-classes.md has the statements and proofs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "results/certificate.hpp"

namespace hyseq::proofs_check {

struct ResidualClassesRequest {
  std::size_t most_memories = std::size_t{1} << 21;  // limit of enumeration per machine; larger cases are left out
  std::uint64_t seed = 1;                            // of the random sequences that compare machines with labellers
  int threads = 1;
  /// A check's name and the fraction done (1 when it has ended).
  std::function<void(const std::string&, double)> progress;
};

/// Selective copying: every N <= 6, M <= 4 in the conventions of distances from 0 and from 1, asked once and always.
[[nodiscard]] results::Certificate verify_residual_classes_4_2(const ResidualClassesRequest& request);

/// Associative recall with decoding: up to 4 words (and a little beyond), asked once and always. InputError where the
/// limit is below the few hundred memories of the controls.
[[nodiscard]] results::Certificate verify_residual_classes_4_5(const ResidualClassesRequest& request);

}  // namespace hyseq::proofs_check
