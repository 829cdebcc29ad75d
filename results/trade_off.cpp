#include "results/trade_off.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "results/figures/plotting.hpp"
#include "results/stored_budgets.hpp"
#include "results/trade_off_panels.hpp"

namespace hyseq::results {
namespace {

/// The setting that most models were trained on; the published one of selective copying, and W = 32, where there is
/// none.
TaskSizes main_setting(const std::vector<TrainedModel>& models, const HybridKind& kind) {
  TaskSizes best = kind.theorem == std::string(kCopyingHybrid.theorem) ? TaskSizes{"selective_copy", 26, 5, 5, 0.2, 100}
                                                                       : TaskSizes{"decode_recall", 32, 0, 0, 0, 100};
  std::size_t most = 0;
  for (const TrainedModel& model : models) {
    if (!belongs(model, kind)) continue;
    const auto same = static_cast<std::size_t>(
        std::ranges::count_if(models, [&](const TrainedModel& other) { return other.sizes == model.sizes; }));
    if (same > most) {
      most = same;
      best = model.sizes;
    }
  }
  return best;
}

/// Of every family the model with the least memory that reaches kReached at exactly these sizes.
std::map<std::string, const TrainedModel*> smallest(const std::vector<TrainedModel>& models, const TaskSizes& sizes) {
  std::map<std::string, const TrainedModel*> least;
  for (const TrainedModel& model : models) {
    if (!(model.sizes == sizes) || model.accuracy() < kReached) continue;
    const auto [entry, fresh] = least.try_emplace(model.layers, &model);
    if (!fresh && model.memory_bits < entry->second->memory_bits) entry->second = &model;
  }
  return least;
}

/// Three digits.
std::string about(double value) {
  const double step = std::pow(10.0, std::max(0.0, std::floor(std::log10(value)) - 2));
  return readable(std::round(value / step) * step);
}

/// Where everything is kept: of the faithful hybrid along N or W, whose states are finitely many, and of the smallest
/// trained models of the main setting.
void add_split(TradeOffTask& task, const std::map<std::string, StoredBudgets>& levels,
               const std::vector<TrainedModel>& models, const HybridKind& kind, const TaskSizes& sizes) {
  const auto faithful = levels.find("faithful");
  if (faithful == levels.end()) return;
  for (const Json& point : faithful->second.along(kind.axis)) {
    const double window = quantity(point, "window"), states = quantity(point, "states");
    const double need = number_or(point, "pure_ssm_bits");
    const std::string label = std::string(kind.symbol) + " = " + readable(size_of(point, kind));
    if (!(window > 0) || !(states > 1) || !(need > 0)) continue;
    task.split.push_back({TradeOffKind::built, label, kind.family, window, std::log2(states)});
    task.split.push_back({TradeOffKind::need, label, "", 0, need});
  }
  for (const Json& point : faithful->second.along("length"))
    if (const double length = number_or(point, "length"), window = number_or(point, "pure_window"); window > 0)
      task.split.push_back({TradeOffKind::windows, "L = " + readable(length), "", window, 0});
  for (const auto& [layers, model] : smallest(models, sizes))
    task.split.push_back({TradeOffKind::smallest, layers, layers, model->window, model->state_bits});
}

/// The largest size of the grid in numbers: how the hybrid stands to either bound.
std::string built_sentence(const std::map<std::string, StoredBudgets>& levels, const HybridKind& kind) {
  const auto faithful = levels.find("faithful");
  if (faithful == levels.end()) return {};
  const std::vector<Json> points = faithful->second.along("length");
  if (points.empty()) return {};
  const Json& last = points.back();
  const double held = quantity(last, "working_memory_bits"), need = number_or(last, "pure_ssm_bits");
  const double window = number_or(last, "pure_window"), width = quantity(last, "width");
  if (!(held > 0) || !(need > 0) || !(window > 1)) return {};
  const double pure = 2 * (window - 1) * width * format_bits(faithful->second.certificate->number);
  return std::string("At ") + kind.symbol + " = " + readable(size_of(last, kind)) + " and L = " + readable(window) +
         " the built hybrid holds " + about(pure / held) + " times fewer bits than a pure window of its width, but " +
         about(held / need) + " times more than any model must.";
}

std::string trained_sentence(const std::vector<TrainedModel>& models, const TaskSizes& sizes) {
  std::vector<std::pair<double, std::string>> least;
  for (const auto& [layers, model] : smallest(models, sizes)) least.emplace_back(model->memory_bits, layers);
  std::ranges::sort(least);
  std::string text;
  for (const auto& [bits, layers] : least) text += (text.empty() ? "" : ", ") + layers + " " + readable(bits);
  return text.empty()
             ? text
             : "Least bits with which training reaches a mean accuracy of " + readable(kReached) + ": " + text + ".";
}

TradeOffTask task_of(const std::vector<Certificate>& certificates, const std::vector<TrainedModel>& models,
                     const HybridKind& kind) {
  const std::vector<StoredBudgets> budgets = budgets_of(certificates, kind.theorem);
  const std::map<std::string, StoredBudgets> levels = grids_of(budgets);
  const TaskSizes sizes = main_setting(models, kind);
  TradeOffTask task{kind.title, {}, {}, {}};
  if (budgets.empty() && std::ranges::none_of(models, [&](const auto& model) { return belongs(model, kind); }))
    return task;
  task.panels = {accuracy_panel(budgets, models, kind, sizes), size_panel(levels, models, kind, sizes),
                 length_panel(levels, budgets, models, kind, sizes)};
  std::erase_if(task.panels, [](const TradeOffPanel& panel) {
    return std::ranges::all_of(panel.series, [](const TradeOffSeries& each) { return each.points.empty(); });
  });
  for (const std::string& sentence : {built_sentence(levels, kind), trained_sentence(models, sizes)})
    if (!sentence.empty()) task.sentences.push_back(sentence);
  add_split(task, levels, models, kind, sizes);
  return task;
}

}  // namespace

TradeOffPlot trade_off(const std::vector<Certificate>& certificates, const std::vector<TrainedModel>& models) {
  TradeOffPlot plot;
  for (const HybridKind& kind : {kCopyingHybrid, kRecallHybrid}) {
    TradeOffTask task = task_of(certificates, models, kind);
    if (!task.panels.empty()) plot.tasks.push_back(std::move(task));
    std::map<std::string, double> best;
    for (const TrainedModel& model : models)
      if (belongs(model, kind)) best[model.layers] = std::max(best[model.layers], model.accuracy());
    for (const auto& [layers, accuracy] : best)
      if (std::ranges::find(plot.families, layers) == plot.families.end()) plot.families.push_back(layers);
    for (const auto& [layers, accuracy] : best)
      if (accuracy < kReached) plot.unreached.push_back(layers + " (" + kind.title + ")");
  }
  return plot;
}

}  // namespace hyseq::results