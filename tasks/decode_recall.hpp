// decode_recall, associative recall with decoding, streaming: bit tokens spell, binary digit by binary digit, the word
// to recall.
//
// Labeller: a register s starts at 0; every bit token, the current one included, does s = (2s + bit) mod 2^b. Target at
//           i: x[j+1] for the largest j with j+1 <= i and x[j] = V_s, a bit token included; <null> without such j.
// Sampler:  every position on its own: with probability p a uniform bit, else a uniform word.
//
// Example (b = 2, words V0..V3):
//   position   0       1       2       3   4   5   6
//   input      V2      V3      #1      #0  V2  V1  #1
//   register   0       0       1       2   2   2   1
//   target     <null>  <null>  <null>  V3  V3  V1  #1
// At 6 the register names V1, whose latest follower is the token at 6 itself, since j+1 <= i allows j = 5.
#pragma once

#include <cstdint>
#include <span>

#include "tasks/registry.hpp"

namespace hyseq::tasks {

/// Words 0 .. 2^bits-1, then the bit tokens #0 and #1.
[[nodiscard]] Vocabulary word_and_bit_vocabulary(std::int32_t bits);

/// Position that every target is copied from, or -1 where there is none. `words` is a power of two.
void decode_recall_sources(std::int32_t words, std::span<const std::int32_t> input, std::span<std::int32_t> source);

[[nodiscard]] TaskInfo decode_recall_info();

}  // namespace hyseq::tasks
