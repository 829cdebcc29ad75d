#include "proofs_check/receptive_field/edge_reader.hpp"

#include <stdexcept>
#include <string>

#include "models/lowering.hpp"

namespace hyseq::proofs_check {
namespace {

constexpr std::size_t kWidth = 3;
constexpr std::size_t kMark = 0;     // of the edge tokens, in the embedding
constexpr std::size_t kCarried = 1;  // between layers
constexpr std::size_t kAnswer = 2;   // of the answers, in the embedding and behind the last layer

std::vector<double>& parameter(RandomModel& model, const std::string& name) {
  for (std::size_t p = 0; p < model.values.size(); ++p) {
    if (model.program.parameters[p].name == name) return model.values[p];
  }
  throw std::logic_error("the model has no parameter " + name);
}

}  // namespace

RandomModel edge_reader(const DefeatingPair& pair, std::int32_t vocabulary, const std::vector<int>& windows) {
  RandomModel model;
  model.architecture.width = static_cast<int>(kWidth);
  model.architecture.vocabulary = vocabulary;
  model.architecture.final_norm = models::Norm::none;
  for (const int window : windows) {
    models::TransformerBlock block;
    block.norm = models::Norm::none;
    block.residual = models::Residual::none;
    block.positions = models::Positions::none;
    block.mlp = false;
    block.window = window;
    model.architecture.layers.emplace_back(block);
  }
  model.program = models::lower(model.architecture);
  for (const kernels::ParameterInfo& info : model.program.parameters) model.values.emplace_back(info.size(), 0.0);
  const auto embed = [&](std::int32_t token, std::size_t column, double value) {
    parameter(model, "embedding")[static_cast<std::size_t>(token) * kWidth + column] = value;
  };
  const std::size_t edge = pair.first.size() - 1 - pair.shared;
  embed(pair.first[edge], kMark, 1);
  embed(pair.second[edge], kMark, -1);
  embed(pair.first_answer, kAnswer, 1);
  embed(pair.second_answer, kAnswer, -1);
  for (std::size_t layer = 0; layer < windows.size(); ++layer) {
    const std::string prefix = "layers." + std::to_string(layer) + ".tf.";
    const std::size_t from = layer == 0 ? kMark : kCarried;
    const std::size_t to = layer + 1 == windows.size() ? kAnswer : kCarried;
    // Queries and keys are zero: all visible positions weigh the same.
    parameter(model, prefix + "qkv.weight")[(2 * kWidth + to) * kWidth + from] = 1;
    parameter(model, prefix + "out_proj.weight")[to * kWidth + to] = 1;
  }
  return model;
}

}  // namespace hyseq::proofs_check
