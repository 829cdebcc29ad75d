// Random models against their receptive fields.
#include <algorithm>

#include "constructions/selective_copy.hpp"
#include "proofs_check/parallel.hpp"
#include "proofs_check/receptive_field/checks.hpp"
#include "proofs_check/receptive_field/defeating_pair.hpp"
#include "proofs_check/receptive_field/random_models.hpp"

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
ProbeFindings probe_random(const ReceptiveFieldRequest& request, std::uint64_t index, UnitScale scale,
                           const kernels::Engine& engine, NumberFormat format) {
  const RandomModel model = random_transformer(request.seed, index, scale);
  ProbeRequest probing;
  probing.engine = &engine;
  probing.format = format;
  probing.claimed = receptive_field(model.architecture).tokens;
  probing.outside = 1 + static_cast<std::size_t>(index % 5);
  probing.seed = request.seed;
  probing.index = index;
  // Where softmax is sharp a token shows only in contexts that let it through every layer.
  probing.contexts = 4096;
  return probe(model.program, model.values, probing);
}

/// The hybrid of Theorem 4.3 on a pair that defeats every stack of windows of its size.
struct HybridAnswers {
  std::size_t length = 1000;
  std::uint64_t attention_field = 0;
  bool right = false;
};

HybridAnswers hybrid_answers() {
  HybridAnswers answers;
  constructions::SelectiveCopySpec spec;
  spec.vocabulary = 7;
  spec.distances = 4;
  spec.level = constructions::Level::streaming;
  const auto hybrid = constructions::build(spec);
  const DefeatingPair pair = selective_copy_pair({spec.vocabulary - spec.distances, 0, spec.distances}, answers.length);
  answers.attention_field = receptive_field(hybrid.architecture).tokens;
  const auto answer = [&](const std::vector<std::int32_t>& input) {
    const std::vector<double> logits =
        sequence_logits(kernels::reference_engine(), NumberFormat::float64, hybrid.program, hybrid.values, input);
    return last_answer(logits, hybrid.architecture.vocabulary);
  };
  answers.right = answer(pair.first) == pair.first_answer && answer(pair.second) == pair.second_answer;
  return answers;
}

}  // namespace

Check random_models_check(const ReceptiveFieldRequest& request) {
  const auto count = static_cast<std::size_t>(request.architectures);
  Check check;
  check.figures["scales"] = Json::array();
  std::size_t violations = 0;
  std::size_t unseen = 0;
  std::size_t unseen_sharp = 0;  // may happen: a softmax of huge scores gives a token no weight at all
  for (const UnitScale scale : {UnitScale::rows, UnitScale::entries}) {
    std::vector<ProbeFindings> findings(count);
    for_each_index(count, request.threads, [&](std::size_t i) {
      findings[i] = probe_random(request, i, scale, kernels::reference_engine(), NumberFormat::float64);
    });
    Tally tally;
    for (std::size_t i = 0; i < count; ++i) tally.add(findings[i], "architecture " + std::to_string(i));
    Json row{{"weights", scale == UnitScale::rows ? "N(0,1)/sqrt(inputs)" : "N(0,1)"}};
    tally.write(row);
    const bool failed = scale == UnitScale::rows ? !tally.passed() : tally.violations > 0;
    if (failed) check.figures["counterexample"] = tally.counterexample;
    check.figures["scales"].push_back(row);
    violations += tally.violations;
    (scale == UnitScale::rows ? unseen : unseen_sharp) += tally.edges_unseen;
  }
  std::vector<models::Architecture> architectures;
  std::uint64_t longest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    architectures.push_back(random_transformer(request.seed, i).architecture);
    longest = std::max(longest, receptive_field(architectures.back()).tokens);
  }
  std::size_t missing = 0;
  check.figures["variants"] = Json::array();
  for (const auto& [variant, blocks] : coverage(architectures)) {
    check.figures["variants"].push_back({{"variant", variant}, {"count", blocks}});
    missing += blocks == 0 ? 1U : 0U;
  }
  check.figures["architectures"] = count;
  check.figures["violations"] = violations;
  check.figures["edges_unseen"] = unseen;
  check.figures["edges_unseen_sharp_softmax"] = unseen_sharp;
  check.figures["longest_field"] = longest;
  check.figures["variants_missing"] = missing;
  constexpr std::size_t kEnoughForAll = 200;  // fewer architectures need not meet every variant
  check.passed = violations == 0 && unseen == 0 && (missing == 0 || count < kEnoughForAll);
  check.meaning =
      std::to_string(count) +
      " random architectures of every block variant, each with weights of unit scale in two senses, in double "
      "on the reference engine: with tokens changed in front of the last 1 + sum (W_i - 1) the last logits "
      "moved in " +
      std::to_string(violations) + " of " + std::to_string(2 * count) + " models; the first token of these showed in " +
      std::to_string(count - unseen) + " of the models whose linear maps keep sizes, and in " +
      std::to_string(count - unseen_sharp) + " of those with entries N(0, 1), whose softmax is sharp.";
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
      for_each_index(count, request.threads, [&](std::size_t i) {
        findings[i] = probe_random(request, i * kEvery, UnitScale::rows, *engine, format);
      });
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
  constexpr std::uint64_t kFarther = 100;
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
  const HybridAnswers hybrid = hybrid_answers();
  check.figures["construction_length"] = hybrid.length;
  check.figures["construction_attention_field"] = hybrid.attention_field;
  check.figures["construction_right_on_both"] = hybrid.right;
  check.passed = tally.passed() && hybrid.right;
  check.meaning = "The contrast: in " + std::to_string(count - tally.edges_unseen) + " of " + std::to_string(count) +
                  " random models with a recurrent layer a token " + std::to_string(kFarther) +
                  " places in front of all that attention and convolutions reach moves the last logits; the hybrid of "
                  "Theorem 4.3, whose attention sees " +
                  std::to_string(hybrid.attention_field) + " tokens, is " + (hybrid.right ? "" : "NOT ") +
                  "right on both inputs of a pair that share their last " + std::to_string(hybrid.length - 1) + ".";
  return check;
}

}  // namespace hyseq::proofs_check
