// How fast this machine trains: assumed, taken from stored runs, and corrected while a sweep runs.
#pragma once

#include <cstddef>
#include <vector>

#include "results/run_store.hpp"
#include "trainers/sweep/plan.hpp"

namespace hyseq::trainers {

/// Operations a second and thread of cohorts, in the measure of CohortCost: from up to a few dozen stored runs of these
/// points, else what a core of 2023 does on that engine.
[[nodiscard]] double known_speed(const Preset& preset, const std::vector<std::size_t>& points,
                                 const results::RunStore& store, const CohortSize& cohort_size);

/// Seconds that the work takes on `workers` threads of that speed, of which no chain can take less than its own time.
[[nodiscard]] double seconds_needed(double operations, double longest, double speed, std::size_t workers);

}  // namespace hyseq::trainers
