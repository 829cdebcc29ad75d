// A binary register out of decaying states.
//
// State n = 1 .. N of a channel that writes with step T decays by exp(-T n) a bit, so a mixture of the states answers
// to a bit k bits ago with g(k) = sum_n weight_n exp(-T n k). The weights are chosen such that g is 2^-k for the last b
// bits and about 0 before them: a binary fraction of the last b bits.
#pragma once

#include <vector>

namespace hyseq::constructions {

struct ExponentialFilter {
  std::vector<double> weights;   // of the states
  std::vector<double> response;  // g(0) .. g(bits - 1)
  double low = 0;                // sum of the negative g(k) of older bits
  double high = 0;               // sum of the positive ones: older bits move the value within [low, high]

  /// The value for a word (bit k of it is the k-th last bit) with all older bits 0.
  [[nodiscard]] double value(int word) const;
};

/// Least squares over g(k) with a small penalty on the weights, which bounds their size and thereby the rounding errors
/// of the sum. states >= 1, bits >= 1, step > 0.
[[nodiscard]] ExponentialFilter exponential_filter(int states, int bits, double step);

/// The filter, among steps 0.05 .. 1, whose values keep the largest gap between the intervals of two words.
struct BinaryRegister {
  double step = 0;
  ExponentialFilter filter;
  double gap = 0;  // least distance between the intervals of two words; positive for 1..64 states and 1..6 bits
};
[[nodiscard]] BinaryRegister best_register(int states, int bits);

}  // namespace hyseq::constructions
