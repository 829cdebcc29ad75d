#include "proofs_check/lower_bounds/t33_checks.hpp"

#include <algorithm>
#include <cmath>

#include "proofs_check/stack_product/product_check.hpp"
#include "results/number_words.hpp"

namespace hyseq::proofs_check {
namespace {

using results::Check;
using results::Json;

}  // namespace

StatelessModel stateless_model(NumberFormat format) {
  constexpr int kLength = 8;
  constexpr int kLetters = 2;
  const Stack stack = stateless_stack(kLetters + kLength);
  StatelessModel model;
  model.questions = kLength;
  model.reachable_states = reachable_states(stack, format);
  model.point = model_point(stack, format, copy_probe(kLetters, kLength, kLetters));
  return model;
}

std::vector<Enumeration> all_enumerations() {
  std::vector<Enumeration> list;
  for (const QueryTable& table :
       {copying_table(2, 1), copying_table(2, 2), copying_table(2, 3), copying_table(3, 1), copying_table(3, 2),
        copying_table(8, 1), inner_products_table(2), inner_products_table(3)}) {
    list.push_back(enumerate_partitions(table));
  }
  struct Listed {
    int letters;
    int length;
    std::uint64_t most_states;
    bool fix_zero;
  };
  for (const Listed& each : {Listed{2, 3, 8, false}, Listed{3, 2, 9, false}, Listed{2, 4, 16, false},
                             Listed{4, 2, 16, false}, Listed{2, 5, 6, true}, Listed{2, 6, 5, true},
                             Listed{2, 7, 4, true}, Listed{2, 8, 3, true}, Listed{3, 3, 5, true}, Listed{3, 4, 4, true},
                             Listed{3, 5, 3, true}, Listed{4, 3, 4, true}, Listed{4, 4, 3, true}}) {
    list.push_back(enumerate_codes(each.letters, each.length, each.most_states, each.fix_zero));
  }
  return list;
}

Check printed_check(const PrintedGrid& grid) {
  Check check;
  check.passed = grid.never_positive();
  check.figures = {{"points", grid.points},
                   {"with_an_injection", grid.counted},
                   {"negative", grid.negative},
                   {"zero", grid.zero},
                   {"positive", grid.positive}};
  if (grid.positive > 0) check.figures["counterexample"] = grid.positive_at;
  check.meaning = "Of " + results::grouped(grid.points) + " sizes (|V|, m, |Y|, q), " + results::grouped(grid.counted) +
                  " admit an injection; there m log|V| - q log|Y| is negative " + results::grouped(grid.negative) +
                  " times, zero " + results::grouped(grid.zero) + " times and positive " +
                  results::grouped(grid.positive) + " times: the printed bound says nothing.";
  return check;
}

Check stateless_check(const std::vector<InjectiveMaps>& maps, const StatelessModel& model) {
  Check check;
  check.passed = model.passed();
  std::uint64_t total = 0;
  std::uint64_t binary = 0;
  check.figures["table"] = Json::array();
  for (const InjectiveMaps& each : maps) {
    check.passed = check.passed && each.passed();
    total += each.maps;
    if (each.answers == 2) binary += each.maps;
    check.figures["table"].push_back({{"inputs", each.inputs},
                                      {"answers", each.answers},
                                      {"queries", each.queries},
                                      {"injective_maps", each.maps},
                                      {"least_right", each.least_right},
                                      {"asked", each.inputs * each.queries}});
  }
  const std::uint64_t asked = model.point.weight * static_cast<std::uint64_t>(model.questions);
  check.figures["model_states"] = model.reachable_states;
  check.figures["model_right"] = model.point.own_right.value_or(0);
  check.figures["model_asked"] = asked;
  check.meaning = "For all " + results::grouped(binary) + " injective maps with two answers (" +
                  results::grouped(total) +
                  " in all) one state is right on at least half of the questions; an SSM layer that never leaves its "
                  "one state, run through the engine, is right on " +
                  results::grouped(model.point.own_right.value_or(0)) + " of " + results::grouped(asked) + ".";
  return check;
}

Check enumeration_check(const std::vector<Enumeration>& enumerations) {
  Check check;
  check.passed = !enumerations.empty();
  std::uint64_t encoders = 0;
  std::uint64_t violations = 0;
  check.figures["series"] = Json::array();
  for (const Enumeration& each : enumerations) {
    encoders += each.encoders;
    violations += each.violations;
    if (!each.counterexample.empty() && !check.figures.contains("counterexample")) {
      check.figures["counterexample"] = each.name + ": " + each.counterexample;
    }
    for (const BestEncoder& best : each.best) {
      const auto asked = static_cast<double>(each.asked());
      check.figures["series"].push_back({{"problem", each.name},
                                         {"method", each.method},
                                         {"values", each.problem.values},
                                         {"length", each.problem.length},
                                         {"queries", each.problem.queries},
                                         {"states", best.states},
                                         {"encoders", best.encoders},
                                         {"errors", best.errors},
                                         {"allowed_from", best.allowed_from},
                                         {"bits_per_position", std::log2(static_cast<double>(best.states)) /
                                                                   static_cast<double>(each.problem.length)},
                                         {"success", 1 - static_cast<double>(best.errors) / asked},
                                         {"success_allowed", 1 - static_cast<double>(best.allowed_from) / asked}});
    }
  }
  check.passed = check.passed && violations == 0 && encoders >= 10000;
  check.figures["encoders"] = encoders;
  check.figures["violations"] = violations;
  check.meaning = "Of " + results::grouped(encoders) + " encoders, all there are up to renaming and translation for " +
                  std::to_string(enumerations.size()) + " problems, " + results::grouped(violations) +
                  " beat the corrected bound, decided in integers.";
  return check;
}

Check optimiser_check(const SearchedPoints& searched) {
  Check check;
  check.figures["series"] = Json::array();
  for (const EncoderPoint& point : searched.points) {
    check.figures["series"].push_back({{"values", point.letters},
                                       {"length", point.length},
                                       {"states", point.states},
                                       {"errors", point.errors},
                                       {"allowed_from", point.allowed_from},
                                       {"spheres_from", point.spheres_from},
                                       {"optimal", point.optimal()},
                                       {"bits_per_position", point.bits_per_position},
                                       {"success", point.success},
                                       {"success_open", point.success_open()},
                                       {"gap_per_position", point.gap_upper}});
  }
  check.figures["curve"] = Json::array();
  for (const int letters : {2, 3, 4}) {
    constexpr int kSteps = 48;
    for (int i = 0; i <= kSteps; ++i) {
      const double bits = std::log2(static_cast<double>(letters)) * i / kSteps;
      check.figures["curve"].push_back(
          {{"values", letters}, {"bits_per_position", bits}, {"success", 1 - error_at_rate(bits, letters)}});
    }
  }
  check.passed = searched.violations == 0 && searched.impossible == 0 && !searched.points.empty();
  check.figures["encoders"] = searched.encoders;
  check.figures["violations"] = searched.violations;
  check.figures["proved_optimal"] = searched.optimal;
  check.figures["compared_with_enumeration"] = searched.compared;
  check.figures["missed_optimum"] = searched.missed;
  check.figures["widest_open"] = searched.widest_open;
  check.figures["widest_open_values"] = searched.widest_at.letters;
  check.figures["widest_open_length"] = searched.widest_at.length;
  check.figures["widest_open_states"] = searched.widest_at.states;
  if (!searched.counterexample.empty()) check.figures["counterexample"] = searched.counterexample;
  check.meaning = "The best codes found at " + std::to_string(searched.points.size()) + " sizes (" +
                  results::grouped(searched.encoders) + " tried): none beats the bound, " +
                  results::grouped(searched.optimal) +
                  " are proved optimal, by counting spheres or by enumeration, and no code could be right more often "
                  "than the one found by "
                  "more than " +
                  results::short_number(100 * searched.widest_open) + "% of the questions.";
  return check;
}

Check tightness_check(const Tightness& result) {
  Check check;
  check.passed = result.passed();
  check.figures["table"] = Json::array();
  std::string falls;
  for (const RateColumn& column : result.columns) {
    for (const EncoderPoint& point : column.by_length) {
      check.figures["table"].push_back({{"rate", column.rate},
                                        {"length", point.length},
                                        {"states", point.states},
                                        {"errors", point.errors},
                                        {"success", point.success},
                                        {"success_curve", 1 - error_at_rate(point.bits_per_position, 2)},
                                        {"gap_per_position", point.gap_upper},
                                        {"optimal", point.optimal()}});
    }
    falls += (falls.empty() ? "" : "; ") + results::short_number(column.rate) + ": " +
             results::short_number(column.at(4)->gap_upper) + ", " + results::short_number(column.at(8)->gap_upper) +
             ", " + results::short_number(column.at(12)->gap_upper);
  }
  check.figures["multiples"] = result.multiples;
  check.figures["multiples_grown"] = result.multiples_grown;
  check.figures["largest_rise"] = result.largest_rise;
  check.figures["largest_rise_length"] = result.largest_rise_at;
  check.figures["largest_rise_rate"] = result.largest_rise_rate;
  check.meaning = "Bits per position above the curve at N = 4, 8, 12 for M = 2, by rate (" + falls +
                  "): the gap falls in every column, and at multiples of N it never grows (" +
                  std::to_string(result.multiples) + " pairs).";
  return check;
}

Check machines_check(const std::vector<MachinePoint>& machines) {
  Check check;
  check.passed = !machines.empty();
  check.figures["series"] = Json::array();
  std::uint64_t violations = 0;
  for (const MachinePoint& point : machines) {
    violations += point.violates ? 1U : 0U;
    Json row{{"machine", point.name},          {"states", point.states},    {"bits", point.bits},
             {"input_bits", point.input_bits}, {"success", point.success},  {"bound_bits", point.bound_bits},
             {"uniform", point.uniform},       {"violates", point.violates}};
    if (point.own_right) row["own_success"] = point.own_success;
    check.figures["series"].push_back(std::move(row));
    if (point.violates && !check.figures.contains("counterexample")) check.figures["counterexample"] = point.name;
  }
  check.passed = check.passed && violations == 0;
  check.figures["machines"] = machines.size();
  check.figures["violations"] = violations;
  check.meaning =
      "SSM stacks read every input through the engine, with what they carry rounded to fewer and fewer bits: of " +
      std::to_string(machines.size()) + " points, by the states left behind and the best decoder of these, " +
      std::to_string(violations) + " lie above the bound.";
  return check;
}

}  // namespace hyseq::proofs_check
