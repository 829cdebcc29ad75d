// Right answers written from the theorems' text, in quadratic time, apart from every labeller of the project.
#pragma once

#include <cstdint>
#include <vector>

#include "constructions/decode_recall.hpp"
#include "constructions/selective_copy.hpp"

namespace hyseq::constructions {

using Tokens = std::vector<std::int32_t>;

/// Theorem 4.3: with n the latest number at or before `at`, x_{at-(n-1)}; -1 where undefined.
inline std::int32_t naive_copy(const SelectiveCopySpec& spec, const Tokens& x, int at) {
  for (int i = at; i >= 0; --i) {
    const int number = x[static_cast<std::size_t>(i)] - (spec.vocabulary - spec.distances) + 1;
    if (number < 1) continue;
    const int source = at - (number - 1);
    return source < 0 ? -1 : x[static_cast<std::size_t>(source)];
  }
  return -1;
}

/// Theorem 4.6: the token after the latest occurrence of the word that the register spells, where it lies among the
/// last `window` positions. faithful: that token lies before the query bits.
inline std::int32_t naive_recall(const DecodeRecallSpec& spec, int window, const Tokens& x, int at) {
  int query = 0;
  for (int i = 0; i <= at; ++i) {
    const int bit = x[static_cast<std::size_t>(i)] - spec.words();
    if (bit >= 0) query = (2 * query + bit) % spec.words();
  }
  const int last_follower = spec.level == Level::faithful ? at - spec.bits : at;
  for (int follower = last_follower; follower >= 1; --follower) {
    if (x[static_cast<std::size_t>(follower - 1)] != query) continue;
    return at - follower < window ? x[static_cast<std::size_t>(follower)] : -1;
  }
  return -1;
}

inline Tokens token_range(std::int32_t first, std::int32_t count) {
  Tokens tokens;
  for (std::int32_t i = 0; i < count; ++i) tokens.push_back(first + i);
  return tokens;
}

/// All sequences with the given tokens at each position.
inline std::vector<Tokens> all_sequences(const std::vector<Tokens>& allowed) {
  std::vector<Tokens> sequences{{}};
  for (const Tokens& tokens : allowed) {
    std::vector<Tokens> longer;
    for (const Tokens& sequence : sequences) {
      for (const std::int32_t token : tokens) {
        longer.push_back(sequence);
        longer.back().push_back(token);
      }
    }
    sequences = std::move(longer);
  }
  return sequences;
}

}  // namespace hyseq::constructions
