#include "results/ablation.hpp"

#include <algorithm>

#include "results/figures/plotting.hpp"
#include "results/number_words.hpp"

namespace hyseq::results {
namespace {

std::vector<double> accuracies(const AccuracyPoint& point) {
  std::vector<double> values;
  for (const Counts& counts : point.seeds) values.push_back(counts.accuracy());
  return values;
}

std::string name_of(const Ablation& ablation) {
  return ablation.scale == "published" ? ablation.figure : ablation.figure + "-" + ablation.scale;
}

nlohmann::ordered_json variant_json(const Ablation& ablation, const AblatedModel& model, const Variant& variant) {
  nlohmann::ordered_json json{{"layers", model.layers}, {"name", variant.name}};
  json["width"] = variant.runs.width;
  json["parameters"] = variant.runs.parameters;
  json["learning_rate"] = variant.runs.learning_rate > 0 ? nlohmann::ordered_json(variant.runs.learning_rate)
                                                         : nlohmann::ordered_json(nullptr);
  if (!(variant.runs.learning_rate > 0)) json["learning_rate_reason"] = "its calibration is not finished";
  add_summary(json, variant.runs);
  json["change"] = nullptr;
  if (const auto change = change_of(ablation, model, variant))
    json["change"] = {{"mean", change->mean}, {"interval", {change->interval.low, change->interval.high}}};
  else
    json["change_reason"] = "no run of it, or of the first variant, is finished";
  return json;
}

}  // namespace

std::int64_t Ablation::missing() const {
  std::int64_t runs = 0;
  for (const AblatedModel& model : models)
    for (const Variant& variant : model.variants) runs += variant.runs.missing;
  return runs;
}

std::optional<MeanChange> change_of(const Ablation& ablation, const AblatedModel& model, const Variant& variant) {
  const std::vector<double> first = accuracies(model.variants.front().runs), own = accuracies(variant.runs);
  if (first.empty() || own.empty()) return std::nullopt;
  return MeanChange{mean_of(own) - mean_of(first),
                    difference_interval(model.layers + " " + variant.name, own, first, ablation.bootstrap)};
}

DistributionPlot plot_of(const Ablation& ablation) {
  DistributionPlot plot;
  plot.name = name_of(ablation);
  plot.title = ablation.title;
  if (ablation.scale != "published") plot.title += " (" + ablation.scale + " scale)";
  for (const AblatedModel& model : ablation.models) {
    DistributionPanel panel{model_words(model), model.layers, {}};
    for (const Variant& variant : model.variants) panel.groups.push_back({variant.name, variant.runs.seeds});
    plot.panels.push_back(std::move(panel));
  }
  plot.note = "Every variant has its own learning rate, chosen on other seeds, unless the rate is what varies.";
  return plot;
}

TextTable variants_table(const Ablation& ablation, const AblatedModel& model) {
  TextTable rows{
      {"variant", "rate", "seeds", "mean", "10% to 90%", "median", "least", "greatest", "change", "interval"}};
  for (const Variant& variant : model.variants) {
    const AccuracyPoint& point = variant.runs;
    std::vector<std::string> row{variant.name, point.learning_rate > 0 ? short_number(point.learning_rate) : "-",
                                 std::to_string(point.seeds.size())};
    if (point.seeds.empty()) {
      row.insert(row.end(), {"-", "-", "-", "-", "-"});
    } else {
      const Summary summary = summarise(point.seeds);
      row.insert(row.end(), {fixed(summary.mean, 4), fixed(summary.band.low, 3) + "-" + fixed(summary.band.high, 3),
                             fixed(summary.median, 4), fixed(summary.least, 4), fixed(summary.greatest, 4)});
    }
    const auto change = &variant == &model.variants.front() ? std::nullopt : change_of(ablation, model, variant);
    row.push_back(change ? signed_fixed(change->mean, 3) : "");
    row.push_back(change ? signed_fixed(change->interval.low, 3) + " to " + signed_fixed(change->interval.high, 3)
                         : "");
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string model_words(const AblatedModel& model) {
  return model.layers + ", " + readable(static_cast<double>(model.parameters)) + " parameters";
}

nlohmann::ordered_json to_json(const Ablation& ablation) {
  nlohmann::ordered_json json{{"figure", ablation.figure}, {"scale", ablation.scale}, {"title", ablation.title}};
  json["complete"] = ablation.missing() == 0;
  json["missing_runs"] = ablation.missing();
  json["interval_of_points"] = "10% and 90% quantile of the seeds";
  json["interval_of_changes"] = "bootstrap over the seeds of both variants";
  json["confidence"] = ablation.bootstrap.confidence;
  json["resamples"] = ablation.bootstrap.resamples;
  json["variants"] = nlohmann::ordered_json::array();
  for (const AblatedModel& model : ablation.models)
    for (const Variant& variant : model.variants) json["variants"].push_back(variant_json(ablation, model, variant));
  return strict(json);
}

}  // namespace hyseq::results
