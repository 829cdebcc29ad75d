// Matrices of a construction for labelled heat maps.
#pragma once

#include <vector>

#include "constructions/construction.hpp"
#include "results/certificate.hpp"

namespace hyseq::proofs_check {

/// The embedding (width x tokens, a sample of them where there are many) and the last layer's output on an example
/// sequence (width x positions), in double.
[[nodiscard]] std::vector<results::LabelledMatrix> pictures(const constructions::Construction& construction,
                                                            const std::vector<std::int32_t>& example);

}  // namespace hyseq::proofs_check
