#include "results/reproduction.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace hyseq::results {
namespace {

constexpr const char* kHybrid = "SSM,TF";  // the family that the claims are about
constexpr double kBesideFactor = 1.6;      // "rounded" counts are no further than this from the model they stand for

double log_distance(std::int64_t a, std::int64_t b) {
  return std::abs(std::log(static_cast<double>(a) / static_cast<double>(b)));
}

/// The claims speak of "pure Transformers" or of "pure models".
bool claim_is_about(const ReferenceTable& reference, const std::string& layers) {
  if (layers == "TF,TF") return reference.claim.find("pure") != std::string::npos;
  return layers == "SSM,SSM" && reference.claim.find("pure models") != std::string::npos;
}

std::optional<PublishedReach> audit_reach(const ReferenceTable& reference, const std::string& layers) {
  for (const PublishedReach& reach : reference.audit_reach)
    if (reach.layers == layers) return reach;
  return std::nullopt;
}

/// The printed means say it themselves.
std::optional<std::int64_t> published_reach(const ReferenceTable& reference, const std::string& layers) {
  std::optional<std::int64_t> first;
  for (const PublishedAccuracy& value : reference.published)
    if (value.layers == layers && value.accuracy >= reference.threshold && (!first || value.parameters < *first))
      first = value.parameters;
  return first;
}

FamilyReach reach_of(const AccuracySeries& series, const ReferenceTable& reference, const Bootstrap& bootstrap) {
  const std::string label = series.label.empty() ? series.layers : series.label;
  std::vector<SizeSample> sizes;
  for (const AccuracyPoint& point : series.points) {
    SizeSample size{point.parameters, {}};
    for (const Counts& counts : point.seeds) size.accuracies.push_back(counts.accuracy());
    sizes.push_back(std::move(size));
  }
  return {label, series.layers, first_reach(label, sizes, reference.threshold, bootstrap),
          published_reach(reference, series.layers), audit_reach(reference, series.layers)};
}

std::vector<FamilyRatio> ratios_of(const std::vector<FamilyReach>& reached, const ReferenceTable& reference,
                                   const Bootstrap& bootstrap) {
  const auto is_hybrid = [](const FamilyReach& family) { return family.layers == kHybrid; };
  // With several of them it would be a choice which one to compare with.
  if (std::count_if(reached.begin(), reached.end(), is_hybrid) != 1) return {};
  const FamilyReach& hybrid = *std::find_if(reached.begin(), reached.end(), is_hybrid);
  std::vector<FamilyRatio> ratios;
  for (const FamilyReach& family : reached) {
    if (&family == &hybrid) continue;
    FamilyRatio ratio{
        family.label, family.layers, size_ratio(family.reach, hybrid.reach, bootstrap.confidence), {}, {}};
    if (claim_is_about(reference, family.layers)) ratio.claimed = reference.ratio;
    if (family.audit && hybrid.audit)
      ratio.audit = static_cast<double>(family.audit->parameters) / static_cast<double>(hybrid.audit->parameters);
    ratios.push_back(std::move(ratio));
  }
  return ratios;
}

ControlOutcome outcome_of(const ControlRuns& control, const std::optional<double>& chance) {
  ControlOutcome outcome;
  for (const Counts& counts : control.runs.seeds) {
    outcome.counts.valid += counts.valid;
    outcome.counts.correct += counts.correct;
  }
  if (outcome.counts.valid > 0 && chance)
    outcome.near_chance = std::abs(outcome.counts.accuracy() - *chance) <= kControlTolerance;
  return outcome;
}

}  // namespace

Reproduction reproduction_of(LearnedRuns runs, const Bootstrap& bootstrap) {
  Reproduction result;
  result.reference = reference_table(runs.reference);
  result.bootstrap = bootstrap;
  result.runs = std::move(runs);
  for (const AccuracySeries& series : result.runs.series) {
    result.reached.push_back(reach_of(series, result.reference, bootstrap));
    for (const AccuracyPoint& point : series.points) result.missing += point.missing;
  }
  result.ratios = ratios_of(result.reached, result.reference, bootstrap);
  for (const ControlRuns& control : result.runs.controls) {
    result.controls.push_back(outcome_of(control, result.runs.chance));
    result.missing += control.runs.missing;
  }
  return result;
}

std::vector<PublishedAccuracy> published_beside(const std::vector<PublishedAccuracy>& published,
                                                const AccuracySeries& series, const AccuracyPoint& point) {
  std::vector<PublishedAccuracy> beside;
  for (const PublishedAccuracy& value : published) {
    if (value.layers != series.layers) continue;
    const double own = log_distance(point.parameters, value.parameters);
    const bool nearest = std::none_of(series.points.begin(), series.points.end(), [&](const AccuracyPoint& other) {
      return log_distance(other.parameters, value.parameters) < own;
    });
    if (nearest && own <= std::log(kBesideFactor)) beside.push_back(value);
  }
  return beside;
}

std::optional<double> audit_of(const ReferenceTable& reference, const std::string& layers, std::int64_t parameters) {
  for (const PublishedAccuracy& value : reference.audit)
    if (value.layers == layers && value.parameters == parameters) return value.accuracy;
  return std::nullopt;
}

AccuracyPlot plot_of(const Reproduction& reproduction) {
  const LearnedRuns& runs = reproduction.runs;
  AccuracyPlot plot;
  plot.name = runs.scale == "published" ? runs.figure : runs.figure + "-" + runs.scale;
  plot.title = runs.title + ": accuracy against parameters";
  if (runs.scale != "published") plot.title += " (" + runs.scale + " scale)";
  plot.series = runs.series;
  plot.published = reproduction.reference.published;
  plot.audit = reproduction.reference.audit;
  plot.threshold = reproduction.reference.threshold;
  plot.chance = runs.chance;
  plot.ceilings = runs.ceilings;
  plot.note = "Published setting: " + reproduction.reference.setup + ".";
  return plot;
}

}  // namespace hyseq::results
