// What a store holds of a preset: the view that figures and tables are made from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "results/run_store.hpp"
#include "trainers/sweep/calibration.hpp"
#include "trainers/sweep/preset.hpp"

namespace hyseq::trainers {

/// A final run of a point.
struct PointRun {
  std::uint64_t seed = 0;
  std::string id;       // "" while nothing is chosen
  bool stored = false;  // RunStore::load(id) has its counts
};

struct PointSummary {
  Point point;                             // layers, width, parameters, axes, control
  std::vector<ChoiceOutcome> calibration;  // empty where the point is not calibrated
  std::optional<Choice> choice;            // nothing while calibration runs are missing
  std::vector<PointRun> runs;              // one per seed of the point
  std::size_t missing = 0;                 // runs not stored, those of its own calibration included
};

/// One entry per point of the preset, in its order. Choices are made anew from the stored counts.
/// InputError naming the file where a stored run cannot be read.
[[nodiscard]] std::vector<PointSummary> summarise(const Preset& preset, const results::RunStore& store);

}  // namespace hyseq::trainers
