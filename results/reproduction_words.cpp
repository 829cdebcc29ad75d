#include "results/reproduction_words.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "results/figures/plotting.hpp"
#include "results/number_words.hpp"

namespace hyseq::results {
namespace {

std::string whole(std::int64_t value) { return readable(static_cast<double>(value)); }

std::string published_text(const Reproduction& reproduction, const AccuracySeries& series, const AccuracyPoint& point) {
  std::string text;
  for (const PublishedAccuracy& value : published_beside(reproduction.reference.published, series, point))
    text += (text.empty() ? "" : "; ") + fixed(value.accuracy, 3) + " at " + whole(value.parameters);
  return text;
}

/// Whether a calibration took anything but the points as they stand.
bool chooses_settings(const Reproduction& reproduction) {
  return std::ranges::any_of(reproduction.runs.series, [](const AccuracySeries& series) {
    return std::ranges::any_of(series.points, [](const AccuracyPoint& point) { return !point.setting.empty(); });
  });
}

}  // namespace

TextTable points_table(const Reproduction& reproduction) {
  TextTable rows{
      {"layers", "width", "parameters", "rate", "seeds", "mean", "10% to 90%", "median", "published", "audit"}};
  const bool settings = chooses_settings(reproduction);
  if (settings) rows.front().insert(rows.front().begin() + 4, "setting");
  for (const AccuracySeries& series : reproduction.runs.series)
    for (const AccuracyPoint& point : series.points) {
      std::vector<std::string> row{
          series.label.empty() ? series.layers : series.label, std::to_string(point.width), whole(point.parameters),
          point.learning_rate > 0 ? short_number(point.learning_rate) : "-", std::to_string(point.seeds.size())};
      if (settings) row.insert(row.begin() + 4, point.setting.empty() ? "published" : point.setting);
      if (point.seeds.empty()) {
        row.insert(row.end(), {"-", "-", "-"});
      } else {
        const Summary summary = summarise(point.seeds);
        row.insert(row.end(), {fixed(summary.mean, 4), fixed(summary.band.low, 3) + "-" + fixed(summary.band.high, 3),
                               fixed(summary.median, 4)});
      }
      row.push_back(published_text(reproduction, series, point));
      const auto audit = audit_of(reproduction.reference, series.layers, point.parameters);
      row.push_back(audit ? fixed(*audit, 4) : "");
      rows.push_back(std::move(row));
    }
  return rows;
}

TextTable sizes_table(const Reproduction& reproduction) {
  TextTable rows{{"layers", "first size", "interval", "published", "audit"}};
  for (const FamilyReach& family : reproduction.reached)
    rows.push_back({family.label, reach_words(family.reach), reach_interval_words(family.reach),
                    family.published ? whole(*family.published) : "-",
                    family.audit ? whole(family.audit->parameters) : "-"});
  return rows;
}

TextTable ratios_table(const Reproduction& reproduction) {
  TextTable rows{{"layers", "ratio", "interval", "claimed", "audit"}};
  for (const FamilyRatio& ratio : reproduction.ratios)
    rows.push_back({ratio.label, ratio_words(ratio.ratio.estimate), interval_words(ratio.ratio.interval),
                    ratio.claimed ? short_number(*ratio.claimed) : "-",
                    ratio.audit ? short_number(*ratio.audit) : "-"});
  return rows;
}

std::vector<std::string> control_sentences(const Reproduction& reproduction) {
  std::vector<std::string> sentences;
  for (std::size_t i = 0; i < reproduction.controls.size(); ++i) {
    const ControlRuns& control = reproduction.runs.controls[i];
    const ControlOutcome& outcome = reproduction.controls[i];
    std::string text = "Control, " + control.name + ", " + control.layers + " with " + whole(control.runs.parameters) +
                       " parameters: ";
    if (outcome.counts.valid == 0) {
      sentences.push_back(text + "no finished run.");
      continue;
    }
    text += "accuracy " + fixed(outcome.counts.accuracy(), 4) + " over " + std::to_string(control.runs.seeds.size()) +
            (control.runs.seeds.size() == 1 ? " seed" : " seeds");
    if (outcome.near_chance)
      text += ", chance " + fixed(*reproduction.runs.chance, 4) +
              (*outcome.near_chance ? ": near chance, as it must be" : ": NOT near chance, so something is wrong");
    if (reproduction.reference.audit_random_targets)
      text += " (audit: " + fixed(*reproduction.reference.audit_random_targets, 4) + ")";
    sentences.push_back(text + ".");
  }
  return sentences;
}

std::string ratio_words(const Bounds& bounds) {
  if (bounds.exact()) return short_number(bounds.low);
  if (bounds.low <= 0) return bounds.bounded_above() ? "at most " + short_number(bounds.high) : "unknown";
  if (!bounds.bounded_above()) return "at least " + short_number(bounds.low);
  return "between " + short_number(bounds.low) + " and " + short_number(bounds.high);
}

std::string interval_words(const Bounds& bounds) {
  if (bounds.low <= 0 && !bounds.bounded_above()) return "unknown";
  if (!bounds.bounded_above()) return short_number(bounds.low) + " or more";
  if (bounds.low <= 0) return short_number(bounds.high) + " or less";
  return short_number(bounds.low) + " to " + short_number(bounds.high);
}

std::string reach_words(const FirstReach& reach) {
  if (reach.largest_tried == 0) return "not trained";
  return reach.parameters ? whole(*reach.parameters) : "none up to " + whole(reach.largest_tried);
}

std::string reach_interval_words(const FirstReach& reach) {
  if (reach.largest_tried == 0) return "not trained";
  const std::string beyond = "more than " + whole(reach.largest_tried);
  if (!reach.low) return beyond;
  if (!reach.high) return whole(*reach.low) + " or " + beyond;
  if (*reach.low == *reach.high) return whole(*reach.low);
  return whole(*reach.low) + " to " + whole(*reach.high);
}

}  // namespace hyseq::results
