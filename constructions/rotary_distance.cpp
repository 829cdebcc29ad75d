#include "constructions/rotary_distance.hpp"

#include <cmath>

#include "kernels/rotary/rotary.hpp"

namespace hyseq::constructions {
namespace {

/// The gap of a window, or early any value at most `enough` once it is known not to exceed that.
double window_gap(const RotaryDistance& rotary, int positions, double enough) {
  double least = 2.0 * kRotaryPairs;
  for (int x = 1; x < positions; ++x) {
    least = std::min(least, rotary.drop(x));
    if (least <= enough) break;
  }
  return least;
}

}  // namespace

double RotaryDistance::drop(long long x) const {
  double sum = 0;
  for (const std::uint64_t turn : turns) {
    // 1 - cos a = 2 sin^2(a / 2), without cancellation for small angles.
    const double half = std::sin(kernels::rotary_angle(static_cast<std::uint64_t>(x), turn) / 2);
    sum += 2 * half * half;
  }
  return sum;
}

RotaryDistance best_rotary(int positions) {
  RotaryDistance best;
  best.gap = -1;
  for (int step = 2; step <= 60; ++step) {
    RotaryDistance candidate;
    candidate.base = std::exp2(0.5 * step);
    candidate.turns = kernels::rotary_turns(2 * kRotaryPairs, candidate.base, 2 * kRotaryPairs);
    candidate.gap = window_gap(candidate, positions, best.gap);
    if (candidate.gap > best.gap) best = candidate;
  }
  return best;
}

}  // namespace hyseq::constructions
