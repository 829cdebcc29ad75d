#include "results/trade_off_panels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "results/figures/plotting.hpp"
#include "results/memory_bounds.hpp"
#include "results/statistics.hpp"

namespace hyseq::results {
namespace {

bool is_copying(const HybridKind& kind) { return kind.theorem == std::string(kCopyingHybrid.theorem); }

/// What the theorem calls N and W: number n of Theorem 4.3 is distance n - 1.
double size_of(const TaskSizes& sizes) {
  return sizes.task == "selective_copy" ? sizes.nearest + sizes.distances : sizes.values;
}
/// Accuracy of a constructed hybrid at exactly these sizes; NaN where the certificate is about others.
double built_accuracy(const StoredBudgets& budgets, const HybridKind& kind, const TaskSizes& sizes) {
  const Json& figures = *budgets.figures;
  if (size_of(figures, kind) != size_of(sizes)) return kMissing;
  // Right on every input: that takes the induction and the margins.
  const bool always = std::ranges::all_of(std::array{"induction", "margins"}, [&](const char* check) {
    const Check* found = find_check(*budgets.certificate, check);
    return found != nullptr && found->passed;
  });
  if (is_copying(kind) && number_or(figures, "vocabulary") - number_or(figures, "distances") != sizes.values)
    return kMissing;
  const Check* window = is_copying(kind) ? nullptr : find_check(*budgets.certificate, "window");
  if (window == nullptr) return always ? 1 : kMissing;
  const auto success = window->figures.find("success");
  return success != window->figures.end() && success->is_object() ? number_or(*success, "decimal") : kMissing;
}

/// Trained models of a setting, a series per family.
void add_trained(TradeOffPanel& panel, const std::vector<TrainedModel>& models, const TaskSizes& sizes) {
  for (const TrainedModel& model : models) {
    if (!(model.sizes == sizes)) continue;
    auto series = std::ranges::find_if(panel.series, [&](const TradeOffSeries& each) {
      return each.kind == TradeOffKind::trained && each.family == model.layers;
    });
    if (series == panel.series.end())
      series = panel.series.insert(series, {TradeOffKind::trained, model.layers, model.layers, {}});
    const Summary summary = summarise(model.seeds);
    series->points.push_back({summary.mean, model.memory_bits, summary.band.low, summary.band.high, 0});
  }
}

/// Per family and size the model with the least memory that reaches kReached, among those that `takes` takes.
template <class X, class Takes>
void add_smallest(TradeOffPanel& panel, const std::vector<TrainedModel>& models, const X& x_of, const Takes& takes) {
  std::map<std::string, std::map<double, double>> least;  // family, x: bits
  for (const TrainedModel& model : models) {
    if (!takes(model) || model.accuracy() < kReached) continue;
    const auto [entry, fresh] = least[model.layers].try_emplace(x_of(model), model.memory_bits);
    if (!fresh) entry->second = std::min(entry->second, model.memory_bits);
  }
  for (const auto& [layers, points] : least) {
    TradeOffSeries series{TradeOffKind::smallest, layers, layers, {}};
    for (const auto& [x, bits] : points) series.points.push_back({x, bits, x, x, 0});
    panel.series.push_back(std::move(series));
  }
}

/// Built hybrids along an axis of the grid with the bounds of pure models beside them.
void add_grid(TradeOffPanel& panel, const std::map<std::string, StoredBudgets>& levels, const HybridKind& kind,
              const std::string& axis) {
  TradeOffSeries need{TradeOffKind::need, "every model needs", "", {}};
  TradeOffSeries windows{TradeOffKind::windows, "pure windows need", "", {}};
  for (const auto& [level, budgets] : levels) {
    TradeOffSeries built{TradeOffKind::built, budgets.label(), kind.family, {}};
    const double bits = format_bits(budgets.certificate->number);
    const bool first_need = need.points.empty(), first_windows = windows.points.empty();
    for (const Json& point : budgets.along(axis)) {
      const double x = axis == "length" ? number_or(point, "length") : size_of(point, kind);
      const double held = quantity(point, "working_memory_bits"), state = number_or(point, "pure_ssm_bits");
      const double window = number_or(point, "pure_window", 0), width = quantity(point, "width");
      if (held > 0) built.points.push_back({x, held, x, x, 0});
      if (first_need && state > 0) need.points.push_back({x, state, x, x, 0});
      // Keys and values of all positions but the token to come.
      if (first_windows && window > 1) {
        const double numbers = 2 * (window - 1);
        windows.points.push_back({x, numbers * bits, x, x, numbers * bits * width});
      }
    }
    if (!built.points.empty()) panel.series.push_back(std::move(built));
  }
  for (TradeOffSeries* bound : {&windows, &need})
    if (!bound->points.empty()) panel.series.insert(panel.series.begin(), std::move(*bound));
}

TaskSizes without_length(TaskSizes sizes) {
  sizes.length = 0;
  return sizes;
}

/// The setting that was trained at the most lengths, without its length; the main one where none has more.
TaskSizes length_setting(const std::vector<TrainedModel>& models, const HybridKind& kind, const TaskSizes& main) {
  const auto lengths = [&](const TaskSizes& sizes) {
    std::set<std::int64_t> all;
    for (const TrainedModel& model : models)
      if (without_length(model.sizes) == sizes) all.insert(model.sizes.length);
    return all.size();
  };
  TaskSizes best = without_length(main);
  for (const TrainedModel& model : models)
    if (belongs(model, kind) && lengths(without_length(model.sizes)) > lengths(best))
      best = without_length(model.sizes);
  return best;
}

}  // namespace

bool belongs(const TrainedModel& model, const HybridKind& kind) {
  return (model.sizes.task == "selective_copy") == is_copying(kind);
}

TradeOffPanel accuracy_panel(const std::vector<StoredBudgets>& budgets, const std::vector<TrainedModel>& models,
                             const HybridKind& kind, const TaskSizes& sizes) {
  TradeOffPanel panel{"accuracy", "", true, {}};
  const bool copying = is_copying(kind);
  panel.setting = copying ? readable(sizes.values) + " values, distances " + readable(sizes.nearest) + " to " +
                                readable(sizes.nearest + sizes.distances - 1) +
                                ", L = " + readable(static_cast<double>(sizes.length))
                          : "W = " + readable(sizes.values) + ", on the hardest contexts";
  TradeOffSeries need{TradeOffKind::need, "every model needs", "", {}};
  for (const NeededBits& each :
       copying ? copying_needs({sizes.values, sizes.nearest, sizes.distances, sizes.number_share, sizes.length})
               : recall_needs(sizes.values))
    if (each.bits > 0) need.points.push_back({each.accuracy, each.bits, 0, 0, 0});
  panel.series.push_back(std::move(need));
  add_trained(panel, models, sizes);
  std::set<std::pair<std::string, double>> seen;
  for (const StoredBudgets& each : budgets) {
    const double accuracy = built_accuracy(each, kind, sizes), bits = quantity(*each.figures, "working_memory_bits");
    if (!(accuracy > 0) || !(bits > 0) || !seen.emplace(each.label(), bits).second) continue;
    panel.series.push_back({TradeOffKind::built, each.label(), kind.family, {{accuracy, bits, accuracy, accuracy, 0}}});
  }
  return panel;
}

TradeOffPanel size_panel(const std::map<std::string, StoredBudgets>& levels, const std::vector<TrainedModel>& models,
                         const HybridKind& kind, const TaskSizes& sizes) {
  TradeOffPanel panel{kind.x_label, "", false, {}};
  add_grid(panel, levels, kind, kind.axis);
  const bool copying = is_copying(kind);
  if (!copying) panel.setting = "L just beyond the hybrid's window";
  for (const auto& [level, budgets] : levels) {
    const std::vector<Json> points = budgets.along(kind.axis);
    if (points.empty() || !copying) continue;
    panel.setting = "|V| = " + readable(number_or(points.front(), "vocabulary"));
    if (const double length = number_or(points.front(), "length"); length > 0)
      panel.setting += ", L = " + readable(length);
    if (level == "faithful") break;
  }
  add_smallest(
      panel, models, [](const TrainedModel& model) { return size_of(model.sizes); },
      [&](const TrainedModel& model) {
        return belongs(model, kind) &&
               (!copying || (model.sizes.length == sizes.length && model.sizes.values == sizes.values));
      });
  return panel;
}

TradeOffPanel length_panel(const std::map<std::string, StoredBudgets>& levels, const std::vector<StoredBudgets>& all,
                           const std::vector<TrainedModel>& models, const HybridKind& kind, const TaskSizes& sizes) {
  TradeOffPanel panel{"length L", "", false, {}};
  add_grid(panel, levels, kind, "length");
  const auto faithful = levels.find("faithful");
  const std::vector<Json> points = faithful == levels.end() ? std::vector<Json>{} : faithful->second.along("length");
  if (!points.empty()) {
    const Json& first = points.front();
    const double vocabulary = number_or(first, "vocabulary"), size = size_of(first, kind);
    panel.setting = std::string(kind.symbol) + " = " + readable(size) + ", |V| = " + readable(vocabulary);
    // The streaming level knows no length: a level line, from a certificate of the same sizes.
    for (const StoredBudgets& each : all) {
      const Json& here = *each.figures;
      if (each.certificate->level == "faithful" || number_or(here, "vocabulary") != vocabulary ||
          size_of(here, kind) != size || each.certificate->number != faithful->second.certificate->number)
        continue;
      const double bits = quantity(here, "working_memory_bits");
      const double low = number_or(first, "length"), high = number_or(points.back(), "length");
      panel.series.push_back(
          {TradeOffKind::built, each.label(), kind.family, {{low, bits, low, low, 0}, {high, bits, high, high, 0}}});
      break;
    }
  }
  const TaskSizes trained = length_setting(models, kind, sizes);
  add_smallest(
      panel, models, [](const TrainedModel& model) { return static_cast<double>(model.sizes.length); },
      [&](const TrainedModel& model) { return belongs(model, kind) && without_length(model.sizes) == trained; });
  if (panel.series.empty() || panel.series.back().kind != TradeOffKind::smallest) return panel;
  if (!is_copying(kind))
    panel.setting += "; trained: W = " + readable(trained.values);
  else if (trained != without_length(sizes))
    panel.setting += "; trained: distances to " + readable(trained.nearest + trained.distances - 1) + ", " +
                     readable(100 * trained.number_share) + "% numbers";
  return panel;
}

}  // namespace hyseq::results
