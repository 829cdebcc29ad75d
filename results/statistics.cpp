#include "results/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "kernels/base/random.hpp"

namespace hyseq::results {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Rounding of a mean must not decide whether a threshold is reached that it meets exactly.
constexpr double kRounding = 1e-12;

/// FNV-1a, for keys of random streams only.
std::uint64_t hash_of(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3U;
  }
  return hash;
}

std::vector<double> sorted(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values;
}

/// Index of the order statistic at probability q among `count`: the smallest with at least q of them up to it.
std::size_t order_index(std::size_t count, double q) {
  const double position = std::ceil(q * static_cast<double>(count) - 1e-9) - 1;
  return static_cast<std::size_t>(std::clamp(position, 0.0, static_cast<double>(count - 1)));
}

/// Sizes with seeds, ascending, their accuracies ascending.
std::vector<SizeSample> prepared(const std::vector<SizeSample>& sizes) {
  std::vector<SizeSample> kept;
  for (const SizeSample& size : sizes)
    if (!size.accuracies.empty()) kept.push_back({size.parameters, sorted(size.accuracies)});
  std::stable_sort(kept.begin(), kept.end(),
                   [](const SizeSample& a, const SizeSample& b) { return a.parameters < b.parameters; });
  return kept;
}

double resampled_mean(const std::vector<double>& values, RandomStream& stream) {
  const auto count = static_cast<std::uint32_t>(values.size());
  double sum = 0;
  for (std::uint32_t i = 0; i < count; ++i) sum += values[stream.below(count)];
  return sum / count;
}

Bounds ratio_bounds(const std::optional<std::int64_t>& larger, std::int64_t larger_tried,
                    const std::optional<std::int64_t>& smaller, std::int64_t smaller_tried) {
  if (!larger && !smaller) return {0, kInfinity};
  const auto a = static_cast<double>(larger.value_or(larger_tried));
  const auto b = static_cast<double>(smaller.value_or(smaller_tried));
  if (a <= 0 || b <= 0) return {0, kInfinity};  // one of them was never trained
  return {smaller ? a / b : 0, larger ? a / b : kInfinity};
}

}  // namespace

