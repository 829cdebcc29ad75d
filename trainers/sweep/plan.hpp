// What runs cost, how they fill cohorts, and which points a shard owns.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "trainers/sweep/preset.hpp"

namespace hyseq::trainers {

/// Most members of a cohort of such runs.
using CohortSize = std::function<std::size_t(const RunConfiguration&)>;

/// As the run's engine says. EnvironmentError where this build lacks it, InputError where it cannot train in the
/// format.
[[nodiscard]] std::size_t engine_cohort_size(const RunConfiguration& run);

/// Floating-point operations of one run: all training steps and evaluations, counted as in models/cost.hpp.
[[nodiscard]] double run_operations(const RunConfiguration& run);

/// Operations that cohorts of such runs pay for. `lanes` computes all lanes, used or not; other engines the members.
class CohortCost {
 public:
  CohortCost() = default;
  CohortCost(const RunConfiguration& run, std::size_t lanes);
  [[nodiscard]] double of(std::size_t members) const;

 private:
  double run_ = 0;
  std::size_t lanes_ = 1;
  bool padded_ = false;
};

/// Sizes of the cohorts of `runs` runs of one shape: as few as possible, as even as possible. 18 runs on 16 lanes are
/// 9 + 9: a cohort costs the same however many of its lanes are used, what comes on top (making data) is per member,
/// and even cohorts end together and lose less when one is killed.
[[nodiscard]] std::vector<std::size_t> pack(std::size_t runs, std::size_t lanes);

/// Indices of the points of shard `shard` of `shards` (0-based), ascending. Shards own whole points, a control with its
/// subject, because final runs need their point's calibration: no two shards train the same run. The heaviest points
/// are dealt first, each to the shard with the least work so far; nothing but the preset decides, so that shards agree
/// without talking to each other. They must therefore be given the same preset and scale.
[[nodiscard]] std::vector<std::size_t> shard_points(const Preset& preset, std::size_t shard, std::size_t shards);

}  // namespace hyseq::trainers
