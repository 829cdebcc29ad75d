#include "proofs_check/stack_product/l35.hpp"

#include <algorithm>
#include <cmath>

#include "proofs_check/certificate_draft.hpp"
#include "proofs_check/check_figures.hpp"
#include "proofs_check/parallel.hpp"

namespace hyseq::proofs_check {
namespace {

using results::Check;
using results::Json;

std::vector<StackResult> check_all(const std::vector<Stack>& stacks, const LowerBoundRequest& request) {
  std::vector<StackResult> results(stacks.size());
  SequenceEffort effort;
  effort.seed = request.seed;
  for_each_index(stacks.size(), request.threads,
                 [&](std::size_t i) { results[i] = check_stack(stacks[i], request.number, effort); });
  return results;
}

Check layers_check(const std::vector<StackResult>& results) {
  Check check;
  check.passed = !results.empty();
  check.figures["stacks"] = results.size();
  check.figures["table"] = Json::array();
  std::uint64_t most = 0;
  std::uint64_t full = 0;
  for (const StackResult& result : results) {
    check.passed = check.passed && result.closed && result.within_product;
    most = std::max(most, result.whole_states);
    const bool equal = static_cast<double>(result.product_states) >= result.product_bound;
    full += equal ? 1U : 0U;
    double bits = 0;
    for (const double each : result.layer_bits) bits += each;
    check.figures["table"].push_back(
        {{"stack", result.name},
         {"layer_states", result.layer_states},
         {"product_bound", result.product_bound},
         {"reachable_states", result.product_states},
         {"whole_model_states", result.whole_states},
         {"bits_of_layers", bits},
         {"bits_reachable", std::log2(static_cast<double>(std::max<std::uint64_t>(1, result.product_states)))},
         {"convolution_tails", result.has_tails}});
  }
  check.figures["most_reachable_states"] = most;
  check.figures["stacks_that_fill_the_product"] = full;
  check.meaning = "Every reachable state of " + std::to_string(results.size()) +
                  " stacks was listed, of each layer alone under everything it can be sent and of the whole: up to " +
                  std::to_string(most) + " states, never more than the product of the layers', which " +
                  std::to_string(full) + " of the stacks reach.";
  return check;
}

Check product_check(const std::vector<StackResult>& results) {
  Check check;
  check.passed = !results.empty();
  std::uint64_t transitions = 0;
  for (const StackResult& result : results) {
    check.passed = check.passed && result.same_machine;
    transitions += result.transitions;
    if (!result.same_machine && !check.figures.contains("counterexample")) {
      check.figures["counterexample"] = result.name + ": " + result.counterexample;
    }
  }
  check.figures["transitions"] = transitions;
  check.meaning =
      "The layers' own tables, composed, and the whole model agree bit by bit in the next state, the hidden "
      "output and the logits at all " +
      std::to_string(transitions) + " pairs of a reachable state and a token, hence on sequences of every length.";
  return check;
}

Check sequences_check(const std::vector<StackResult>& results) {
  Check check;
  check.passed = !results.empty();
  std::uint64_t sequences = 0;
  std::uint64_t tokens = 0;
  int least = results.empty() ? 0 : results.front().short_length;
  for (const StackResult& result : results) {
    check.passed = check.passed && result.sequences_equal && result.sequences > 0;
    sequences += result.sequences;
    tokens += result.tokens;
    least = std::min(least, result.short_length);
  }
  check.figures["sequences"] = sequences;
  check.figures["tokens"] = tokens;
  check.figures["complete_to_length"] = least;
  check.meaning = std::to_string(sequences) + " sequences (all up to length " + std::to_string(least) +
                  " or more, and long random ones) went through the model and through the one machine's table: the " +
                  std::to_string(tokens) + " outputs are equal bit by bit.";
  return check;
}

}  // namespace

std::vector<Stack> lemma_stacks() {
  std::vector<Stack> stacks;
  const auto add = [&](int layers, int kernel, int inner, int state_size, int bits, std::uint64_t seed,
                       bool gate = true, models::Norm norm = models::Norm::rms) {
    RandomStackSpec spec;
    spec.layers = layers;
    spec.kernel = kernel;
    spec.inner_width = inner;
    spec.state_size = state_size;
    spec.grid = {bits, bits == 3 ? 0.25 : 0.125, {}};
    spec.gate = gate;
    spec.norm = norm;
    spec.seed = seed;
    stacks.push_back(random_stack(spec));
  };
  add(1, 0, 3, 1, 5, 1);
  add(1, 4, 2, 1, 5, 2);
  add(2, 0, 3, 1, 5, 1);
  add(2, 0, 2, 2, 4, 1);
  add(2, 0, 3, 1, 4, 2, false, models::Norm::layer);
  add(2, 0, 3, 1, 3, 3, true, models::Norm::none);
  add(2, 2, 2, 1, 5, 3);
  add(2, 4, 2, 1, 4, 3);
  add(2, 4, 1, 1, 5, 3);
  add(3, 0, 2, 1, 5, 1);
  add(3, 0, 2, 1, 4, 2);
  add(3, 0, 3, 1, 3, 1);
  add(3, 2, 1, 1, 5, 3);
  stacks.push_back(register_stack(2, 4));
  stacks.push_back(register_stack(3, 3));
  stacks.push_back(stateless_stack(3));
  return stacks;
}

std::vector<Control> stack_product_controls(NumberFormat format, std::uint64_t seed) {
  RandomStackSpec spec;
  spec.kernel = 2;
  spec.grid = {5, 0.125, {}};
  spec.seed = 3;
  const Stack random = random_stack(spec);
  const Stack registers = register_stack(2, 3);
  SequenceEffort effort;
  effort.short_sequences = 800;
  effort.long_sequences = 1;
  effort.long_length = 2000;
  effort.seed = seed;
  const auto caught_by = [](const StackResult& result) {
    std::string by;
    if (!result.closed || !result.within_product) by = "layers";
    if (!result.same_machine) by += by.empty() ? "product" : ", product";
    if (!result.sequences_equal) by += by.empty() ? "sequences" : ", sequences";
    return by;
  };
  Control healthy{"no fault (must pass)", false, "", "nothing", ""};
  for (const Stack* stack : {&random, &registers}) {
    const StackResult result = check_stack(*stack, format, effort);
    healthy.caught_by += caught_by(result);
    healthy.counterexample += result.counterexample;
  }
  healthy.caught = healthy.caught_by.empty();
  std::vector<Control> controls{healthy};

  struct Planted {
    ProductFault fault;
    const char* name;
    const char* expected;
    const Stack* stack;
  };
  for (const Planted& planted :
       {Planted{ProductFault::altered_transition, "one transition of the product altered", "product", &random},
        Planted{ProductFault::dropped_layer, "the last layer's state left out", "product", &random},
        Planted{ProductFault::dropped_tail, "convolution tails left out of the state", "product", &random},
        Planted{ProductFault::cut_wire, "the last layer does not hear the one below", "product", &random},
        Planted{ProductFault::hidden_state, "one state of the first layer not reported", "layers", &registers}}) {
    const StackResult result = check_stack(*planted.stack, format, effort, planted.fault);
    Control control{planted.name, false, caught_by(result), planted.expected, result.counterexample};
    if (planted.fault == ProductFault::hidden_state && !result.within_product) {
      control.counterexample = std::to_string(result.product_states) + " states reached -> the reported layers have " +
                               std::to_string(static_cast<std::uint64_t>(result.product_bound));
    }
    control.caught = control.caught_by.find(control.expected) != std::string::npos && !control.counterexample.empty();
    controls.push_back(std::move(control));
  }
  return controls;
}

results::Certificate verify_stack_product_3_5(const LowerBoundRequest& request) {
  return verify_stack_product_3_5(lemma_stacks(), request);
}

results::Certificate verify_stack_product_3_5(const std::vector<Stack>& stacks, const LowerBoundRequest& request) {
  CertificateDraft draft("3.5", "lemma", std::string(name(request.number)), request.progress);
  results::Certificate& certificate = draft.certificate();
  certificate.parameters["stacks"] = stacks.size();
  certificate.parameters["seed"] = request.seed;
  std::vector<StackResult> results;
  draft.run("layers", [&] {
    results = check_all(stacks, request);  // of all three checks
    return layers_check(results);
  });
  draft.run("product", [&] { return product_check(results); });
  draft.run("sequences", [&] { return sequences_check(results); });
  draft.run("controls", [&] { return controls_check(stack_product_controls(request.number, request.seed)); });
  judge(certificate, "");
  if (certificate.verdict == "certified") {
    certificate.scope = "by proof for every stack; through the engine for " + std::to_string(stacks.size()) +
                        " stacks of SSM blocks, all reachable states, sequences of every length, in " +
                        certificate.number + " arithmetic";
  }
  return draft.finish();
}

}  // namespace hyseq::proofs_check
