// needle: remember the token behind the marker, from the marker to the end.
//
// Labeller: from the first marker #0 on, the marker included, the target is the token right after that marker; <null>
//           before it, without a marker, and where the marker is the very last token.
// Sampler:  uniform values; the marker at a uniform position of the first half, 0 .. floor(L/2)-1; last token #1.
//
// Example:
//   position   0       1   2   3   4
//   input      V7      #0  V3  V9  #1
//   target     <null>  V3  V3  V3  V3
#pragma once

#include "tasks/registry.hpp"

namespace hyseq::tasks {

[[nodiscard]] TaskInfo needle_info();

}  // namespace hyseq::tasks
