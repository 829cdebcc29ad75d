#include "cli/learned.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "kernels/base/number_text.hpp"
#include "trainers/sweep/points.hpp"

namespace hyseq::cli {
namespace {

/// "SSM,TF", and behind it the values of axes other than layers and width.
std::string series_label(const trainers::Point& point) {
  std::string label = point.layers;
  for (const auto& [axis, value] : point.axes.items()) {
    if (axis == "model.layers" || axis == "model.width") continue;
    label +=
        " " + axis.substr(axis.rfind('.') + 1) + " " + (value.is_string() ? value.get<std::string>() : value.dump());
  }
  return label;
}

results::AccuracyPoint accuracy_point(const trainers::PointSummary& summary, const results::RunStore& store) {
  results::AccuracyPoint point;
  point.width = summary.point.width;
  point.parameters = summary.point.parameters;
  point.learning_rate = summary.learning_rate.value_or(0);
  for (const trainers::PointRun& run : summary.runs) {
    if (!run.stored) {
      ++point.missing;
      continue;
    }
    const results::RunRecord record = store.load(run.id);
    if (record.diverged_at >= 0) ++point.diverged;
    // A run that diverged before any evaluation got nothing right.
    const results::Evaluation* evaluation = trainers::held_out(record);
    point.seeds.push_back(evaluation != nullptr ? evaluation->positions : results::Counts{});
  }
  return point;
}

/// Guessing one of the task's values.
std::optional<double> chance_of(const trainers::Preset& preset) {
  if (preset.points.empty()) return std::nullopt;
  const auto& options = preset.points.front().final_run.data.options;
  const auto values = options.find("values");
  std::int64_t count = 0;
  if (values == options.end() || !parse_number(values->second, count) || count < 1) return std::nullopt;
  return 1 / static_cast<double>(count);
}

}  // namespace

results::LearnedRuns learned_runs(const trainers::Preset& preset, const results::RunStore& store) {
  results::LearnedRuns runs{preset.name, preset.scale, preset.title, {}, {}, chance_of(preset)};
  for (const trainers::PointSummary& summary : trainers::summarise(preset, store)) {
    const trainers::Point& point = summary.point;
    if (!point.control.empty()) {
      runs.controls.push_back({point.control, point.layers, accuracy_point(summary, store)});
      continue;
    }
    const std::string label = series_label(point);
    auto series = std::ranges::find_if(runs.series, [&](const auto& each) { return each.label == label; });
    if (series == runs.series.end()) series = runs.series.insert(series, {point.layers, label, {}});
    series->points.push_back(accuracy_point(summary, store));
  }
  return runs;
}

bool has_runs(const results::LearnedRuns& runs) {
  const auto finished = [](const results::AccuracyPoint& point) { return !point.seeds.empty(); };
  return std::ranges::any_of(runs.series,
                             [&](const auto& series) { return std::ranges::any_of(series.points, finished); }) ||
         std::ranges::any_of(runs.controls, [&](const auto& control) { return finished(control.runs); });
}

std::optional<results::LearnedRuns> stored_runs(const std::string& figure, const std::string& scale,
                                                const results::RunStore& store) {
  const std::vector<std::string> scales =
      scale.empty() ? std::vector<std::string>{"published", "quick"} : std::vector<std::string>{scale};
  for (const std::string& each : scales) {
    results::LearnedRuns runs = learned_runs(trainers::load_preset(figure, each), store);
    if (has_runs(runs)) return runs;
  }
  return std::nullopt;
}

std::vector<results::Reproduction> stored_reproductions(const results::RunStore& store) {
  std::vector<results::Reproduction> all;
  if (store.ids().empty()) return all;
  for (const std::string& figure : results::reference_figures())
    for (const char* scale : {"published", "quick"})
      if (auto runs = stored_runs(figure, scale, store)) all.push_back(results::reproduction_of(std::move(*runs)));
  return all;
}

}  // namespace hyseq::cli
