// Random and stored models against their receptive fields.
#include <algorithm>
#include <atomic>

#include "kernels/base/error.hpp"
#include "proofs_check/receptive_field/checks.hpp"
#include "proofs_check/receptive_field/random_models.hpp"
#include "proofs_check/residual_classes/parallel.hpp"

namespace hyseq::proofs_check {
namespace {

using results::Check;
using results::Json;

struct Tally {
  std::size_t models = 0;
  std::size_t violations = 0;    // a logit moved that must not, or was no number
  std::size_t edges_unseen = 0;  // the edge never showed
  int most_contexts = 0;
  std::size_t at_once = 0;  // edges that showed in the first context
  std::string counterexample;

  void add(const ProbeFindings& findings, const std::string& name) {
    ++models;
    const bool violated = !findings.finite || !findings.causal || !findings.outside_equal;
    violations += violated ? 1U : 0U;
    edges_unseen += findings.edge_seen ? 0U : 1U;
    most_contexts = std::max(most_contexts, findings.contexts);
    at_once += findings.edge_seen && findings.contexts <= 2 ? 1U : 0U;
    if (!findings.sharp() && counterexample.empty()) {
      counterexample = name + ": " + (violated ? findings.counterexample : "the edge token never showed");
    }
  }
  [[nodiscard]] bool passed() const { return models > 0 && violations == 0 && edges_unseen == 0; }
  void write(Json& figures) const {
    figures["models"] = models;
    figures["violations"] = violations;
    figures["edges_unseen"] = edges_unseen;
    figures["edges_seen_in_two_contexts"] = at_once;
    figures["most_contexts"] = most_contexts;
    if (!counterexample.empty()) figures["counterexample"] = counterexample;
  }
};

/// Random Transformer `index` with its own claim.
ProbeFindings probe_random(const ReceptiveFieldRequest& request, std::uint64_t index, const kernels::Engine& engine,
                           NumberFormat format) {
  const RandomModel model = random_transformer(request.seed, index);
  ProbeRequest probing;
  probing.engine = &engine;
  probing.format = format;
  probing.claimed = receptive_field(model.architecture).tokens;
  probing.outside = 1 + static_cast<std::size_t>(index % 5);
  probing.seed = request.seed;
  probing.index = index;
  return probe(model.program, model.values, probing);
}

}  // namespace

Check random_models_check(const ReceptiveFieldRequest& request) {
  const auto count = static_cast<std::size_t>(request.architectures);
  std::vector<ProbeFindings> findings(count);
  for_each_index(count, request.threads, [&](std::size_t i) {
    findings[i] = probe_random(request, i, kernels::reference_engine(), NumberFormat::float64);
  });
  Tally tally;
  std::vector<models::Architecture> architectures;
  std::uint64_t longest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    tally.add(findings[i], "architecture " + std::to_string(i));
    architectures.push_back(random_transformer(request.seed, i).architecture);
    longest = std::max(longest, receptive_field(architectures.back()).tokens);
  }
  Check check;
  tally.write(check.figures);
  check.figures["longest_field"] = longest;
  std::size_t missing = 0;
  check.figures["variants"] = Json::array();
  for (const auto& [variant, blocks] : coverage(architectures)) {
    check.figures["variants"].push_back({{"variant", variant}, {"count", blocks}});
    missing += blocks == 0 ? 1U : 0U;
  }
  check.figures["variants_missing"] = missing;
  constexpr std::size_t kEnoughForAll = 200;  // fewer architectures need not meet every variant
  check.passed = tally.passed() && (missing == 0 || count < kEnoughForAll);
  check.meaning =
      std::to_string(count) +
      " random architectures of every block variant, in double on the reference engine: with tokens changed "
      "in front of the last 1 + sum (W_i - 1) the last logits moved in " +
      std::to_string(tally.violations) + " of them, and the first token of these showed in " +
      std::to_string(count - tally.edges_unseen) + ".";
  return check;
}

