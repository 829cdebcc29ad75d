// Defeating pairs through models, and the controls.
#include <algorithm>
#include <numeric>

#include "models/lowering.hpp"
#include "proofs_check/controls.hpp"
#include "proofs_check/receptive_field/checks.hpp"
#include "proofs_check/receptive_field/defeating_pair.hpp"
#include "proofs_check/receptive_field/edge_reader.hpp"
#include "proofs_check/residual_classes/counting.hpp"
#include "proofs_check/residual_classes/selective_copy_classes.hpp"

namespace hyseq::proofs_check {
namespace {

using results::Check;
using results::Json;

constexpr std::size_t kMostLayers = 4;
constexpr std::size_t kLongest = 24;

struct PairCase {
  std::string task;
  std::int32_t vocabulary;
  DefeatingPair pair;
  Labeller labeller;
};

std::vector<PairCase> pair_cases() {
  std::vector<PairCase> cases;
  const tasks::SelectiveCopyShape theorem{3, 0, 4};
  const tasks::SelectiveCopyShape plain{3, 1, 4};
  for (std::size_t length = 5; length <= kLongest; ++length) {
    for (const auto& shape : {theorem, plain}) {
      cases.push_back({"selective_copy, distances from " + std::to_string(shape.distance_min), 7,
                       selective_copy_pair(shape, length), copy_labeller(shape)});
    }
    cases.push_back({"decode_recall", 6, decode_recall_pair(2, length), decode_recall_labeller(2)});
    cases.push_back({"decode_recall_last", 6, decode_recall_last_pair(2, length), decode_recall_last_labeller(2)});
  }
  return cases;
}

/// Both inputs of a pair through one model.
struct Outcome {
  bool equal = false;  // last logits, bitwise
  bool right = false;  // both answers
};

Outcome outcome(const RandomModel& model, const PairCase& each) {
  const auto vocabulary = static_cast<std::size_t>(each.vocabulary);
  const auto run = [&](const std::vector<std::int32_t>& input) {
    return sequence_logits(kernels::reference_engine(), NumberFormat::float64, model.program, model.values, input);
  };
  const std::vector<double> first = run(each.pair.first);
  const std::vector<double> second = run(each.pair.second);
  const std::size_t length = each.pair.first.size();
  return {same_rows(first, second, vocabulary, length - 1, length),
          last_answer(first, each.vocabulary) == each.pair.first_answer &&
              last_answer(second, each.vocabulary) == each.pair.second_answer};
}

/// A random model of the task's vocabulary whose windows are those given.
RandomModel random_with_windows(const PairCase& each, const std::vector<int>& windows, std::uint64_t seed,
                                std::uint64_t index) {
  RandomModel model = random_transformer(seed, index);
  const models::Block block = model.architecture.layers.front();
  model.architecture.layers.assign(windows.size(), block);
  for (std::size_t i = 0; i < windows.size(); ++i) {
    std::get<models::TransformerBlock>(model.architecture.layers[i]).window = windows[i];
  }
  model.architecture.vocabulary = each.vocabulary;
  model.program = models::lower(model.architecture);
  RandomStream stream({seed, Purpose::verification}, (std::uint64_t{3} << 40) + index);
  model.values = unit_weights(model.program, stream);
  return model;
}

ProbeFindings probe_claim(const RandomModel& model, const kernels::Program& program, std::uint64_t claimed) {
  ProbeRequest request;
  request.engine = &kernels::reference_engine();
  request.claimed = claimed;
  return probe(program, model.values, request);
}

/// The program with one more position in the mask of its last attention.
kernels::Program leaking(kernels::Program program, int more) {
  for (auto operation = program.forward.rbegin(); operation != program.forward.rend(); ++operation) {
    auto* attention = std::get_if<kernels::WindowAttention>(&*operation);
    if (attention == nullptr) continue;
    attention->window += more;
    program.carries[static_cast<std::size_t>(attention->carry)].depth += more;
    break;
  }
  return program;
}

Control field_control(const std::string& name, const std::string& expected, const ProbeFindings& findings) {
  Control control;
  control.name = name;
  control.expected = expected;
  if (!findings.outside_equal) control.caught_by = "outside";
  if (!findings.edge_seen) control.caught_by += control.caught_by.empty() ? "edge" : ", edge";
  control.caught = expected == "nothing" ? findings.sharp() : control.caught_by.find(expected) != std::string::npos;
  control.counterexample = findings.counterexample;
  if (control.counterexample.empty() && !findings.edge_seen) {
    control.counterexample =
        "the first token of the claimed field showed in none of " + std::to_string(findings.contexts) + " contexts";
  }
  return control;
}

}  // namespace

Check pairs_check(const ReceptiveFieldRequest& request) {
  Check check;
  check.passed = true;
  std::size_t models = 0;
  std::size_t allowed_own_counted = 0;
  std::size_t allowed_own_left_out = 0;
  Json table = Json::array();
  const auto fail = [&](const PairCase& each, std::size_t layers, const char* why) {
    check.passed = false;
    check.figures["counterexample"] = each.task + ", length " + std::to_string(each.pair.first.size()) + ", " +
                                      std::to_string(layers) + " layers: " + why;
  };
  std::uint64_t index = 0;
  for (const PairCase& each : pair_cases()) {
    if (!defeats(each.pair, each.labeller)) fail(each, 0, "the labeller gives other answers");
    const std::size_t shared = each.pair.shared;
    for (std::size_t layers = 1; layers <= kMostLayers; ++layers, ++index) {
      RandomStream stream({request.seed, Purpose::verification}, (std::uint64_t{4} << 40) + index);
      const std::vector<int> short_of_one = split_windows(shared - 1, layers, stream);
      std::vector<int> enough = short_of_one;
      ++enough[stream.below(static_cast<std::uint32_t>(layers))];
      const Outcome defeated = outcome(random_with_windows(each, short_of_one, request.seed, index), each);
      const Outcome defeated_reader = outcome(edge_reader(each.pair, each.vocabulary, short_of_one), each);
      const Outcome reader = outcome(edge_reader(each.pair, each.vocabulary, enough), each);
      models += 3;
      if (!defeated.equal || !defeated_reader.equal) fail(each, layers, "one token short and still told apart");
      if (defeated.right || defeated_reader.right) fail(each, layers, "one token short and right on both");
      if (!reader.right) fail(each, layers, "wide enough and not right on both");
      // Does the printed sum W_i >= R allow the defeated model?
      const auto own_counted = static_cast<std::size_t>(std::accumulate(short_of_one.begin(), short_of_one.end(), 0));
      const std::size_t own_left_out = own_counted - layers;
      allowed_own_counted += own_counted >= shared ? 1U : 0U;
      allowed_own_left_out += own_left_out >= shared ? 1U : 0U;
      if (each.pair.first.size() != 8 && each.pair.first.size() != kLongest) continue;
      table.push_back({{"task", each.task},
                       {"length", each.pair.first.size()},
                       {"layers", layers},
                       {"shared", shared},
                       {"printed_total_window", shared},
                       {"needed_own_position_not_counted", shared},
                       {"needed_own_position_counted", shared + layers},
                       {"defeated_total_own_position_counted", own_counted}});
    }
  }
  check.figures["models"] = models;
  check.figures["defeated_but_allowed_as_printed_own_position_counted"] = allowed_own_counted;
  check.figures["defeated_but_allowed_as_printed_own_position_not_counted"] = allowed_own_left_out;
  check.figures["table"] = std::move(table);
  check.meaning =
      "Pairs that share R tokens, 1 to 4 layers: with sum (W_i - 1) = R - 1 the logits are bitwise equal on both "
      "inputs, "
      "so at most one is right, and with R a written-out model is right on both. Where a window counts only earlier "
      "positions this is the printed sum W_i >= R exactly; where it counts its own, the print is true and k too low.";
  return check;
}

Check field_controls_check(const ReceptiveFieldRequest& request) {
  std::vector<Control> controls;
  // A model of two layers or more whose windows all look back.
  RandomModel model = random_with_windows({"", 6, {}, {}}, {3, 5, 2}, request.seed, 0);
  const ReceptiveField field = receptive_field(model.architecture);
  controls.push_back(field_control("no fault (must pass)", "nothing", probe_claim(model, model.program, field.tokens)));
  controls.push_back(
      field_control("a claim one token too small", "outside", probe_claim(model, model.program, field.tokens - 1)));
  controls.push_back(
      field_control("a claim one token too large", "edge", probe_claim(model, model.program, field.tokens + 1)));
  controls.push_back(field_control("the sum of the windows as the field", "edge",
                                   probe_claim(model, model.program, field.total_window)));
  controls.push_back(field_control("a mask that leaks one token", "outside",
                                   probe_claim(model, leaking(model.program, 1), field.tokens)));
  controls.push_back(field_control("a mask that hides one token", "edge",
                                   probe_claim(model, leaking(model.program, -1), field.tokens)));
  RandomModel recurrent = random_hybrid(request.seed, 0);
  controls.push_back(
      field_control("a recurrent layer taken for none", "outside",
                    probe_claim(recurrent, recurrent.program, receptive_field(recurrent.architecture).tokens)));
  return planted_check(controls);
}

}  // namespace hyseq::proofs_check
