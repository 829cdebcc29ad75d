// Induction in floating point: the recurrent states reachable from the start under every token, bit by bit, through the
// SSM layer's own weights in the number format at hand. A closed set of the promised size holds for sequences of every
// length.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "constructions/decode_recall.hpp"
#include "constructions/selective_copy.hpp"
#include "kernels/base/number_format.hpp"

namespace hyseq::proofs_check {

struct InductionResult {
  std::uint64_t reachable_states = 0;  // distinct states, or classes of states where a register keeps older residue
  std::uint64_t promised_states = 0;
  bool closed = false;
  std::uint64_t transitions_checked = 0;  // computed, one per state and distinct token map
  std::uint64_t transitions_covered = 0;  // states x tokens (x positions) that these stand for
  std::uint64_t distinct_token_maps = 0;
  bool every_length = true;  // else over the positions of the construction's own length
  bool classes = false;      // closed under interval arithmetic instead of bitwise
  std::string failure;       // empty, or what broke
  /// decode recall, streaming: interval of the register's state per class, [lower, upper] by word.
  std::vector<std::pair<double, double>> class_intervals;
  double widest_class = 0;

  [[nodiscard]] bool passed() const { return closed && failure.empty() && reachable_states == promised_states; }
};

/// Both levels: N + 1 states, one per number token and the start.
[[nodiscard]] InductionResult check_induction(const constructions::SelectiveCopyConstruction& construction,
                                              NumberFormat format);

/// faithful: 2^(b+1) - 1 states, the prefixes of the query, over the positions of a sequence of the construction's
/// length. streaming: 2^b classes, closed under interval arithmetic in the number format.
[[nodiscard]] InductionResult check_induction(const constructions::DecodeRecallConstruction& construction,
                                              NumberFormat format);

}  // namespace hyseq::proofs_check
