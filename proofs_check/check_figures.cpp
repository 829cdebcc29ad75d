#include "proofs_check/check_figures.hpp"

#include <algorithm>
#include <cmath>

#include "results/number_words.hpp"

namespace hyseq::proofs_check {
namespace {

using results::Check;
using results::Json;

const Check* find(const results::Certificate& certificate, const std::string& name) {
  const auto& checks = certificate.checks;
  const auto found = std::find_if(checks.begin(), checks.end(), [&](const Check& check) { return check.name == name; });
  return found == checks.end() ? nullptr : &*found;
}

void put(Json& json, const std::string& name, const Bounded& quantity) {
  json[name] = quantity.value;
  json[name + "_bound"] = quantity.bound;
}

Json to_json(const Budget& budget) {
  Json json;
  json["axis"] = budget.axis;
  if (budget.vocabulary > 0) json["vocabulary"] = budget.vocabulary;
  if (budget.distances > 0) json["distances"] = budget.distances;
  if (budget.bits > 0) json["bits"] = budget.bits;
  if (budget.length > 0) json["length"] = budget.length;
  put(json, "width", budget.width);
  put(json, "nonzero_parameters", budget.nonzero_parameters);
  put(json, "states", budget.states);
  put(json, "window", budget.window);
  put(json, "working_memory_bits", budget.working_memory_bits);
  json["pure_ssm_bits"] = budget.pure_ssm_bits;
  if (budget.pure_window > 0) json["pure_window"] = budget.pure_window;
  json["instantiated"] = budget.instantiated;
  return json;
}

}  // namespace

Check domain_check(const DomainResult& result, std::size_t length, const std::vector<std::string>& token_labels) {
  Check check;
  check.passed = result.all_correct();
  const std::uint64_t sequences = result.defined + result.undefined;
  check.figures["length"] = length;
  check.figures["sequences"] = sequences;
  check.figures["defined"] = result.defined;
  check.figures["undefined"] = result.undefined;
  check.figures["correct"] = result.correct;
  if (result.prefixes_defined > 0) {
    check.figures["prefixes_defined"] = result.prefixes_defined;
    check.figures["prefixes_correct"] = result.prefixes_correct;
  }
  check.figures["core_seconds"] = result.core_seconds;
  check.figures["sequences_per_core_second"] = static_cast<double>(sequences) / std::max(1e-9, result.core_seconds);
  if (result.counterexample) check.figures["counterexample"] = result.counterexample->text(token_labels);
  check.meaning = "Every one of the " + results::grouped(sequences) + " sequences of length " + std::to_string(length) +
                  " went through the weights: " + results::grouped(result.correct) + " of " +
                  results::grouped(result.defined) + " with an answer were right, " +
                  results::grouped(result.undefined) + " have none.";
  return check;
}

Check induction_check(const InductionResult& result, NumberFormat format) {
  Check check;
  check.passed = result.passed();
  check.figures["reachable_states"] = result.reachable_states;
  check.figures["promised_states"] = result.promised_states;
  check.figures["closed"] = result.closed;
  check.figures["transitions_checked"] = result.transitions_checked;
  check.figures["transitions_covered"] = result.transitions_covered;
  check.figures["distinct_token_maps"] = result.distinct_token_maps;
  check.figures["classes"] = result.classes;
  check.figures["rounding"] = "to nearest, ties to even; no fused multiply-add, no flush-to-zero";
  if (result.classes) check.figures["widest_class"] = result.widest_class;
  if (!result.failure.empty()) check.figures["failure"] = result.failure;
  const std::string kind = result.classes ? "classes of states (intervals in " : "states (bit by bit in ";
  const std::string reach =
      result.every_length ? "this holds for every length" : "this holds at every position of the sequence";
  check.meaning = "From the start every token leads among " + results::grouped(result.reachable_states) + " " + kind +
                  std::string(name(format)) + "), " + results::grouped(result.promised_states) +
                  " promised, and the set is " +
                  (result.passed()           ? "closed, so " + reach + "."
                   : !result.failure.empty() ? "not closed as promised: " + result.failure + "."
                                             : std::string("not of the promised size."));
  return check;
}

Check margins_check(const MarginResult& here, const LargestHolding& largest, NumberFormat format,
                    const std::string& unit) {
  Check check;
  check.passed = here.holds;
  Json& figures = check.figures;
  figures["target_mass_lower_bound"] = here.target_mass;
  figures["decoder_gap_lower_bound"] = here.decoder_gap;
  figures["score_gap"] = here.score_gap;
  figures["score_error"] = here.score_error;
  figures["pairs"] = here.pairs;
  if (!here.failing.empty()) figures["failing"] = here.failing;
  Json holding;
  holding[unit] = largest.size;
  holding["at_least"] = largest.at_least;
  holding["predicted"] = largest.predicted;
  figures["largest_holding"] = holding;
  // Sizes N, or W = 2^b.
  const auto size = [&](double x) { return unit == "bits" ? std::exp2(x) : x; };
  const double ratio = size(largest.predicted) / size(largest.size);
  figures["prediction_within_factor_2"] = largest.at_least ? ratio >= 0.5 : ratio >= 0.5 && ratio <= 2;
  Json by_number = holding;
  by_number["number"] = name(format);
  figures["largest_holding_by_number"] = Json::array({by_number});
  figures["series"] = Json::array();
  for (const MarginPoint& point : largest.points) {
    figures["series"].push_back({{"size", point.size},
                                 {"number", name(format)},
                                 {"target_mass", point.margin.target_mass},
                                 {"decoder_gap", point.margin.decoder_gap},
                                 {"holds", point.margin.holds}});
  }
  check.meaning =
      here.holds
          ? "Over all states, windows and phases at least " + results::short_number(100 * here.target_mass, 4) +
                "% of the attention lies on the right position and its logit leads by at least " +
                results::short_number(here.decoder_gap, 4) + ", rounding in " + std::string(name(format)) + " included"
          : "The margin is not shown in " + std::string(name(format)) + ": " + here.failing;
  check.meaning += "; in this format it holds up to " + std::string(largest.at_least ? "at least " : "") +
                   results::grouped(static_cast<std::uint64_t>(largest.size)) + " " + unit + " (predicted: " +
                   (largest.predicted < 1e6 ? results::grouped(static_cast<std::uint64_t>(largest.predicted))
                                            : results::short_number(largest.predicted, 4)) +
                   ").";
  return check;
}

Check streams_check(const std::vector<Stream>& streams, const std::vector<StreamResult>& results,
                    const std::vector<std::string>& token_labels) {
  Check check;
  check.passed = true;
  std::uint64_t defined = 0;
  std::uint64_t correct = 0;
  std::uint64_t positions = 0;
  check.figures["streams"] = Json::array();
  for (std::size_t i = 0; i < streams.size(); ++i) {
    const StreamResult& result = results[i];
    check.passed = check.passed && result.correct == result.defined;
    defined += result.defined;
    correct += result.correct;
    positions += result.positions;
    Json row{{"name", streams[i].name},
             {"length", result.positions},
             {"defined", result.defined},
             {"correct", result.correct}};
    if (result.counterexample) row["counterexample"] = result.counterexample->text(token_labels);
    check.figures["streams"].push_back(row);
  }
  check.passed = check.passed && defined > 0;
  check.figures["positions"] = positions;
  check.figures["defined"] = defined;
  check.figures["correct"] = correct;
  check.meaning = std::to_string(streams.size()) + " random and adversarial streams of " +
                  results::grouped(streams.empty() ? 0 : results[0].positions) +
                  " tokens each: " + results::grouped(correct) + " of " + results::grouped(defined) +
                  " positions with an answer were right.";
  return check;
}

Check sequences_check(const StreamResult& result, std::uint64_t count, std::uint64_t round, std::size_t length,
                      const std::vector<std::string>& token_labels) {
  Check check;
  check.passed = result.all_correct();
  check.figures["sequences"] = count;
  check.figures["length"] = length;
  check.figures["sequences_for_everything_once"] = round;
  check.figures["defined"] = result.defined;
  check.figures["correct"] = result.correct;
  if (result.counterexample) check.figures["counterexample"] = result.counterexample->text(token_labels);
  check.meaning = results::grouped(count) + " sequences of length " + results::grouped(length) +
                  " with every number, token, word and place in turn (once around takes " + results::grouped(round) +
                  ") went through the weights: " + results::grouped(result.correct) + " of " +
                  results::grouped(result.defined) + " with an answer were right.";
  return check;
}

Check budgets_check(const BudgetResult& result) {
  Check check;
  check.passed = result.passed();
  const Json here = to_json(result.here);
  for (const auto& [key, value] : here.items()) {
    if (key != "axis") check.figures[key] = value;
  }
  // Each quantity beside its bound, in the form that the command line fixes.
  for (const char* quantity : {"width", "nonzero_parameters", "states", "window", "working_memory_bits"}) {
    const std::string bound = std::string(quantity) + "_bound";
    check.figures[quantity] = Json{{"value", here[quantity]}, {"bound", here[bound]}};
    check.figures.erase(bound);
  }
  check.figures["grid"] = Json::array();
  for (const Budget& budget : result.grid) check.figures["grid"].push_back(to_json(budget));
  check.figures["growth"] = Json::object();
  for (const auto& [quantity, exponent] : result.growth) check.figures["growth"][quantity] = exponent;
  const auto counted =
      std::count_if(result.grid.begin(), result.grid.end(), [](const Budget& b) { return b.instantiated; });
  check.meaning =
      "Width " + results::short_number(result.here.width.value, 4) + " (at most " +
      results::short_number(result.here.width.bound, 4) + "), " + results::short_number(result.here.states.value, 4) +
      " states (" + results::short_number(result.here.states.bound, 4) + "), window " +
      results::short_number(result.here.window.value, 4) + " (" + results::short_number(result.here.window.bound, 4) +
      "); the same on a grid of " + std::to_string(result.grid.size()) + " sizes, " + std::to_string(counted) +
      " of them with states counted through the weights.";
  return check;
}

Check window_check(const WindowResult& result, int bits, const std::vector<std::string>& token_labels) {
  Check check;
  check.passed = result.passed();
  Json& figures = check.figures;
  const auto exact = [](const ExactSuccess& success) {
    return Json{{"slots", success.slots}, {"fraction", success.fraction}, {"decimal", success.decimal}};
  };
  figures["window_slots"] = result.first.slots;
  figures["success"] = exact(result.first);
  figures["success_one_less"] = exact(result.one_less);
  figures["success_one_more"] = exact(result.one_more);
  figures["attention_window"] = result.attention_window;
  figures["exhaustive"] = result.exhaustive;
  figures["inputs"] = result.inputs;
  figures["present"] = result.present;
  figures["correct"] = result.correct;
  figures["measured_success"] = result.measured;
  figures["standard_error"] = result.standard_error;
  if (result.counterexample) figures["counterexample"] = result.counterexample->text(token_labels);
  figures["table"] = Json::array();
  for (int b = 1; b <= 10; ++b) {
    const int slots = exact_slots(b);
    figures["table"].push_back({{"bits", b},
                                {"window_slots", slots},
                                {"attention_window", slots + b},
                                {"success_one_less", exact_success(b, slots - 1).decimal},
                                {"success", exact_success(b, slots).decimal},
                                {"success_one_more", exact_success(b, slots + 1).decimal}});
  }
  figures["curve"] = Json::array();
  const int reach = std::max(4, result.first.slots / 2);
  const int stride = std::max(1, reach / 20);
  for (int slots = std::max(1, result.first.slots - reach); slots <= result.first.slots + reach; slots += stride) {
    figures["curve"].push_back({{"slots", slots}, {"success", exact_success(bits, slots).decimal}});
  }
  check.meaning = "The query word is among " + std::to_string(result.first.slots) + " uniform words with probability " +
                  results::short_number(result.first.decimal, 4) +
                  ", the first at or above 0.99 (one fewer: " + results::short_number(result.one_less.decimal, 4) +
                  "), so a window of " + std::to_string(result.attention_window) + " suffices; through the weights " +
                  results::grouped(result.correct) + " of " + results::grouped(result.inputs) +
                  (result.exhaustive ? " inputs, all there are, were right." : " inputs were right.");
  return check;
}

Check controls_check(const std::vector<Control>& controls) {
  Check check;
  check.figures["controls"] = Json::array();
  std::size_t caught = 0;
  for (const Control& control : controls) {
    caught += control.caught ? 1U : 0U;
    check.figures["controls"].push_back({{"name", control.name},
                                         {"caught", control.caught},
                                         {"caught_by", control.caught_by},
                                         {"expected", control.expected},
                                         {"counterexample", control.counterexample}});
  }
  check.passed = caught == controls.size() && !controls.empty();
  check.meaning = std::to_string(controls.size() - 1) +
                  " constructions with one deliberate fault each (and one without) went through the checks: " +
                  std::to_string(caught) + " of " + std::to_string(controls.size()) + " were judged as they should be.";
  return check;
}

void judge(results::Certificate& certificate, const std::string& inputs) {
  std::vector<std::string> failed;
  for (const Check& check : certificate.checks) {
    if (!check.passed) failed.push_back(check.name);
  }
  const std::string arithmetic = " in " + certificate.number + " arithmetic";
  if (!failed.empty() || certificate.checks.empty()) {
    certificate.verdict = "not shown";
    certificate.scope = failed.empty() ? "no check applies" : "failed:";
    for (const std::string& name : failed) certificate.scope += " " + name;
    const Check* margin = find(certificate, "margins");
    if (margin != nullptr && margin->figures.contains("failing")) {
      certificate.scope += " (" + margin->figures["failing"].get<std::string>() + ")";
    }
    return;
  }
  certificate.verdict = "certified";
  const Check* domain = find(certificate, "domain");
  // Margins are bounds on the weights' closed form; an end-to-end check ties them to the weights as written.
  const bool end_to_end = domain != nullptr || find(certificate, "streams") != nullptr;
  if (end_to_end && find(certificate, "induction") != nullptr && find(certificate, "margins") != nullptr) {
    certificate.scope = inputs + "," + arithmetic;
  } else if (domain != nullptr) {
    certificate.scope = "the " + results::grouped(domain->figures["sequences"].get<std::uint64_t>()) +
                        " sequences of the domain," + arithmetic;
  } else {
    certificate.scope = "only what was asked for, no set of inputs:";
    for (const Check& check : certificate.checks) certificate.scope += " " + check.name;
    certificate.scope += "," + arithmetic;
  }
}

}  // namespace hyseq::proofs_check
