#include "proofs_check/stack_product/stack.hpp"

#include <algorithm>
#include <cmath>

#include "constructions/gadgets/latest_value.hpp"
#include "constructions/gadgets/plain_blocks.hpp"
#include "kernels/reference/carry.hpp"
#include "models/initialise.hpp"
#include "models/lowering.hpp"

namespace hyseq::proofs_check {

void Stack::validate() const {
  grid.validate();
  for (const models::Block& block : architecture.layers) {
    if (!std::holds_alternative<models::SsmBlock>(block)) {
      throw InputError("the stack '" + name + "' has an attention layer; only SSM layers have a state set");
    }
  }
  if (!architecture.position_codes.empty()) {
    throw InputError("the stack '" + name + "' adds position codes; its transitions would depend on the position");
  }
  if (grid.steps.empty()) return;
  const std::size_t carried = kernels::CarryLayout(models::lower(architecture), 1).stride;
  if (grid.steps.size() != carried) {
    throw InputError("the stack '" + name + "' has " + std::to_string(grid.steps.size()) +
                     " steps of its own, allowed is one for each of its " + std::to_string(carried) +
                     " carried numbers");
  }
}

Stack random_stack(const RandomStackSpec& spec) {
  Stack stack;
  stack.name = std::to_string(spec.layers) + " layers, " + std::to_string(spec.inner_width) + " channels x " +
               std::to_string(spec.state_size) + ", kernel " + std::to_string(spec.kernel) + ", " +
               std::to_string(spec.grid.bits) + "-bit states, seed " + std::to_string(spec.seed);
  models::SsmBlock block;
  block.norm = spec.norm;
  block.state_size = spec.state_size;
  block.kernel = spec.kernel;
  block.gate = spec.gate;
  block.inner_width = spec.inner_width;
  stack.architecture.width = spec.width;
  stack.architecture.vocabulary = spec.tokens;
  stack.architecture.layers.assign(static_cast<std::size_t>(spec.layers), models::Block(block));
  stack.grid = spec.grid;
  models::InitialisationOptions options;
  options.scale = 1;
  stack.values = models::initialise(models::lower(stack.architecture), spec.seed, options);
  constexpr double kStep = 0.125;
  constexpr double kMost = 15;
  for (auto& parameter : stack.values) {
    for (double& weight : parameter) weight = std::clamp(std::nearbyint(weight / kStep), -kMost, kMost) * kStep;
  }
  stack.validate();
  return stack;
}

Stack register_stack(int layers, int values) {
  Stack stack;
  stack.name = std::to_string(layers) + " registers of Theorem 4.3, " + std::to_string(values) + " values each";
  constructions::Layout layout;
  std::vector<constructions::Subspace> held;
  std::vector<constructions::Subspace> flags;
  const int bits = constructions::code_bits(values);
  for (int layer = 0; layer < layers; ++layer) {
    held.push_back(layout.add("value " + std::to_string(layer), bits));
    flags.push_back(layout.add("is value " + std::to_string(layer), 1));
  }
  const constructions::Subspace one = layout.add("one", 1);
  stack.architecture.width = layout.width();
  stack.architecture.vocabulary = layers * values;
  stack.architecture.final_norm = models::Norm::none;
  for (int layer = 0; layer < layers; ++layer) {
    const auto index = static_cast<std::size_t>(layer);
    stack.architecture.layers.emplace_back(constructions::LatestValue{held[index], flags[index], one}.block());
  }
  const kernels::Program program = models::lower(stack.architecture);
  constructions::WeightWriter weights(program);
  for (int layer = 0; layer < layers; ++layer) {
    const auto index = static_cast<std::size_t>(layer);
    for (int value = 0; value < values; ++value) {
      const int token = layer * values + value;
      for (int i = 0; i < bits; ++i) {
        weights.at("embedding", token, held[index].at(i)) = constructions::signed_bit(value, i);
      }
      weights.at("embedding", token, flags[index].at(0)) = 1;
      weights.at("embedding", token, one.at(0)) = 1;
    }
    const std::string prefix = "layers." + std::to_string(layer) + ".ssm.";
    constructions::LatestValue{held[index], flags[index], one}.write(weights, prefix);
  }
  stack.values = weights.values();
  stack.validate();
  return stack;
}

Stack stateless_stack(int tokens) {
  Stack stack;
  stack.name = "a layer without state";
  stack.architecture.width = 2;
  stack.architecture.vocabulary = tokens;
  stack.architecture.final_norm = models::Norm::none;
  stack.architecture.layers.emplace_back(constructions::linear_ssm(models::StepSize::identity, 1, 1));
  const kernels::Program program = models::lower(stack.architecture);
  constructions::WeightWriter weights(program);
  // Column 0 is 1 for every token and 2 for token 0, which therefore has the largest logit after any of them.
  for (int token = 0; token < tokens; ++token) weights.at("embedding", token, 0) = token == 0 ? 2 : 1;
  weights.at("layers.0.ssm.in_proj.weight", 0, 0) = 1;
  stack.values = weights.values();
  stack.validate();
  return stack;
}

}  // namespace hyseq::proofs_check
