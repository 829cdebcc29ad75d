#include <algorithm>

#include "proofs_check/lower_bounds/rate.hpp"
#include "proofs_check/lower_bounds/trained_points.hpp"

namespace hyseq::proofs_check {
namespace {

using results::Check;
using results::Json;

constexpr double kFallen = 0.01;  // of the success: what a model may lose and still count as holding on

/// What the bound asks of a machine with the model's own success; a guess needs nothing.
double bound_of(const TrainedSeries& series, double success) {
  const auto letters = static_cast<double>(series.probe.letters);
  return series.probe.length * rate(std::min(1 - success, 1 - 1 / letters), letters);
}

/// The fewest bits a number, from 8 downwards, up to which the success has not fallen; 0 where 8 are too few.
int held_to(const TrainedSeries& series) {
  int held = 0;
  for (std::size_t i = 1; i < series.points.size(); ++i) {
    if (series.points[i].own_success < series.points.front().own_success - kFallen) break;
    held = series.bits[i];
  }
  return held;
}

Json summary(const TrainedSeries& series) {
  const MachinePoint& last = series.points.back();
  return {{"model", series.stack.name},
          {"seeds", series.seeds},
          {"seed", series.seed},
          {"accuracy", series.accuracy},
          {"worst_accuracy", series.worst_accuracy},
          {"success", series.points.front().own_success},
          {"bits_used", series.points.front().bits},
          {"held_to_bits_a_number", held_to(series)},
          {"success_at_fewest_bits", last.own_success},
          {"bits_used_at_fewest_bits", last.bits}};
}

}  // namespace

Check trained_check(const std::vector<TrainedSeries>& series) {
  Check check;
  check.name = "trained";
  check.figures["models"] = Json::array();
  check.figures["series"] = Json::array();
  std::uint64_t points = 0, violations = 0, untaught = 0;
  double least_distance = 0;
  for (const TrainedSeries& each : series) {
    check.figures["models"].push_back(summary(each));
    untaught += each.points.front().own_success * each.probe.letters > 1 ? 0U : 1U;
    for (std::size_t i = 0; i < each.points.size(); ++i) {
      const MachinePoint& point = each.points[i];
      const double distance = point.bits - bound_of(each, point.own_success);
      least_distance = points == 0 ? distance : std::min(least_distance, distance);
      ++points;
      violations += point.violates ? 1U : 0U;
      if (point.violates && !check.figures.contains("counterexample")) check.figures["counterexample"] = point.name;
      check.figures["series"].push_back({{"machine", point.name},
                                         {"model", each.stack.name},
                                         {"values", each.probe.letters},
                                         {"length", each.probe.length},
                                         {"bits_a_number", each.bits[i]},
                                         {"states", point.states},
                                         {"bits", point.bits},
                                         {"input_bits", point.input_bits},
                                         {"success", point.own_success},
                                         {"bits_above_bound", distance},
                                         {"best_success", point.success},
                                         {"best_bound_bits", point.bound_bits},
                                         {"uniform", point.uniform},
                                         {"violates", point.violates}});
    }
  }
  check.passed = points > 0 && violations == 0 && untaught == 0;
  check.figures["points"] = points;
  check.figures["violations"] = violations;
  check.figures["no_better_than_a_guess"] = untaught;
  check.figures["least_bits_above_bound"] = least_distance;
  check.meaning = std::to_string(series.size()) +
                  " SSM stacks trained on selective copying (the best seed of each by held-out accuracy) read every "
                  "input, with what they carry rounded to fewer and fewer bits: of " +
                  std::to_string(points) + " points, even with the best decoder of the states left behind, " +
                  std::to_string(violations) + " lie above the bound; " + std::to_string(untaught) +
                  " of the models are no better than a guess.";
  return check;
}

Control half_states_control(const std::vector<TrainedSeries>& series, NumberFormat format) {
  Control control;
  control.name = "a trained machine that reports half of its states";
  control.expected = "trained";
  const auto best = std::max_element(series.begin(), series.end(), [](const auto& a, const auto& b) {
    return a.points.front().own_success < b.points.front().own_success;
  });
  if (best == series.end()) return control;
  TrainedSeries liar = *best;
  const std::uint64_t states = liar.points.front().states;
  Misreport lie;
  lie.states_hidden = states / 2;
  liar.bits = {0};
  liar.points = {model_point(liar.stack, format, liar.probe, lie)};
  const MachinePoint& point = liar.points.front();
  const bool flagged = trained_check({*best}).passed && !trained_check({liar}).passed && point.violates;
  control.caught = flagged;
  if (flagged) control.caught_by = control.expected;
  control.counterexample = liar.stack.name + ": " + std::to_string(states) + " states reported as " +
                           std::to_string(point.states) + " -> " + std::to_string(point.bits) +
                           " bits, the bound asks for " + std::to_string(point.bound_bits);
  return control;
}

}  // namespace hyseq::proofs_check
