// The smallest model that a pair of inputs does not defeat: sharpness of the bound on windows.
//
// Width 3, attention alone, uniform weights over every window. The first layer takes up what marks the two tokens that
// the inputs differ in, +1 and -1, the layers behind hand on the mean, the last one turns it into the answers' logits.
// Only those two tokens are marked, so the sign at the last position is the sign of the edge token whenever the stack
// reaches that far back, and nothing at all otherwise.
#pragma once

#include <cstdint>
#include <vector>

#include "proofs_check/receptive_field/defeating_pair.hpp"
#include "proofs_check/receptive_field/random_models.hpp"

namespace hyseq::proofs_check {

/// One attention layer per window (each counting its own position), weights for the pair's edge tokens and answers.
[[nodiscard]] RandomModel edge_reader(const DefeatingPair& pair, std::int32_t vocabulary,
                                      const std::vector<int>& windows);

}  // namespace hyseq::proofs_check
