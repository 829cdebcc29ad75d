// Tokens' codes in the embedding, which is the output head as well.
#pragma once

#include <string>
#include <vector>

#include "constructions/trainable/frame.hpp"
#include "constructions/trainable/spherical_code.hpp"

namespace hyseq::constructions {

/// Row i of the embedding is axis 0 plus codes[i] along axes 1 .. code width. `wrong_code`, for controls: token 0 has
/// the code of token 1.
void write_token_codes(WeightWriter& weights, const Frame& frame, const std::vector<Code>& codes, bool wrong_code);

/// The value of an attention block of one head: codes of `dimensions`, which its norm shows with the length `shown`,
/// are copied with the length `gain`. Opens the block's norms.
void write_code_values(WeightWriter& weights, const Frame& frame, const std::string& prefix, int dimensions,
                       double shown, double gain);

/// Weight of the final norm with which the answer's logit is 16 ahead of every other token's.
[[nodiscard]] double head_weight(int width, double code_gap);

}  // namespace hyseq::constructions
