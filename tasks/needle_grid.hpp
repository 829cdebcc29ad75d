// needle_grid: the needle-in-a-haystack grid of depth and length. K keys, each followed by a value, lie in a haystack
// of values; the last token repeats one key.
//
// Labeller: target only at L-1: the token after the latest occurrence of the key x[L-1] that has its follower before
//           L-1; <null> without one, or where the last token is no key.
// Sampler:  uniform values; the queried key, uniform among the K, at position round(D (L-4)) (halves up); the
//           other keys, in uniform order, so placed that every way without overlap on positions 0 .. L-3 is equally
//           likely.
//
// Example (K = 2, D = 0.5, L = 8):
//   position   0       1       2       3       4       5       6       7
//   input      K0      V5      K1      V2      V9      V0      V4      K1
//   target     <null>  <null>  <null>  <null>  <null>  <null>  <null>  V2
#pragma once

#include "tasks/registry.hpp"

namespace hyseq::tasks {

[[nodiscard]] TaskInfo needle_grid_info();

}  // namespace hyseq::tasks
