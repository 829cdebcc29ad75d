// Distances told apart by rotary phases.
//
// With frequencies theta_f a query rotated back by distance c scores g(t - c - j) against position j, where
//   g(x) = sum_f cos(theta_f x)
// peaks at x = 0. The gap of a window of N positions is the least g(0) - g(x) over 1 <= |x| < N.
#pragma once

#include <cstdint>
#include <vector>

namespace hyseq::constructions {

inline constexpr int kRotaryPairs = 4;

struct RotaryDistance {
  double base = 10000;
  std::vector<std::uint64_t> turns;  // kRotaryPairs frequencies base^(-i / kRotaryPairs), in 2^-64 turns
  double gap = 0;

  /// g(0) - g(x), in double.
  [[nodiscard]] double drop(long long x) const;
};

/// The base, among powers of 2^(1/2), with the largest gap for a window of N positions.
[[nodiscard]] RotaryDistance best_rotary(int positions);

}  // namespace hyseq::constructions
