// Theorems of lower bounds and lemmas: one certificate each, without levels or sizes to choose.
#pragma once

#include <span>
#include <string>

#include "proofs_check/lower_bounds/request.hpp"
#include "results/certificate.hpp"

namespace hyseq::cli {

struct BoundTheorem {
  const char* id;       // "3.3"
  const char* meaning;  // half a line of help
  results::Certificate (*verify)(const proofs_check::LowerBoundRequest& request);
};

/// In the order of their ids.
[[nodiscard]] std::span<const BoundTheorem> bound_theorems();
/// nullptr where there is none of that id.
[[nodiscard]] const BoundTheorem* find_bound_theorem(const std::string& id);

}  // namespace hyseq::cli