Check engines_check(const ReceptiveFieldRequest& request) {
  constexpr std::size_t kEvery = 10;
  const std::size_t count = (static_cast<std::size_t>(request.architectures) + kEvery - 1) / kEvery;
  Check check;
  check.passed = true;
  check.figures["engines"] = Json::array();
  std::size_t models = 0;
  for (const kernels::Engine* engine : kernels::engines()) {
    for (const NumberFormat format : {NumberFormat::float64, NumberFormat::float32}) {
      std::vector<ProbeFindings> findings(count);
      for_each_index(count, request.threads,
                     [&](std::size_t i) { findings[i] = probe_random(request, i * kEvery, *engine, format); });
      Tally tally;
      for (std::size_t i = 0; i < count; ++i) tally.add(findings[i], "architecture " + std::to_string(i * kEvery));
      Json row{{"engine", engine->name()}, {"number", name(format)}, {"instructions", engine->instructions()}};
      tally.write(row);
      if (!tally.counterexample.empty()) check.figures["counterexample"] = tally.counterexample;
      check.passed = check.passed && tally.passed();
      models += tally.models;
      check.figures["engines"].push_back(row);
    }
  }
  check.meaning = "Every tenth of them on each engine in double and in float, " + std::to_string(models) +
                  " probes: bitwise equal outside, different on the edge" + (check.passed ? "." : ": NOT always.");
  return check;
}

Check recurrent_check(const ReceptiveFieldRequest& request) {
  constexpr std::uint64_t kFarther = 32;
  const auto count = static_cast<std::size_t>(std::max<std::uint64_t>(request.architectures / 10, 10));
  std::vector<ProbeFindings> findings(count);
  std::vector<std::uint64_t> distances(count);
  for_each_index(count, request.threads, [&](std::size_t i) {
    const RandomModel model = random_hybrid(request.seed, i);
    ProbeRequest probing;
    probing.engine = &kernels::reference_engine();
    probing.claimed = receptive_field(model.architecture).tokens + kFarther;
    probing.outside = 0;
    probing.seed = request.seed;
    probing.index = (std::uint64_t{1} << 30) + i;
    distances[i] = probing.claimed - 1;
    findings[i] = probe(model.program, model.values, probing);
  });
  Tally tally;
  for (std::size_t i = 0; i < count; ++i) tally.add(findings[i], "hybrid " + std::to_string(i));
  Check check;
  tally.write(check.figures);
  check.figures["farther"] = kFarther;
  check.figures["farthest_distance"] = *std::max_element(distances.begin(), distances.end());
  check.passed = tally.passed();
  check.meaning = "The contrast: in " + std::to_string(count - tally.edges_unseen) + " of " + std::to_string(count) +
                  " random models with a recurrent layer a token " + std::to_string(kFarther) +
                  " places in front of all that attention and convolutions reach moves the last logits.";
  return check;
}

Check stored_check(const ReceptiveFieldRequest& request) {
  Check check;
  check.passed = !request.stored.empty();
  check.figures["models"] = Json::array();
  std::size_t sharp = 0;
  for (const auto& [name, model] : request.stored) {
    const StoredField stored = probe_stored(model, kernels::reference_engine(), NumberFormat::float64, request.seed);
    sharp += stored.passed() ? 1U : 0U;
    Json row{{"model", name},
             {"layers", models::layers_text(model.architecture)},
             {"receptive_field", stored.field.tokens},
             {"unlimited", stored.field.unlimited},
             {"total_window", stored.field.total_window},
             {"distance", stored.distance},
             {"outside_checked", stored.outside_checked},
             {"outside_equal", stored.findings.outside_equal},
             {"edge_seen", stored.findings.edge_seen},
             {"contexts", stored.findings.contexts}};
    if (!stored.passed()) {
      check.passed = false;
      check.figures["counterexample"] =
          name + ": " +
          (stored.findings.counterexample.empty() ? "the edge token never showed" : stored.findings.counterexample);
    }
    check.figures["models"].push_back(row);
  }
  check.meaning = std::to_string(sharp) + " of " + std::to_string(request.stored.size()) +
                  " stored models see exactly as far as their layers reach.";
  return check;
}

}  // namespace hyseq::proofs_check
