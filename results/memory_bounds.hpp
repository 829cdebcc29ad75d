// How many bits any model must hold between two tokens for a given accuracy: the corrected Theorem 3.3 applied to the
// tasks that models are trained on (docs/trade-off.md has the proofs). The bound counts everything that is held, so it
// binds state space models, windows and hybrids alike.
#pragma once

#include <cstdint>
#include <vector>

namespace hyseq::results {

/// H2(eps) + eps log2(answers - 1), bits; 0 log 0 is 0. 0 <= eps <= 1, answers >= 2.
[[nodiscard]] double fano_entropy(double eps, double answers);
/// log2(answers) - fano_entropy: bits per answer (rate-distortion function of a uniform source under Hamming
/// distortion, Shannon 1959).
[[nodiscard]] double rate(double eps, double answers);

/// No model with fewer bits than `bits` reaches more than `accuracy`.
struct NeededBits {
  double accuracy = 0;
  double bits = 0;
};

/// Rows of the task `selective_copy` as it is sampled. Distances 1 or more.
struct CopyingSizes {
  double values = 26;
  int nearest = 5;  // distances nearest .. nearest + distances - 1
  int distances = 5;
  double number_share = 0.2;  // 0 < share < 1
  std::int64_t length = 100;  // at least twice the largest distance

  [[nodiscard]] int furthest() const { return nearest + distances - 1; }
};

/// Accuracy over all positions with a target, rising from where nothing is held to 1; the last point needs
/// furthest() H(X) bits, H(X) the entropy of one token. Empty for sizes out of range.
[[nodiscard]] std::vector<NeededBits> copying_needs(const CopyingSizes& sizes);

/// Recall of W words, accuracy over uniform queries of the words but one, on the contexts that are hardest to keep:
/// (W-1) R_W(eps) - log2 W. Empty for fewer than 3 words, for which it says nothing.
[[nodiscard]] std::vector<NeededBits> recall_needs(double words);

}  // namespace hyseq::results
