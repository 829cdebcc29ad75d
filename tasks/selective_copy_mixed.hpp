// selective_copy_mixed: an adversarial mixture of two kinds of selective_copy sequences, a fair coin for each.
//
//   sparse   number tokens with probability 0.03: the last number comes early, which is hard for a window
//   dense    number tokens with probability 0.2 and a number token in the last position, which is hard for a state
//
// Labeller: that of selective_copy. Sampler: the coin, then the sequence; the last number token of a dense one is
// uniform.
//
// Example (distances from 2), dense:
//   position   0       1       2       3
//   input      V3      V1      V0      #3
//   target     <null>  <null>  <null>  V3
#pragma once

#include "tasks/registry.hpp"

namespace hyseq::tasks {

[[nodiscard]] TaskInfo selective_copy_mixed_info();

}  // namespace hyseq::tasks
