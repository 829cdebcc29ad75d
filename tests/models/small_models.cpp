#include "tests/models/small_models.hpp"

#include <algorithm>

#include "kernels/base/random.hpp"

namespace hyseq::models {

SmallData small_data(int vocabulary, std::size_t batch, std::size_t time, std::uint64_t seed) {
  SmallData data{batch, time, {}, {}, {}, vocabulary - 3};
  RandomStream stream({seed, Purpose::verification}, 9);
  for (std::size_t i = 0; i < batch * time; ++i) {
    data.tokens.push_back(static_cast<std::int32_t>(stream.below(static_cast<std::uint32_t>(vocabulary))));
    data.targets.push_back(static_cast<std::int32_t>(stream.below(static_cast<std::uint32_t>(vocabulary))));
  }
  data.targets[0] = 0;  // at least one that counts
  return data;
}

SmallModel::SmallModel(std::string title, const Architecture& architecture, const DropoutRates& dropout,
                       std::uint64_t seed)
    : name(std::move(title)), program(lower(architecture, dropout)) {
  for (std::size_t p = 0; p < program.parameters.size(); ++p) {
    const bool positive = program.parameters[p].initialiser == kernels::Initialiser::ones;
    auto& values = parameters.emplace_back();
    for (std::size_t i = 0; i < program.parameters[p].size(); ++i) {
      values.push_back((positive ? 1 : 0) + 0.4 * normal_real({seed, Purpose::verification}, p, i));
    }
  }
}

kernels::ForwardRequest SmallModel::request(const SmallData& data, NumberFormat format) const {
  kernels::ForwardRequest request;
  request.program = &program;
  request.parameters = &parameters;
  request.format = format;
  request.batch = data.batch;
  request.time = data.time;
  request.tokens = data.tokens;
  request.segments = data.segments;
  request.targets = data.targets;
  request.valid_below = data.valid_below;
  request.gradients = true;
  request.dropout = {11, 3};
  return request;
}

Architecture small_architecture(const std::string& layers) {
  TransformerBlock transformer;
  transformer.heads = 2;
  transformer.window = 4;
  transformer.rotary_width = 2;
  SsmBlock ssm;
  ssm.state_size = 3;
  Architecture architecture;
  architecture.width = 6;
  architecture.vocabulary = 9;
  architecture.layers = parse_layers(layers, transformer, ssm);
  return architecture;
}

std::vector<std::pair<std::string, Architecture>> all_switches() {
  std::vector<std::pair<std::string, Architecture>> all;
  const auto add = [&](const std::string& name, const auto& change) {
    Architecture architecture = small_architecture();
    change(architecture, std::get<SsmBlock>(architecture.layers[0]),
           std::get<TransformerBlock>(architecture.layers[1]));
    all.emplace_back(name, architecture);
  };
  using A = Architecture;
  using S = SsmBlock;
  using T = TransformerBlock;
  for (const Norm norm : {Norm::layer, Norm::rms, Norm::none}) {
    const std::string kind = std::to_string(static_cast<int>(norm));
    add("SSM norm " + kind, [&](A&, S& ssm, T&) { ssm.norm = norm; });
    add("TF norm " + kind, [&](A&, S&, T& tf) { tf.norm = norm; });
    add("final norm " + kind, [&](A& whole, S&, T&) { whole.final_norm = norm; });
  }
  for (const Residual residual : {Residual::parallel, Residual::sequential, Residual::none}) {
    for (const bool mlp : {true, false}) {
      add("residual " + std::to_string(static_cast<int>(residual)) + (mlp ? "" : " without MLP"), [&](A&, S&, T& tf) {
        tf.residual = residual;
        tf.mlp = mlp;
      });
    }
  }
  for (const Activation activation : {Activation::identity, Activation::silu, Activation::gelu}) {
    add("activation " + std::to_string(static_cast<int>(activation)), [&](A&, S& ssm, T& tf) {
      ssm.activation = activation;
      tf.activation = activation;
    });
  }
  add("no rotary", [](A&, S&, T& tf) { tf.positions = Positions::none; });
  add("no SSM residual", [](A&, S& ssm, T&) { ssm.residual = false; });
  add("no gate", [](A&, S& ssm, T&) { ssm.gate = false; });
  add("no convolution", [](A&, S& ssm, T&) { ssm.kernel = 0; });
  add("convolution of 1", [](A&, S& ssm, T&) { ssm.kernel = 1; });
  add("step identity", [](A&, S& ssm, T&) { ssm.step = StepSize::identity; });
  add("step rank and inner width", [](A&, S& ssm, T&) {
    ssm.step_rank = 3;
    ssm.inner_width = 7;
  });
  add("position code", [](A& whole, S&, T&) { whole.position_codes = {{1, 3, 0}, {4, 2, 1}}; });
  return all;
}

std::vector<const kernels::Engine*> engines_with(NumberFormat format, bool training) {
  std::vector<const kernels::Engine*> found;
  for (const kernels::Engine* engine : kernels::engines()) {
    const auto formats = engine->formats();
    if (std::find(formats.begin(), formats.end(), format) == formats.end()) continue;
    if (!training || engine->cohort_size(format) > 0) found.push_back(engine);
  }
  return found;
}

}  // namespace hyseq::models
