#include "proofs_check/receptive_field/random_models.hpp"

#include <cmath>
#include <map>
#include <numbers>

#include "models/lowering.hpp"

namespace hyseq::proofs_check {
namespace {

using models::Activation;
using models::Norm;
using models::Positions;
using models::Residual;

int between(RandomStream& stream, int least, int most) {
  return least + static_cast<int>(stream.below(static_cast<std::uint32_t>(most - least + 1)));
}

template <class T>
T one_of(RandomStream& stream, std::initializer_list<T> choices) {
  return choices.begin()[stream.below(static_cast<std::uint32_t>(choices.size()))];
}

double normal(RandomStream& stream) {
  const double radius = std::sqrt(-2 * std::log(1 - stream.uniform()));
  return radius * std::cos(2 * std::numbers::pi * stream.uniform());
}

models::TransformerBlock random_block(RandomStream& stream, int width) {
  models::TransformerBlock block;
  block.norm = one_of(stream, {Norm::layer, Norm::rms, Norm::none});
  block.residual = one_of(stream, {Residual::parallel, Residual::sequential, Residual::none});
  block.positions = one_of(stream, {Positions::rotary, Positions::none});
  block.heads = one_of(stream, {1, 2, 4});
  block.window = between(stream, 1, 8);
  block.rotary_width = 2 * between(stream, 0, width / block.heads / 2);
  block.rotary_divisor = one_of(stream, {0, 5});
  block.rotary_base = one_of(stream, {10000.0, 100.0, 10.0});
  block.mlp = stream.below(4) != 0;
  block.activation = one_of(stream, {Activation::silu, Activation::gelu, Activation::softplus, Activation::identity});
  return block;
}

models::SsmBlock random_ssm(RandomStream& stream) {
  models::SsmBlock block;
  block.norm = one_of(stream, {Norm::layer, Norm::rms, Norm::none});
  block.residual = stream.below(2) == 0;
  block.state_size = one_of(stream, {1, 2, 8});
  block.kernel = one_of(stream, {0, 2, 4});
  block.gate = stream.below(2) == 0;
  block.activation = one_of(stream, {Activation::silu, Activation::gelu, Activation::identity});
  return block;
}

models::Architecture random_architecture(RandomStream& stream) {
  models::Architecture architecture;
  architecture.width = 4 * between(stream, 1, 4);
  architecture.vocabulary = between(stream, 3, 17);
  const int layers = between(stream, 1, 4);
  for (int i = 0; i < layers; ++i) architecture.layers.emplace_back(random_block(stream, architecture.width));
  architecture.final_norm = one_of(stream, {Norm::layer, Norm::rms, Norm::none});
  if (stream.below(4) == 0) architecture.position_codes.push_back({1, between(stream, 1, 3), between(stream, 0, 2)});
  return architecture;
}

RandomModel finish(models::Architecture architecture, RandomStream& stream, UnitScale scale) {
  RandomModel model{std::move(architecture), {}, {}};
  model.program = models::lower(model.architecture);
  model.values = unit_weights(model.program, stream, scale);
  return model;
}

/// Streams of different kinds of models never share an index.
RandomStream stream_of(std::uint64_t seed, std::uint64_t index, std::uint64_t kind) {
  return {{seed, Purpose::verification}, (kind << 40) + index};
}

const char* name(Norm norm) { return norm == Norm::layer ? "layer" : norm == Norm::rms ? "rms" : "none"; }
const char* name(Residual residual) {
  return residual == Residual::parallel ? "parallel" : residual == Residual::sequential ? "sequential" : "none";
}
const char* name(Activation activation) {
  switch (activation) {
    case Activation::silu:
      return "silu";
    case Activation::gelu:
      return "gelu";
    case Activation::softplus:
      return "softplus";
    default:
      return "identity";
  }
}

}  // namespace

RandomModel random_transformer(std::uint64_t seed, std::uint64_t index, UnitScale scale) {
  RandomStream stream = stream_of(seed, index, 1);
  models::Architecture architecture = random_architecture(stream);
  return finish(std::move(architecture), stream, scale);
}

RandomModel random_hybrid(std::uint64_t seed, std::uint64_t index) {
  RandomStream stream = stream_of(seed, index, 2);
  models::Architecture architecture = random_architecture(stream);
  const bool pure = stream.below(3) == 0;
  const std::uint32_t replaced = stream.below(static_cast<std::uint32_t>(architecture.layers.size()));
  for (std::size_t i = 0; i < architecture.layers.size(); ++i) {
    if (pure || i == replaced) architecture.layers[i] = random_ssm(stream);
  }
  RandomModel model = finish(std::move(architecture), stream, UnitScale::rows);
  for (std::size_t p = 0; p < model.values.size(); ++p) {
    const std::string& parameter = model.program.parameters[p].name;
    if (!parameter.ends_with("dt_proj.bias")) continue;
    constexpr double kSlow = -5;
    for (double& bias : model.values[p]) bias += kSlow;
  }
  return model;
}

kernels::ParameterValues unit_weights(const kernels::Program& program, RandomStream& stream, UnitScale scale) {
  constexpr double kSmall = 0.3;
  kernels::ParameterValues values;
  for (const kernels::ParameterInfo& parameter : program.parameters) {
    const auto inputs = static_cast<double>(parameter.shape.back());
    std::vector<double> all(parameter.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      const double random = normal(stream);
      switch (parameter.initialiser) {
        case kernels::Initialiser::normal:
          all[i] = parameter.name == "embedding" || scale == UnitScale::entries ? random : random / std::sqrt(inputs);
          break;
        case kernels::Initialiser::zeros:
          all[i] = kSmall * random;
          break;
        case kernels::Initialiser::ones:
          all[i] = 1 + kSmall * random;
          break;
        case kernels::Initialiser::convolution:
          all[i] = random / 2;
          break;
        case kernels::Initialiser::log_index:
          all[i] = std::log(static_cast<double>(i % parameter.shape.back() + 1));
          break;
      }
    }
    values.push_back(std::move(all));
  }
  return values;
}

std::vector<int> split_windows(std::size_t reach, std::size_t layers, RandomStream& stream) {
  std::vector<int> windows(layers, 1);
  for (std::size_t i = 0; i < reach; ++i) ++windows[stream.below(static_cast<std::uint32_t>(layers))];
  return windows;
}

const std::vector<std::string>& all_variants() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const char* each : {"layer", "rms", "none"}) all.push_back(std::string("norm ") + each);
    for (const char* each : {"layer", "rms", "none"}) all.push_back(std::string("final norm ") + each);
    for (const char* each : {"parallel", "sequential", "none"}) all.push_back(std::string("residual ") + each);
    for (const char* each : {"rotary", "none"}) all.push_back(std::string("positions ") + each);
    for (const char* each : {"on", "off"}) all.push_back(std::string("mlp ") + each);
    for (const char* each : {"silu", "gelu", "softplus", "identity"}) all.push_back(std::string("activation ") + each);
    for (const char* each : {"1", "2", "4"}) all.push_back(std::string("heads ") + each);
    for (int layers = 1; layers <= 4; ++layers) all.push_back("layers " + std::to_string(layers));
    for (int window = 1; window <= 8; ++window) all.push_back("window " + std::to_string(window));
    all.emplace_back("position codes");
    return all;
  }();
  return names;
}

