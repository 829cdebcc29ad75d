// The panels of the trade-off: one task's working memory against accuracy, N or W, and L.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "results/stored_budgets.hpp"
#include "results/trade_off.hpp"

namespace hyseq::results {

/// Whether the model was trained on the theorem's task.
[[nodiscard]] bool belongs(const TrainedModel& model, const HybridKind& kind);

/// `sizes` is the setting whose models the panel shows.
[[nodiscard]] TradeOffPanel accuracy_panel(const std::vector<StoredBudgets>& budgets,
                                           const std::vector<TrainedModel>& models, const HybridKind& kind,
                                           const TaskSizes& sizes);

/// Against N or W along the grids of `levels`, with trained models of the length and the values of `sizes` (of recall,
/// of all lengths).
[[nodiscard]] TradeOffPanel size_panel(const std::map<std::string, StoredBudgets>& levels,
                                       const std::vector<TrainedModel>& models, const HybridKind& kind,
                                       const TaskSizes& sizes);

/// Against L. The streaming level, which knows no length, is a level line from whichever of `all` has the grid's sizes.
/// Trained models are those of the setting that was trained at the most lengths; of `sizes` where none has more.
[[nodiscard]] TradeOffPanel length_panel(const std::map<std::string, StoredBudgets>& levels,
                                         const std::vector<StoredBudgets>& all, const std::vector<TrainedModel>& models,
                                         const HybridKind& kind, const TaskSizes& sizes);

}  // namespace hyseq::results
