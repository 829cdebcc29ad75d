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

#include <cstddef>
#include <cstdint>
#include <span>

#include "tasks/registry.hpp"

namespace hyseq::tasks {

struct MkarShape {
  std::size_t key_length = 2;
  bool published_edges = true;
};

/// Position that every target is copied from, or -1 where there is none. `earlier`, where not empty, gets the number of
/// recorded earlier occurrences of the key that ends at a position. Tokens lie below `vocabulary`.
void mkar_sources(const MkarShape& shape, std::int32_t vocabulary, std::span<const std::int32_t> input,
                  std::span<std::int32_t> source, std::span<std::int32_t> earlier = {});

[[nodiscard]] TaskInfo mkar_info();

}  // namespace hyseq::tasks
