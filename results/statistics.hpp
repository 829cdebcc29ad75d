// Statistics of finished runs: what is said about several seeds of one model, and the size at which a family of models
// first reaches an accuracy. Everything is recomputed from integer counts, and a resampled interval is a pure function
// of (values, names, seed): not of the order of the seeds, of threads or of earlier calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "results/run_record.hpp"

namespace hyseq::results {

struct Interval {
  double low = 0;
  double high = 0;
};

/// Quantile of values in ascending order, 0 <= q <= 1, between neighbours by linear interpolation (Hyndman and
/// Fan's definition 7, that of R, NumPy and Excel). Needs at least one value.
[[nodiscard]] double quantile(std::span<const double> ascending, double q);

/// Mean that does not depend on the order of the values. Needs at least one.
[[nodiscard]] double mean_of(std::span<const double> values);

/// The accuracies of several seeds of one model. Every seed counts alike, however many valid positions it had.
struct Summary {
  std::vector<double> values;  // one per seed, in the order given
  double mean = 0;
  double median = 0;
  Interval band;  // 10% and 90% quantile of the seeds
  double least = 0;
  double greatest = 0;
};

/// Needs at least one seed.
[[nodiscard]] Summary summarise(std::span<const Counts> seeds);

/// Wilson's score interval of the probability behind the counts; `deviates` standard normal deviates to each side
/// (1.96: 95%). Nothing valid gives [0, 1]. It assumes independent positions, so it is the sampling error of one
/// evaluation, never the spread of seeds.
[[nodiscard]] Interval wilson_interval(const Counts& counts, double deviates = 1.959963984540054);

/// All seeds of one size of a family.
struct SizeSample {
  std::int64_t parameters = 0;
  std::vector<double> accuracies;  // one per seed
};

struct Bootstrap {
  std::size_t resamples = 10000;
  double confidence = 0.95;
  std::uint64_t seed = 0;
};

/// The smallest size whose mean accuracy reaches a threshold.
struct FirstReach {
  std::optional<std::int64_t> parameters;  // none: no size does
  std::optional<std::int64_t> low, high;   // bootstrap interval; none: beyond the largest size
  double never = 0;                        // share of resamples in which no size reaches it
  std::int64_t least_tried = 0;            // smallest and largest size with a seed; 0: none at all
  std::int64_t largest_tried = 0;
  std::vector<std::optional<std::int64_t>> resampled;  // per resample
};

/// `sizes` in any order; those without seeds are passed over. In every resample each size draws as many of its seeds as
/// it has, with replacement and independently of other sizes; the interval's ends are order statistics, so they are
/// sizes that were trained, or none. `family` ("SSM,TF") keys the random numbers, so that a family's interval does not
/// depend on which others are beside it.
[[nodiscard]] FirstReach first_reach(const std::string& family, const std::vector<SizeSample>& sizes, double threshold,
                                     const Bootstrap& bootstrap = {});

/// Interval of mean(a) - mean(b), both resampled with replacement and independently; its ends are order statistics.
/// `name` keys the random numbers. Needs at least one value of each.
[[nodiscard]] Interval difference_interval(const std::string& name, const std::vector<double>& a,
                                           const std::vector<double>& b, const Bootstrap& bootstrap = {});

/// A positive quantity of which only bounds may be known: low == high where it is known, low == 0 where there is no
/// lower bound, high == infinity where there is no upper one.
struct Bounds {
  double low = 0;
  double high = 0;

  [[nodiscard]] bool exact() const { return low == high; }
  [[nodiscard]] bool bounded_above() const;  // high is finite
};

/// How many times more parameters `larger` needs than `smaller` to reach the threshold. Where `larger` never reaches
/// it, the ratio is at least (its largest size) / (first size of `smaller`); where only `smaller` never does, at most
/// (first size of `larger`) / (largest size of `smaller`); where neither does, nothing is known.
/// `low` and `high` are the ends of the bootstrap interval, over resamples of both: the quantile of lower and of upper
/// bounds, so that an unknown ratio widens the interval.
struct SizeRatio {
  Bounds estimate;
  Bounds interval;
};
[[nodiscard]] SizeRatio size_ratio(const FirstReach& larger, const FirstReach& smaller, double confidence = 0.95);

}  // namespace hyseq::results
