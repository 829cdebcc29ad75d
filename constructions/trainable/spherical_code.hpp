// Unit vectors that keep apart: the codes of tokens under a tied head behind a norm.
//
// With logits <code_i, x> and x along code_t, token t is ahead of token j by 1 - <code_t, code_j>. The decoder's gap of
// a code is the least of these over all pairs. Codes on a sphere are all corners of their convex hull, so that even two
// dimensions tell any number of tokens apart, if by little.
#pragma once

#include <vector>

namespace hyseq::constructions {

using Code = std::vector<double>;

/// `count` unit vectors in `dimension` >= 2 dimensions. Two dimensions: equal angles, gap 1 - cos(2 pi / count).
/// More: points that repel each other, from a fixed start, with forces of shorter and shorter reach.
[[nodiscard]] std::vector<Code> spherical_code(int count, int dimension);

/// Least 1 - <a, b> over all pairs of codes; 2 where there is only one.
[[nodiscard]] double decoder_gap(const std::vector<Code>& codes);

}  // namespace hyseq::constructions
