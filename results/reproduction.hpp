// A learned figure beside what others published about it: points, the size at which each family first reaches the
// threshold, the ratios between families, and the controls. A function of finished runs alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "results/figures/accuracy.hpp"
#include "results/reference_tables.hpp"
#include "results/statistics.hpp"

namespace hyseq::results {

/// Runs of a control, in which every target is replaced by a random one: nothing can be learned.
struct ControlRuns {
  std::string name;  // "random targets"
  std::string layers;
  AccuracyPoint runs;
};

/// What was trained for a figure.
struct LearnedRuns {
  std::string figure;     // "fig4-frontier"
  std::string reference;  // whose published numbers belong beside it: "fig4"
  std::string scale;      // "published" or "quick"
  std::string title;      // "Selective copying"
  std::vector<AccuracySeries> series;
  std::vector<ControlRuns> controls;
  std::optional<double> chance;   // accuracy of guessing: 1 / value tokens
  std::vector<Ceiling> ceilings;  // of families that do not see far enough back
};

struct FamilyReach {
  std::string label;  // of the series
  std::string layers;
  FirstReach reach;
  std::optional<std::int64_t> published;  // first rounded size whose printed mean reaches the threshold
  std::optional<PublishedReach> audit;
};

/// How many times more parameters a family needs than SSM,TF.
struct FamilyRatio {
  std::string label;  // of the family that is compared with SSM,TF
  std::string layers;
  SizeRatio ratio;
  std::optional<double> claimed;  // where the paper's claim is about this family
  std::optional<double> audit;
};

struct ControlOutcome {
  Counts counts;  // of all seeds together
  /// Whether the accuracy is within `kControlTolerance` of chance; nothing where no seed is finished or chance is
  /// unknown.
  std::optional<bool> near_chance;
};
inline constexpr double kControlTolerance = 0.01;

struct Reproduction {
  LearnedRuns runs;
  ReferenceTable reference;
  Bootstrap bootstrap;
  std::vector<FamilyReach> reached;      // per series
  std::vector<FamilyRatio> ratios;       // per series that is not SSM,TF; none without one SSM,TF
  std::vector<ControlOutcome> controls;  // as runs.controls
  std::int64_t missing = 0;              // runs, those of controls included
};

/// Sets the runs beside the reference table `runs.reference`. InputError where there is no table of that name.
[[nodiscard]] Reproduction reproduction_of(LearnedRuns runs, const Bootstrap& bootstrap = {});

/// The published values that belong beside a point: those of its family whose rounded parameter count has no nearer
/// point in the series (by ratio), and lies within a factor of 1.6. Usually none or one.
[[nodiscard]] std::vector<PublishedAccuracy> published_beside(const std::vector<PublishedAccuracy>& published,
                                                              const AccuracySeries& series, const AccuracyPoint& point);

/// The audit's mean of exactly this model.
[[nodiscard]] std::optional<double> audit_of(const ReferenceTable& reference, const std::string& layers,
                                             std::int64_t parameters);

[[nodiscard]] AccuracyPlot plot_of(const Reproduction& reproduction);

/// Strict JSON: what is unknown or infinite is null with a reason beside it.
[[nodiscard]] nlohmann::ordered_json to_json(const Reproduction& reproduction);

}  // namespace hyseq::results
