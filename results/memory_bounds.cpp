#include "results/memory_bounds.hpp"

#include <algorithm>
#include <cmath>

namespace hyseq::results {
namespace {

constexpr int kSteps = 160;

/// Weights of the letters j = 0 .. furthest - 1 back from the number token's predecessor: the share of a row's targets
/// that ask for letter j, as far as the whole question fits into the row.
std::vector<double> letter_weights(const CopyingSizes& sizes) {
  const double p = sizes.number_share, q = 1 - p;
  const int furthest = sizes.furthest();
  // Targets of a row: positions with a number token at or before them whose distance stays inside the row.
  double targets = 0;
  for (std::int64_t i = 0; i < sizes.length; ++i) {
    const auto inside = std::clamp<std::int64_t>(i - sizes.nearest + 1, 0, sizes.distances);
    targets += (1 - std::pow(q, static_cast<double>(i + 1))) * static_cast<double>(inside) / sizes.distances;
  }
  const auto states = static_cast<double>(sizes.length + 1) - 2.0 * furthest;
  std::vector<double> weights;
  for (int j = 0; j < furthest; ++j) {
    double weight = 0;
    for (int c = std::max(sizes.nearest, j + 1); c <= furthest; ++c) weight += p * std::pow(q, c - 1 - j);
    weights.push_back(weight / sizes.distances * states / targets);
  }
  return weights;
}

}  // namespace

double fano_entropy(double eps, double answers) {
  const double binary = eps <= 0 || eps >= 1 ? 0 : -(eps * std::log2(eps) + (1 - eps) * std::log2(1 - eps));
  return binary + eps * std::log2(answers - 1);
}

double rate(double eps, double answers) { return std::log2(answers) - fano_entropy(eps, answers); }

std::vector<NeededBits> copying_needs(const CopyingSizes& sizes) {
  const double p = sizes.number_share;
  if (sizes.values < 2 || sizes.nearest < 1 || sizes.distances < 1 || !(p > 0 && p < 1) ||
      sizes.length / 2 < sizes.furthest())
    return {};
  const std::vector<double> weights = letter_weights(sizes);
  const double answers = sizes.values + sizes.distances;
  const double letter = fano_entropy(p, 2) + (1 - p) * std::log2(sizes.values) + p * std::log2(sizes.distances);
  const double heaviest = *std::max_element(weights.begin(), weights.end());
  // Fewest bits for a given mean error: h'(eps_j) is proportional to the weight of letter j.
  std::vector<NeededBits> needs;
  for (int step = 0; step <= kSteps; ++step) {
    const double slope = 60.0 / heaviest * step * step / (kSteps * kSteps);
    NeededBits need{1, 0};
    for (const double weight : weights) {
      const double eps = step == kSteps ? 0 : (answers - 1) / (answers - 1 + std::exp2(slope * weight));
      need.accuracy -= weight * eps;
      need.bits += letter - fano_entropy(eps, answers);
    }
    if (need.bits >= 0) needs.push_back(need);
  }
  return needs;
}

std::vector<NeededBits> recall_needs(double words) {
  std::vector<NeededBits> needs;
  if (words < 3) return needs;
  for (int step = 0; step <= kSteps; ++step) {
    const double eps = (1 - 1 / words) * (kSteps - step) / kSteps;
    const NeededBits need{1 - eps, (words - 1) * rate(eps, words) - std::log2(words)};
    if (need.bits > 0) needs.push_back(need);
  }
  return needs;
}

}  // namespace hyseq::results
