// Worst-case margins in a number format: a lower bound of the attention mass on the target and of the decoder's gap,
// over all windows, states and phases. docs/theorems.md, section 3, derives every bound used here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "constructions/decode_recall.hpp"
#include "constructions/selective_copy.hpp"
#include "kernels/base/number_format.hpp"

namespace hyseq::proofs_check {

struct MarginResult {
  double target_mass = 0;   // lower bound, the fraction of attention on the right position
  double decoder_gap = 0;   // lower bound of (target's logit - any other's)
  double score_gap = 0;     // least difference of exact scores, target to any wrong token
  double score_error = 0;   // upper bound of one computed score's error
  std::uint64_t pairs = 0;  // (state, distance) or (class, key) pairs that the bound covers
  bool holds = false;
  std::string failing;  // which margin fails, with its value; empty where it holds
};

[[nodiscard]] MarginResult margins(const constructions::SelectiveCopyConstruction& construction, NumberFormat format);
[[nodiscard]] MarginResult margins(const constructions::DecodeRecallConstruction& construction, NumberFormat format);

struct MarginPoint {
  int size = 0;  // distances N, or bits b
  MarginResult margin;
};

/// The largest size that holds in a format.
struct LargestHolding {
  int size = 0;
  bool at_least = false;            // the search ended at its limit, not at a failure
  double predicted = 0;             // by the closed form of docs/theorems.md, section 3
  std::vector<MarginPoint> points;  // everything tried, by size
};

/// Doubles N, then bisects; V = 2 N tokens, L = N at the faithful level. Ends at N = 65536.
[[nodiscard]] LargestHolding largest_distances(constructions::Level level, NumberFormat format);
/// b = 1, 2, ... with the 99% window; ends at b = 14 (faithful) or 10 (streaming).
[[nodiscard]] LargestHolding largest_bits(constructions::Level level, NumberFormat format);

}  // namespace hyseq::proofs_check
