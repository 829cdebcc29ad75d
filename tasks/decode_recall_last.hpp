// decode_recall_last: a context of words, then b bits that spell the word to recall; one target, at the end.
//
// Labeller: the query word is spelt by the bits in the last b positions, most significant first. Target only at L-1:
//           x[j+1] for the largest j <= L-2-b with x[j] = query, so that the follower lies in the context too; <null>
//           without such j. Anything but bits in the last b positions: no query, <null> throughout.
// Sampler:  the context is independent uniform words, the query bits are uniform. A `bit-share` above its default of 0
//           puts uniform bit tokens into the context with that probability, as distractors.
//
// Example (b = 2, words V0..V3; the query is 10 = V2):
//   position   0       1       2       3       4       5       6
//   input      V2      V0      V2      V1      V2      #1      #0
//   target     <null>  <null>  <null>  <null>  <null>  <null>  V1
// The V2 at 4 has no follower in the context, so that the one at 2 counts.
#pragma once

#include <cstdint>
#include <span>

#include "tasks/registry.hpp"

namespace hyseq::tasks {

/// Position that the target at the end is copied from, or -1 where there is none.
[[nodiscard]] std::int32_t decode_recall_last_source(std::int32_t bits, std::span<const std::int32_t> input);

[[nodiscard]] TaskInfo decode_recall_last_info();

}  // namespace hyseq::tasks
