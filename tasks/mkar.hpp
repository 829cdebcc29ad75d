// mkar, multi-key associative recall: what followed the last time these k tokens stood here?
//
// Labeller: for i >= k, j = the latest earlier position whose k-gram x[j-k+1..j] equals the one ending at i; target
//           x[j+1], <null> without such j. Occurrences may overlap. With published edges the k-gram at positions 0..k-1
//           is never recorded, as in the published generator; without, the definition is the plain one.
// Sampler:  independent uniform values.
//
// Example (k = 2, published edges):
//   position   0       1       2       3       4       5       6    7    8
//   input      V0      V1      V2      V0      V1      V1      V2   V0   V1
//   target     <null>  <null>  <null>  <null>  <null>  <null>  V0   V1   V1
// The pair V0 V1 ending at 4 stood at 0..1, which is not recorded; without published edges its target is V2.
#pragma once

#include "tasks/registry.hpp"

namespace hyseq::tasks {

[[nodiscard]] TaskInfo mkar_info();

}  // namespace hyseq::tasks
