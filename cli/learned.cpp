#include "cli/learned.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <utility>

#include "kernels/base/number_text.hpp"
#include "models/receptive_field.hpp"
#include "trainers/ceiling.hpp"
#include "trainers/sweep/points.hpp"

namespace hyseq::cli {
namespace {

constexpr std::array kFigures{
    LearnedFigure{"fig4", "fig4", LearnedKind::accuracy,
                  "selective copying: accuracy against parameters, threshold 0.9"},
    LearnedFigure{"fig6", "fig6", LearnedKind::accuracy,
                  "multi-key associative recall: accuracy against parameters, threshold 0.6"},
    LearnedFigure{"fig4-frontier", "fig4", LearnedKind::accuracy,
                  "fig4 with the best of several settings for every model, and ceilings of receptive fields"},
    LearnedFigure{"fig4-ablation", "", LearnedKind::ablation, "two models of fig4, one detail changed at a time"},
    LearnedFigure{"fig6-ablation", "", LearnedKind::ablation, "two models of fig6, one detail changed at a time"},
};

std::string value_text(const nlohmann::ordered_json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// The values of all axes but layers and width: "rotary_fraction 1.0, heads 2"; of dropout with its site.
std::string variant_label(const trainers::Point& point) {
  std::string label;
  for (const auto& [axis, value] : point.axes.items()) {
    if (axis == "model.layers" || axis == "model.width") continue;
    std::string name =
        axis.starts_with("dropout.") || axis.starts_with("ssm.") ? axis : axis.substr(axis.rfind('.') + 1);
    std::ranges::replace_if(
        name, [](char c) { return c == '.' || c == '_'; }, ' ');
    label += (label.empty() ? "" : ", ") + name + " " + value_text(value);
  }
  return label;
}

std::string series_label(const trainers::Point& point) {
  const std::string variant = variant_label(point);
  return variant.empty() ? point.layers : point.layers + ", " + variant;
}

results::AccuracyPoint accuracy_point(const trainers::PointSummary& summary, const results::RunStore& store) {
  results::AccuracyPoint point;
  point.width = summary.point.width;
  point.parameters = summary.point.parameters;
  if (summary.choice) {
    point.learning_rate = summary.choice->rate;
    point.setting = trainers::setting_name(summary.point, summary.choice->setting);
  }
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

/// One per family that does not see whole rows.
std::vector<results::Ceiling> ceilings_of(const trainers::Preset& preset) {
  std::vector<results::Ceiling> ceilings;
  for (const trainers::Point& point : preset.points) {
    const auto field = models::receptive_field(point.final_run.architecture);
    if (field.unlimited || !point.control.empty() ||
        std::ranges::any_of(ceilings, [&](const auto& known) { return known.layers == point.layers; }))
      continue;
    trainers::RunConfiguration run = point.final_run;
    run.seed = point.seeds.front();
    const auto ceiling = trainers::accuracy_ceiling(run);
    if (!ceiling) continue;
    std::array<char, 96> text{};
    std::snprintf(text.data(), text.size(), "%s sees %llu tokens: at most %.4f", point.layers.c_str(),
                  static_cast<unsigned long long>(field.tokens), *ceiling);
    ceilings.push_back({*ceiling, point.layers, text.data()});
  }
  return ceilings;
}

/// One series per setting of all axes but the width, in the order of the preset; its controls apart.
results::Reproduction reproduction(const LearnedFigure& figure, const trainers::Preset& preset,
                                   const results::RunStore& store) {
  results::LearnedRuns runs;
  runs.figure = preset.name;
  runs.reference = figure.reference;
  runs.scale = preset.scale;
  runs.title = preset.title;
  runs.chance = chance_of(preset);
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
  // Where every model has a setting of its own, what its family can do at best belongs into the picture.
  if (std::ranges::any_of(preset.points, [](const auto& point) { return !point.alternatives.empty(); }))
    runs.ceilings = ceilings_of(preset);
  return results::reproduction_of(std::move(runs));
}

/// A point without axes of its own begins a model, those behind it are its variants.
results::Ablation ablation(const trainers::Preset& preset, const results::RunStore& store) {
  results::Ablation result;
  result.figure = preset.name;
  result.scale = preset.scale;
  result.title = preset.title;
  for (const trainers::PointSummary& summary : trainers::summarise(preset, store)) {
    const std::string label = variant_label(summary.point);
    results::AccuracyPoint runs = accuracy_point(summary, store);
    if (result.models.empty() || label.empty())
      result.models.push_back({summary.point.layers, runs.width, runs.parameters, {}});
    result.models.back().variants.push_back({label.empty() ? "published" : label, std::move(runs)});
  }
  return result;
}

}  // namespace

std::span<const LearnedFigure> learned_figures() { return kFigures; }

const LearnedFigure* find_learned_figure(const std::string& name) {
  const auto found = std::ranges::find_if(kFigures, [&](const LearnedFigure& figure) { return figure.name == name; });
  return found == kFigures.end() ? nullptr : &*found;
}

std::string learned_figures_help() {
  std::string text;
  for (const LearnedFigure& figure : kFigures) {
    std::string name = figure.name;
    name.resize(15, ' ');
    text += "  " + name + figure.meaning + "\n";
  }
  return text;
}

results::Learned learned(const LearnedFigure& figure, const trainers::Preset& preset, const results::RunStore& store) {
  if (figure.kind == LearnedKind::ablation) return ablation(preset, store);
  return reproduction(figure, preset, store);
}

std::optional<results::Learned> stored_learned(const LearnedFigure& figure, const std::string& scale,
                                               const results::RunStore& store) {
  const std::vector<std::string> scales =
      scale.empty() ? std::vector<std::string>{"published", "quick"} : std::vector<std::string>{scale};
  for (const std::string& each : scales) {
    results::Learned found = learned(figure, trainers::load_preset(figure.name, each), store);
    if (results::has_runs(found)) return found;
  }
  return std::nullopt;
}

std::vector<results::Learned> all_stored_learned(const results::RunStore& store) {
  std::vector<results::Learned> all;
  if (store.ids().empty()) return all;
  for (const LearnedFigure& figure : kFigures)
    for (const char* scale : {"published", "quick"})
      if (auto found = stored_learned(figure, scale, store)) all.push_back(std::move(*found));
  return all;
}

}  // namespace hyseq::cli
