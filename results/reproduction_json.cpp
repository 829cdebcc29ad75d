#include "results/figures/plotting.hpp"
#include "results/number_words.hpp"
#include "results/reproduction.hpp"
#include "results/reproduction_words.hpp"

namespace hyseq::results {
namespace {

using OrderedJson = nlohmann::ordered_json;

template <class T>
OrderedJson or_null(const std::optional<T>& value) {
  return value ? OrderedJson(*value) : OrderedJson(nullptr);
}

/// 0 stands for "no lower bound", infinity for "no upper bound"; JSON has neither.
OrderedJson bounds_json(const Bounds& bounds) {
  OrderedJson json = OrderedJson::array({nullptr, nullptr});
  if (bounds.low > 0) json[0] = bounds.low;
  if (bounds.bounded_above()) json[1] = bounds.high;
  return json;
}

OrderedJson point_json(const Reproduction& reproduction, const AccuracySeries& series, const AccuracyPoint& point) {
  OrderedJson json{{"layers", series.layers}};
  if (!series.label.empty() && series.label != series.layers) json["label"] = series.label;
  json["width"] = point.width;
  json["parameters"] = point.parameters;
  json["learning_rate"] = point.learning_rate > 0 ? OrderedJson(point.learning_rate) : OrderedJson(nullptr);
  if (!(point.learning_rate > 0)) json["learning_rate_reason"] = "its calibration is not finished";
  if (!point.setting.empty()) json["setting"] = point.setting;
  add_summary(json, point);
  json["published"] = OrderedJson::array();
  for (const PublishedAccuracy& value : published_beside(reproduction.reference.published, series, point))
    json["published"].push_back({{"parameters", value.parameters}, {"accuracy", value.accuracy}});
  json["audit"] = or_null(audit_of(reproduction.reference, series.layers, point.parameters));
  return json;
}

OrderedJson reach_json(const Reproduction& reproduction, const FamilyReach& family) {
  const FirstReach& reach = family.reach;
  OrderedJson json{{"layers", family.layers}};
  if (family.label != family.layers) json["label"] = family.label;
  json["parameters"] = or_null(reach.parameters);
  if (!reach.parameters)
    json["reason"] =
        reach.largest_tried > 0 ? "no size up to the largest one trained reaches it" : "no run is finished";
  json["interval"] = OrderedJson::array({or_null(reach.low), or_null(reach.high)});
  if (!reach.low || !reach.high) json["interval_reason"] = "null stands for a size beyond the largest one trained";
  json["confidence"] = reproduction.bootstrap.confidence;
  json["resamples"] = reproduction.bootstrap.resamples;
  json["resamples_never_reaching"] = reach.never;
  json["smallest_trained"] = reach.least_tried;
  json["largest_trained"] = reach.largest_tried;
  json["published"] = or_null(family.published);
  json["audit"] = nullptr;
  if (family.audit) {
    json["audit"] = {{"parameters", family.audit->parameters}};
    if (family.audit->accuracy) json["audit"]["accuracy"] = *family.audit->accuracy;
  }
  return json;
}

OrderedJson ratio_json(const FamilyRatio& ratio, double confidence) {
  OrderedJson json{{"layers", ratio.layers}};
  if (ratio.label != ratio.layers) json["label"] = ratio.label;
  json["relative_to"] = "SSM,TF";
  json["ratio"] = ratio.ratio.estimate.exact() ? OrderedJson(ratio.ratio.estimate.low) : OrderedJson(nullptr);
  if (!ratio.ratio.estimate.exact())
    json["reason"] = "known only within its bounds: a family never reaches the threshold";
  json["bounds"] = bounds_json(ratio.ratio.estimate);
  json["interval"] = bounds_json(ratio.ratio.interval);
  json["words"] = ratio_words(ratio.ratio.estimate) + " (" + readable(100 * confidence) + "% interval " +
                  interval_words(ratio.ratio.interval) + ")";
  json["claimed"] = or_null(ratio.claimed);
  json["audit"] = or_null(ratio.audit);
  return json;
}

OrderedJson control_json(const ControlRuns& control, const ControlOutcome& outcome) {
  OrderedJson json{{"name", control.name}, {"layers", control.layers}};
  json["width"] = control.runs.width;
  json["parameters"] = control.runs.parameters;
  add_summary(json, control.runs);
  json["near_chance"] = or_null(outcome.near_chance);
  json["tolerance"] = kControlTolerance;
  return json;
}

OrderedJson published_json(const std::vector<PublishedAccuracy>& values) {
  OrderedJson list = OrderedJson::array();
  for (const PublishedAccuracy& value : values)
    list.push_back({{"layers", value.layers}, {"parameters", value.parameters}, {"accuracy", value.accuracy}});
  return list;
}

}  // namespace

nlohmann::ordered_json to_json(const Reproduction& reproduction) {
  const ReferenceTable& reference = reproduction.reference;
  OrderedJson json{{"figure", reproduction.runs.figure}, {"scale", reproduction.runs.scale}};
  json["title"] = reproduction.runs.title;
  json["threshold"] = reference.threshold;
  json["chance"] = or_null(reproduction.runs.chance);
  json["complete"] = reproduction.missing == 0;
  json["missing_runs"] = reproduction.missing;
  json["interval_of_points"] = "10% and 90% quantile of the seeds";
  json["interval_of_sizes"] = "bootstrap over the seeds of every point";
  if (!reproduction.runs.ceilings.empty()) {
    json["ceilings"] = OrderedJson::array();
    for (const Ceiling& ceiling : reproduction.runs.ceilings)
      json["ceilings"].push_back(
          {{"layers", ceiling.layers}, {"accuracy", ceiling.accuracy}, {"label", ceiling.label}});
  }
  json["points"] = OrderedJson::array();
  for (const AccuracySeries& series : reproduction.runs.series)
    for (const AccuracyPoint& point : series.points) json["points"].push_back(point_json(reproduction, series, point));
  json["first_reaching"] = OrderedJson::array();
  for (const FamilyReach& family : reproduction.reached)
    json["first_reaching"].push_back(reach_json(reproduction, family));
  json["ratios"] = OrderedJson::array();
  for (const FamilyRatio& ratio : reproduction.ratios)
    json["ratios"].push_back(ratio_json(ratio, reproduction.bootstrap.confidence));
  json["controls"] = OrderedJson::array();
  for (std::size_t i = 0; i < reproduction.controls.size(); ++i)
    json["controls"].push_back(control_json(reproduction.runs.controls[i], reproduction.controls[i]));
  json["published"] = {{"setup", reference.setup}, {"claim", reference.claim}, {"ratio", reference.ratio}};
  json["published"]["values"] = published_json(reference.published);
  json["audit"] = {{"source", reference.audit_source}, {"values", published_json(reference.audit)}};
  json["audit"]["ratio"] = or_null(reference.audit_ratio);
  json["audit"]["random_targets"] = or_null(reference.audit_random_targets);
  return json;
}

}  // namespace hyseq::results
