#include "proofs_check/lower_bounds/t33.hpp"

#include <array>

#include "proofs_check/certificate_draft.hpp"
#include "proofs_check/check_figures.hpp"
#include "proofs_check/lower_bounds/t33_checks.hpp"
#include "proofs_check/lower_bounds/trained_points.hpp"

namespace hyseq::proofs_check {
namespace {

/// Injective maps small enough to be listed: n inputs, |Y| answers, q questions. Where n > |Y|^q there are none.
std::vector<InjectiveMaps> listed_maps() {
  std::vector<InjectiveMaps> list;
  for (const auto& [inputs, answers, queries] : {std::array<std::uint64_t, 3>{2, 2, 1},
                                                 {4, 2, 2},
                                                 {4, 2, 3},
                                                 {8, 2, 3},
                                                 {3, 2, 2},
                                                 {9, 3, 2},
                                                 {4, 2, 1},
                                                 {9, 2, 3}}) {
    list.push_back(injective_maps(inputs, answers, queries));
  }
  return list;
}

/// Random stacks of one and two layers that read six letters, their states rounded to fewer and fewer bits.
std::vector<MachinePoint> machine_points(const LowerBoundRequest& request) {
  constexpr int kLength = 6;
  std::vector<MachinePoint> points;
  for (const int layers : {1, 2}) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      RandomStackSpec spec;
      spec.layers = layers;
      spec.inner_width = 4;
      spec.kernel = seed % 2 == 0 ? 0 : 3;
      spec.tokens = 2 + kLength;
      spec.seed = request.seed * 1000 + seed;
      Stack stack = random_stack(spec);
      stack.name = std::to_string(layers) + (layers == 1 ? " layer" : " layers") + ", kernel " +
                   std::to_string(spec.kernel) + ", seed " + std::to_string(spec.seed);
      const std::vector<MachinePoint> more =
          points_by_bits(stack, request.number, copy_probe(2, kLength, 2), {0, 8, 6, 5, 4, 3, 2});
      points.insert(points.end(), more.begin(), more.end());
    }
  }
  return points;
}

Control control_of(const std::string& name, const std::string& expected, bool flagged,
                   const std::string& counterexample) {
  Control control;
  control.name = name;
  control.expected = expected;
  control.caught = flagged && !counterexample.empty();
  if (flagged) control.caught_by = expected;
  control.counterexample = counterexample;
  return control;
}

Control control_of(const std::string& name, const Enumeration& result) {
  return control_of(name, "enumeration", result.violations > 0, result.name + ": " + result.counterexample);
}

std::string gap_text(const Tightness& result) {
  const RateColumn& column = result.columns[1];
  return "rate 1/2 -> bits above the curve at N = 4, 8, 12: " + std::to_string(column.at(4)->gap_upper) + ", " +
         std::to_string(column.at(8)->gap_upper) + ", " + std::to_string(column.at(12)->gap_upper);
}

}  // namespace

std::vector<Control> lower_bound_controls(NumberFormat format) {
  std::vector<Control> controls;
  const QueryTable copying = copying_table(2, 3);
  const Enumeration honest = enumerate_partitions(copying);
  const StatelessModel model = stateless_model(format);
  Control healthy;
  healthy.name = "no fault (must pass)";
  healthy.expected = "nothing";
  healthy.caught = honest.violations == 0 && model.passed() && printed_grid().never_positive();
  controls.push_back(healthy);

  const PrintedGrid unassumed = printed_grid(false);
  controls.push_back(control_of("the printed bound without its assumption of an injection", "printed",
                                !unassumed.never_positive(), unassumed.positive_at + " -> a positive right side"));

  StatelessModel half_again = model;
  half_again.point.own_right = *model.point.own_right + 1;
  controls.push_back(control_of("one right answer more than the model without state has", "stateless",
                                !half_again.passed(),
                                std::to_string(*half_again.point.own_right) + " right of " +
                                    std::to_string(model.point.weight * 8) + " -> not one half"));

  Misreport lie;
  lie.bound_answers = 2;
  controls.push_back(
      control_of("a bound without the term eps log2(|Y| - 1)", enumerate_partitions(copying_table(3, 2), lie)));
  lie = {};
  lie.states_hidden = 1;
  controls.push_back(control_of("an encoder that reports one state fewer", enumerate_partitions(copying, lie)));
  std::vector<StateCount> lossless;
  for (std::uint64_t u = 0; u < 8; ++u) lossless.push_back({u, u, 1});
  MachinePoint machine = machine_point(copying, lossless, std::nullopt, lie);
  machine.name = "8 inputs told apart by 7 states";
  controls.push_back(
      control_of("a machine that reports one state fewer", "machines",
                 machines_check({machine_point(copying, lossless)}).passed && !machines_check({machine}).passed,
                 machine.name + " -> " + std::to_string(machine.bits) + " bits, the bound asks for " +
                     std::to_string(machine.bound_bits)));
  lie = {};
  lie.errors_hidden = 1;
  controls.push_back(control_of("an encoder that reports one error fewer", enumerate_partitions(copying, lie)));
  lie = {};
  lie.questions_peeked = 1;
  controls.push_back(control_of("a decoder that sees one letter past the state", enumerate_partitions(copying, lie)));

  const Tightness uncoded = tightness(uncoded_points());
  controls.push_back(
      control_of("encoders that store letters as they are", "tightness", !uncoded.passed(), gap_text(uncoded)));
  return controls;
}

results::Certificate verify_lower_bound_3_3(const LowerBoundRequest& request) {
  return verify_lower_bound_3_3(request, {});
}

results::Certificate verify_lower_bound_3_3(const LowerBoundRequest& request,
                                            const std::vector<MachinePoint>& further) {
  CertificateDraft draft("3.3", "lower bound", "exact", request.progress);
  results::Certificate& certificate = draft.certificate();
  certificate.parameters["seed"] = request.seed;
  draft.run("printed", [] { return printed_check(printed_grid()); });
  draft.run("stateless", [&] { return stateless_check(listed_maps(), stateless_model(request.number)); });
  std::vector<Enumeration> enumerated;
  draft.run("enumeration", [&] {
    enumerated = all_enumerations();
    return enumeration_check(enumerated);
  });
  SearchedPoints searched;
  draft.run("optimiser", [&] {
    searched = search_encoders(enumerated, request.seed, request.threads);
    return optimiser_check(searched);
  });
  draft.run("tightness", [&] { return tightness_check(tightness(searched.points)); });
  draft.run("machines", [&] {
    std::vector<MachinePoint> machines = machine_points(request);
    machines.insert(machines.end(), further.begin(), further.end());
    return machines_check(machines);
  });
  std::vector<TrainedSeries> trained;
  draft.run("trained", [&] {
    for (const TrainedSpec& spec : trained_specs()) trained.push_back(trained_series(spec, request));
    return trained_check(trained);
  });
  draft.run("controls", [&] {
    std::vector<Control> controls = lower_bound_controls(request.number);
    controls.push_back(half_states_control(trained, request.number));
    return controls_check(controls);
  });
  judge(certificate, "");
  if (certificate.verdict == "certified") {
    certificate.verdict = "refuted as printed";
    certificate.scope =
        "an injection forces |Y|^q >= |V|^m, so the printed right side is never positive, and for two answers a "
        "machine "
        "without state is right with probability 1/2; corrected: sum log2|S_i| >= m log2|V| - q (H2(eps) + eps "
        "log2(|Y| - 1)), proved for all sizes (docs/lower-bounds.md), no encoder below it in exact arithmetic";
  }
  return draft.finish();
}

}  // namespace hyseq::proofs_check