std::vector<std::pair<std::string, std::size_t>> coverage(const std::vector<models::Architecture>& architectures) {
  std::map<std::string, std::size_t> seen;
  for (const models::Architecture& architecture : architectures) {
    ++seen["layers " + std::to_string(architecture.layers.size())];
    ++seen[std::string("final norm ") + name(architecture.final_norm)];
    if (!architecture.position_codes.empty()) ++seen["position codes"];
    for (const models::Block& each : architecture.layers) {
      const auto* block = std::get_if<models::TransformerBlock>(&each);
      if (block == nullptr) continue;
      ++seen[std::string("norm ") + name(block->norm)];
      ++seen[std::string("residual ") + name(block->residual)];
      ++seen[block->positions == Positions::rotary && block->rotary_width > 0 ? "positions rotary" : "positions none"];
      ++seen[block->mlp ? "mlp on" : "mlp off"];
      if (block->mlp) ++seen[std::string("activation ") + name(block->activation)];
      ++seen["heads " + std::to_string(block->heads)];
      ++seen["window " + std::to_string(block->window)];
    }
  }
  std::vector<std::pair<std::string, std::size_t>> list;
  for (const std::string& variant : all_variants()) list.emplace_back(variant, seen[variant]);
  return list;
}

}  // namespace hyseq::proofs_check
