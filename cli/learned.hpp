// The learned figures: which preset trains them, whose published numbers belong beside them, and the way from the runs
// that a store holds to what the figures and tables of results/ read.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "results/learned.hpp"
#include "results/run_store.hpp"
#include "trainers/sweep/preset.hpp"

namespace hyseq::cli {

enum class LearnedKind {
  accuracy,  // accuracy against parameters beside published numbers
  ablation,  // one thing changed at a time
};

struct LearnedFigure {
  const char* name;       // of figure and preset
  const char* reference;  // table of published numbers; "" for ablations
  LearnedKind kind;
  const char* meaning;  // one line of help
};

[[nodiscard]] std::span<const LearnedFigure> learned_figures();
/// nullptr where there is none of that name.
[[nodiscard]] const LearnedFigure* find_learned_figure(const std::string& name);
/// The lines of help "  name  meaning", each ended.
[[nodiscard]] std::string learned_figures_help();

/// Runs that are not stored are counted as missing. InputError naming the file where a stored run cannot be read.
[[nodiscard]] results::Learned learned(const LearnedFigure& figure, const trainers::Preset& preset,
                                       const results::RunStore& store);

/// What the store holds of the figure at that scale; with scale "" at the published one, or where that has no run at
/// the quick one. Nothing where there are no runs.
[[nodiscard]] std::optional<results::Learned> stored_learned(const LearnedFigure& figure, const std::string& scale,
                                                             const results::RunStore& store);

/// Every learned figure and scale of which the store has runs.
[[nodiscard]] std::vector<results::Learned> all_stored_learned(const results::RunStore& store);

}  // namespace hyseq::cli
