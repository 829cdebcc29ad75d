#include "trainers/sweep/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace hyseq::trainers {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

void add_run(const results::RunRecord& record, ChoiceOutcome& outcome) {
  ++outcome.finished;
  const results::Evaluation* evaluation = held_out(record);
  const bool diverged = record.diverged_at >= 0;
  outcome.diverged += diverged ? 1U : 0U;
  if (diverged || evaluation == nullptr || !std::isfinite(evaluation->loss)) {
    outcome.loss = kInfinite;
    return;
  }
  outcome.accuracy += evaluation->positions.accuracy();
  outcome.loss += evaluation->loss;
}

}  // namespace

const results::Evaluation* held_out(const results::RunRecord& record) {
  if (const results::Evaluation* last = results::find_evaluation(record, "final")) return last;
  return record.evaluations.empty() ? nullptr : &record.evaluations.back();
}

std::vector<ChoiceOutcome> calibration_table(const Point& point, const results::RunStore& store) {
  std::vector<ChoiceOutcome> table;
  for (const Choice& choice : point.choices()) {
    ChoiceOutcome outcome;
    outcome.choice = choice;
    for (const std::uint64_t seed : point.calibration_seeds) {
      outcome.ids.push_back(identity(point.calibration(choice, seed)));
      if (store.contains(outcome.ids.back())) add_run(store.load(outcome.ids.back()), outcome);
    }
    if (outcome.finished > 0) {
      outcome.accuracy /= static_cast<double>(outcome.finished);
      outcome.loss /= static_cast<double>(outcome.finished);
    }
    table.push_back(std::move(outcome));
  }
  return table;
}

std::optional<Choice> chosen(const Point& point, const std::vector<ChoiceOutcome>& table) {
  if (point.rates.empty()) return point.uncalibrated();
  if (std::ranges::any_of(table, [](const ChoiceOutcome& outcome) { return outcome.finished < outcome.ids.size(); }))
    return std::nullopt;
  return std::ranges::min_element(table, {},
                                  [](const ChoiceOutcome& outcome) {
                                    return std::tuple(-outcome.accuracy, outcome.loss, outcome.choice.rate,
                                                      outcome.choice.setting);
                                  })
      ->choice;
}

}  // namespace hyseq::trainers
