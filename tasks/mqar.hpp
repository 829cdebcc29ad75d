// mqar, multi-query associative recall, the standard task of the Zoology suite (Arora et al., "Zoology: measuring and
// improving recall in efficient language models", 2023), so that results compare across suites.
//
// Tokens:   keys are the ids 1 .. V/2-1, values V/2 .. V-1, filler is id 0 (V/2 rounded down).
// Labeller: the first 2K tokens are K pairs of key and value. At every later position that holds one of these keys the
//           target is its value (of the later pair, should a key stand twice); elsewhere <null>.
// Sampler:  K distinct uniform keys, K distinct uniform values. Every key is queried once: there are
//           floor((L-2K)/2) free slots, slot g at position 2K + 2g, and the keys in turn draw a slot that is still free
//           with probability proportional to (g+1)^(a-1). All other positions hold filler: id 0 or, with
//           `random-filler`, uniform ids that are no keys.
//
// Example (V = 8, K = 2, L = 9):
//   position   0       1       2       3       4   5       6       7       8
//   input      V3      V6      V1      V4      V1  V0      V3      V0      V0
//   target     <null>  <null>  <null>  <null>  V4  <null>  V6      <null>  <null>
#pragma once

#include "tasks/registry.hpp"

namespace hyseq::tasks {

/// round(2^40 x^exponent), at least 1, for x >= 1 and -1 <= exponent <= 0, by additions, multiplications and divisions
/// alone: the same integer on every machine, unlike the library's power function.
[[nodiscard]] std::uint64_t power_weight(double x, double exponent);

[[nodiscard]] TaskInfo mqar_info();

}  // namespace hyseq::tasks