double quantile(std::span<const double> ascending, double q) {
  if (ascending.empty()) throw std::invalid_argument("a quantile needs at least one value");
  const double position = q * static_cast<double>(ascending.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  if (below + 1 >= ascending.size()) return ascending.back();
  return ascending[below] + (position - static_cast<double>(below)) * (ascending[below + 1] - ascending[below]);
}

double mean_of(std::span<const double> values) {
  if (values.empty()) throw std::invalid_argument("a mean needs at least one value");
  const std::vector<double> ascending = sorted({values.begin(), values.end()});
  return std::accumulate(ascending.begin(), ascending.end(), 0.0) / static_cast<double>(ascending.size());
}

Summary summarise(std::span<const Counts> seeds) {
  Summary summary;
  for (const Counts& counts : seeds) summary.values.push_back(counts.accuracy());
  const std::vector<double> ascending = sorted(summary.values);
  summary.mean = mean_of(ascending);
  summary.median = quantile(ascending, 0.5);
  summary.band = {quantile(ascending, 0.1), quantile(ascending, 0.9)};
  summary.least = ascending.front();
  summary.greatest = ascending.back();
  return summary;
}

Interval wilson_interval(const Counts& counts, double deviates) {
  if (counts.valid <= 0) return {0, 1};
  const auto n = static_cast<double>(counts.valid);
  const double p = counts.accuracy(), z2 = deviates * deviates;
  const double centre = (p + z2 / (2 * n)) / (1 + z2 / n);
  const double reach = deviates / (1 + z2 / n) * std::sqrt(p * (1 - p) / n + z2 / (4 * n * n));
  // At the ends the exact limits are 0 and 1, which rounding may miss.
  return {counts.correct == 0 ? 0 : std::max(0.0, centre - reach),
          counts.correct == counts.valid ? 1 : std::min(1.0, centre + reach)};
}

FirstReach first_reach(const std::string& family, const std::vector<SizeSample>& sizes, double threshold,
                       const Bootstrap& bootstrap) {
  FirstReach reach;
  reach.resampled.resize(bootstrap.resamples);
  const std::vector<SizeSample> ascending = prepared(sizes);
  if (ascending.empty()) {
    reach.never = 1;
    return reach;
  }
  reach.least_tried = ascending.front().parameters;
  reach.largest_tried = ascending.back().parameters;
  const double wanted = threshold - kRounding;
  for (const SizeSample& size : ascending)
    if (mean_of(size.accuracies) >= wanted) {
      reach.parameters = size.parameters;
      break;
    }
  if (bootstrap.resamples == 0) return reach;

  const StreamKey key{bootstrap.seed ^ hash_of(family), Purpose::resampling};
  std::vector<double> found;  // infinity where none
  std::size_t never = 0;
  for (std::size_t b = 0; b < bootstrap.resamples; ++b) {
    RandomStream stream(key, b);
    for (const SizeSample& size : ascending)
      if (resampled_mean(size.accuracies, stream) >= wanted) {
        reach.resampled[b] = size.parameters;
        break;
      }
    if (!reach.resampled[b]) ++never;
    found.push_back(reach.resampled[b] ? static_cast<double>(*reach.resampled[b]) : kInfinity);
  }
  reach.never = static_cast<double>(never) / static_cast<double>(bootstrap.resamples);
  found = sorted(found);
  const auto end = [&](double q) -> std::optional<std::int64_t> {
    const double value = found[order_index(found.size(), q)];
    if (value == kInfinity) return std::nullopt;
    return static_cast<std::int64_t>(value);
  };
  const double tail = (1 - bootstrap.confidence) / 2;
  reach.low = end(tail);
  reach.high = end(1 - tail);
  return reach;
}

Interval difference_interval(const std::string& name, const std::vector<double>& a, const std::vector<double>& b,
                             const Bootstrap& bootstrap) {
  const std::vector<double> first = sorted(a), second = sorted(b);
  const double estimate = mean_of(first) - mean_of(second);
  if (bootstrap.resamples == 0) return {estimate, estimate};
  const StreamKey key{bootstrap.seed ^ hash_of(name), Purpose::resampling};
  std::vector<double> differences;
  for (std::size_t i = 0; i < bootstrap.resamples; ++i) {
    RandomStream stream(key, i);
    const double mean = resampled_mean(first, stream);
    differences.push_back(mean - resampled_mean(second, stream));
  }
  differences = sorted(differences);
  const double tail = (1 - bootstrap.confidence) / 2;
  return {differences[order_index(differences.size(), tail)], differences[order_index(differences.size(), 1 - tail)]};
}

bool Bounds::bounded_above() const { return std::isfinite(high); }

SizeRatio size_ratio(const FirstReach& larger, const FirstReach& smaller, double confidence) {
  SizeRatio ratio;
  ratio.estimate = ratio_bounds(larger.parameters, larger.largest_tried, smaller.parameters, smaller.largest_tried);
  const std::size_t resamples = std::min(larger.resampled.size(), smaller.resampled.size());
  if (resamples == 0) {
    ratio.interval = {0, kInfinity};
    return ratio;
  }
  std::vector<double> lows, highs;
  for (std::size_t b = 0; b < resamples; ++b) {
    const Bounds bounds =
        ratio_bounds(larger.resampled[b], larger.largest_tried, smaller.resampled[b], smaller.largest_tried);
    lows.push_back(bounds.low);
    highs.push_back(bounds.high);
  }
  const double tail = (1 - confidence) / 2;
  ratio.interval = {sorted(lows)[order_index(resamples, tail)], sorted(highs)[order_index(resamples, 1 - tail)]};
  return ratio;
}

}  // namespace hyseq::results
