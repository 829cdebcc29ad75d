#include "results/learned.hpp"

#include <algorithm>

namespace hyseq::results {
namespace {

bool finished(const AccuracyPoint& point) { return !point.seeds.empty(); }

bool any_finished(const Reproduction& reproduction) {
  return std::ranges::any_of(reproduction.runs.series,
                             [](const auto& series) { return std::ranges::any_of(series.points, finished); }) ||
         std::ranges::any_of(reproduction.runs.controls, [](const auto& control) { return finished(control.runs); });
}

/// First variants do not count: other figures share their runs, and alone they say nothing about a detail.
bool any_finished(const Ablation& ablation) {
  return std::ranges::any_of(ablation.models, [](const AblatedModel& model) {
    return std::any_of(model.variants.begin() + 1, model.variants.end(),
                       [](const Variant& variant) { return finished(variant.runs); });
  });
}

Figure draw(const Reproduction& reproduction) { return accuracy_figure(plot_of(reproduction)); }
Figure draw(const Ablation& ablation) { return distribution_figure(plot_of(ablation)); }

}  // namespace

std::string name_of(const Learned& learned) {
  return std::visit([](const auto& each) { return plot_of(each).name; }, learned);
}

Figure figure_of(const Learned& learned) {
  return std::visit([](const auto& each) { return draw(each); }, learned);
}

nlohmann::ordered_json json_of(const Learned& learned) {
  return std::visit([](const auto& each) { return to_json(each); }, learned);
}

bool has_runs(const Learned& learned) {
  return std::visit([](const auto& each) { return any_finished(each); }, learned);
}

}  // namespace hyseq::results
