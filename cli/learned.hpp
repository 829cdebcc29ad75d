// From the runs that a store holds of a preset to what the figures and tables of results/ read.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/reproduction.hpp"
#include "results/run_store.hpp"
#include "trainers/sweep/preset.hpp"

namespace hyseq::cli {

/// One series per setting of all axes but the width, in the order of the preset; its controls apart. Runs that are not
/// stored are counted as missing. InputError naming the file where a stored run cannot be read.
[[nodiscard]] results::LearnedRuns learned_runs(const trainers::Preset& preset, const results::RunStore& store);

/// Whether any point or control has a finished run.
[[nodiscard]] bool has_runs(const results::LearnedRuns& runs);

/// What the store holds of the figure at that scale; with scale "" at the published one, or where that has no run at
/// the quick one. Nothing where there are no runs.
[[nodiscard]] std::optional<results::LearnedRuns> stored_runs(const std::string& figure, const std::string& scale,
                                                              const results::RunStore& store);

/// Every learned figure and scale of which the store has runs.
[[nodiscard]] std::vector<results::Reproduction> stored_reproductions(const results::RunStore& store);

}  // namespace hyseq::cli
