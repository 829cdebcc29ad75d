// Which learning rate (and which of several settings) a point takes, from the stored runs of its calibration.
//
// Rule: the best held-out accuracy, as the mean over the calibration seeds; among equals the lowest held-out loss, then
// the smaller rate, then the setting that comes first. A run that diverged counts as accuracy 0 and an infinite loss.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "results/run_record.hpp"
#include "results/run_store.hpp"
#include "trainers/sweep/preset.hpp"

namespace hyseq::trainers {

/// One learning rate of one setting in a calibration.
struct ChoiceOutcome {
  Choice choice;
  std::vector<std::string> ids;  // of its runs, in the order of the calibration seeds
  std::size_t finished = 0;      // of them in the store
  std::size_t diverged = 0;      // of the finished ones
  double accuracy = 0;           // mean over the finished runs, recomputed from their counts
  double loss = 0;               // likewise; infinite where one diverged
};

/// The evaluation that stands for a run's outcome: the one called "final", else its last one; nullptr without any.
[[nodiscard]] const results::Evaluation* held_out(const results::RunRecord& record);

/// In the order of Point::choices; empty where the point is not calibrated.
[[nodiscard]] std::vector<ChoiceOutcome> calibration_table(const Point& point, const results::RunStore& store);

/// The chosen one; nothing where runs are missing. A point without calibration has the rate of its configuration.
[[nodiscard]] std::optional<Choice> chosen(const Point& point, const std::vector<ChoiceOutcome>& table);

}  // namespace hyseq::trainers
