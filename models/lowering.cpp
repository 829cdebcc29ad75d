#include "models/lowering.hpp"

#include <string>

#include "kernels/base/error.hpp"
#include "models/backward.hpp"

namespace hyseq::models {
namespace {

using kernels::CarryId;
using kernels::Initialiser;
using kernels::kNoParameter;
using kernels::Operation;
using kernels::ParameterId;
using kernels::View;

std::size_t extent(int value) { return static_cast<std::size_t>(value); }

void check_rate(const std::string& site, double rate) {
  if (!(rate >= 0 && rate < 1)) {
    throw InputError("the " + site + " dropout rate is " + std::to_string(rate) + ", allowed is 0 to less than 1");
  }
}

class Lowering {
 public:
  Lowering(const Architecture& architecture, const DropoutRates& dropout)
      : architecture_(architecture), dropout_(dropout) {}

  kernels::Program run() {
    const int width = architecture_.width;
    const int vocabulary = architecture_.vocabulary;
    program_.vocabulary = vocabulary;
    const ParameterId table = parameter("embedding", {extent(vocabulary), extent(width)}, Initialiser::normal);
    View x = buffer("embedding", width);
    emit(kernels::Embedding{table, x});
    for (const PositionCodeSpec& code : architecture_.position_codes) {
      emit(kernels::PositionCode{x.columns(code.offset, code.bits), code.delay});
    }
    x = drop("embedding_dropout", kernels::DropoutPlace::embedding, dropout_.embedding, x);
    for (std::size_t layer = 0; layer < architecture_.layers.size(); ++layer) {
      layer_ = static_cast<int>(layer);
      prefix_ = "layers." + std::to_string(layer) + ".";
      x = std::visit([&](const auto& block) { return lower_block(block, x); }, architecture_.layers[layer]);
    }
    program_.hidden = x;
    program_.head_begin = program_.forward.size();
    prefix_.clear();
    const View hidden = normalise(architecture_.final_norm, "final_norm", x);
    program_.logits = buffer("logits", vocabulary);
    emit(kernels::Linear{hidden, program_.logits, table, kNoParameter});
    differentiate(program_);
    return std::move(program_);
  }

 private:
  View lower_block(const TransformerBlock& block, const View& x) {
    prefix_ += "tf.";
    const int width = architecture_.width;
    const View attention = drop("attention_dropout", kernels::DropoutPlace::attention, dropout_.attention,
                                attend(block, normalise(block.norm, "norm1", x)));
    View y = attention;
    View after_attention = x;
    if (block.residual != Residual::none) after_attention = add("after_attention", x, attention);
    if (block.residual != Residual::none) y = after_attention;
    if (!block.mlp) return y;
    const View mlp_input = block.residual == Residual::sequential ? after_attention : x;
    const View inner = linear("mlp_in", normalise(block.norm, "norm2", mlp_input), 2 * width, true);
    const View active = activate("mlp_active", block.activation, inner);
    const View mlp =
        drop("mlp_dropout", kernels::DropoutPlace::mlp, dropout_.mlp, linear("mlp_out", active, width, true));
    return add("out", y, mlp);
  }

  View attend(const TransformerBlock& block, const View& in) {
    const int width = architecture_.width;
    const View qkv = linear("qkv", in, 3 * width, true);
    const View q = qkv.columns(0, width);
    const View k = qkv.columns(width, width);
    const View v = qkv.columns(2 * width, width);
    if (block.positions == Positions::rotary && block.rotary_width > 0) {
      const int divisor = block.rotary_divisor > 0 ? block.rotary_divisor : block.rotary_width;
      const auto turns = kernels::rotary_turns(block.rotary_width, block.rotary_base, divisor);
      emit(kernels::Rotary{q, block.heads, block.rotary_width, turns});
      emit(kernels::Rotary{k, block.heads, block.rotary_width, turns});
    }
    const View mixed = buffer(prefix_ + "mixed", width);
    const CarryId window = carry("attention", kernels::CarryKind::attention, width, block.window);
    emit(kernels::WindowAttention{q,
                                  k,
                                  v,
                                  mixed,
                                  block.heads,
                                  block.window,
                                  window,
                                  {kernels::DropoutPlace::probabilities, layer_, dropout_.probabilities}});
    return linear("out_proj", mixed, width, true);
  }

  View lower_block(const SsmBlock& block, const View& x) {
    prefix_ += "ssm.";
    const int e = inner_width(block, architecture_.width);
    const int rank = step_rank(block, architecture_.width);
    const int states = block.state_size;
    const View projected = linear("in_proj", normalise(block.norm, "norm", x), block.gate ? 2 * e : e, false);
    View u = projected.columns(0, e);
    if (block.kernel > 0) u = convolve(block, u);
    u = activate("u", block.activation, u);
    const View selected = linear("x_proj", u, rank + 2 * states, false);
    const View raw_step = linear("dt_proj", selected.columns(0, rank), e, true);
    const View step =
        activate("step", block.step == StepSize::softplus ? Activation::softplus : Activation::identity, raw_step);
    View y = buffer(prefix_ + "scan", e);
    const CarryId state = carry("state", kernels::CarryKind::scan_state, e, states);
    emit(kernels::SelectiveScan{u, step, selected.columns(rank, states), selected.columns(rank + states, states), y,
                                parameter(prefix_ + "A_log", {extent(e), extent(states)}, Initialiser::log_index),
                                parameter(prefix_ + "D", {extent(e)}, Initialiser::ones), state});
    if (block.gate) {
      const View gate = activate("gate", block.activation, projected.columns(e, e));
      const View gated = buffer(prefix_ + "gated", e);
      emit(kernels::Multiply{y, gate, gated});
      y = gated;
    }
    const View out = linear("out_proj", y, architecture_.width, false);
    return block.residual ? add("out", x, out) : out;
  }

  View convolve(const SsmBlock& block, const View& u) {
    const View out = buffer(prefix_ + "conv", u.width);
    const ParameterId weight =
        parameter(prefix_ + "conv.weight", {extent(u.width), extent(block.kernel)}, Initialiser::convolution);
    const ParameterId bias = parameter(prefix_ + "conv.bias", {extent(u.width)}, Initialiser::convolution);
    const CarryId tail = carry("conv_tail", kernels::CarryKind::conv_tail, u.width, block.kernel - 1);
    emit(kernels::CausalConv{u, out, weight, bias, block.kernel, tail});
    return out;
  }

  View normalise(Norm norm, const std::string& name, const View& in) {
    if (norm == Norm::none) return in;
    const View out = buffer(prefix_ + name, in.width);
    const ParameterId weight = parameter(prefix_ + name + ".weight", {extent(in.width)}, Initialiser::ones);
    if (norm == Norm::rms) {
      emit(kernels::RmsNorm{in, out, weight});
    } else {
      emit(kernels::LayerNorm{in, out, weight,
                              parameter(prefix_ + name + ".bias", {extent(in.width)}, Initialiser::zeros)});
    }
    return out;
  }

  View linear(const std::string& name, const View& in, int outputs, bool with_bias) {
    const View out = buffer(prefix_ + name, outputs);
    const ParameterId weight =
        parameter(prefix_ + name + ".weight", {extent(outputs), extent(in.width)}, Initialiser::normal);
    const ParameterId bias =
        with_bias ? parameter(prefix_ + name + ".bias", {extent(outputs)}, Initialiser::zeros) : kNoParameter;
    emit(kernels::Linear{in, out, weight, bias});
    return out;
  }

  View activate(const std::string& name, Activation activation, const View& in) {
    if (activation == Activation::identity) return in;
    const View out = buffer(prefix_ + name, in.width);
    emit(kernels::Activate{in, out, activation});
    return out;
  }

  View add(const std::string& name, const View& a, const View& b) {
    const View out = buffer(prefix_ + name, a.width);
    emit(kernels::Add{a, b, out});
    return out;
  }

  View drop(const std::string& name, kernels::DropoutPlace place, double rate, const View& in) {
    if (rate == 0) return in;
    const View out = buffer(prefix_ + name, in.width);
    emit(kernels::Dropout{in, out, {place, layer_, rate}});
    return out;
  }

  View buffer(const std::string& name, int width) {
    program_.buffers.push_back({name, width});
    return {static_cast<int>(program_.buffers.size()) - 1, 0, width};
  }

  ParameterId parameter(const std::string& name, std::vector<std::size_t> shape, Initialiser initialiser) {
    program_.parameters.push_back({name, std::move(shape), initialiser});
    return static_cast<ParameterId>(program_.parameters.size()) - 1;
  }

  CarryId carry(const std::string& name, kernels::CarryKind kind, int channels, int depth) {
    program_.carries.push_back({prefix_ + name, kind, channels, depth});
    return static_cast<CarryId>(program_.carries.size()) - 1;
  }

  void emit(Operation operation) { program_.forward.push_back(std::move(operation)); }

  const Architecture& architecture_;
  const DropoutRates dropout_;
  kernels::Program program_;
  std::string prefix_;
  int layer_ = 0;
};

}  // namespace

kernels::Program lower(const Architecture& architecture) { return lower(architecture, {}); }

kernels::Program lower(const Architecture& architecture, const DropoutRates& dropout) {
  validate(architecture);
  check_rate("embedding", dropout.embedding);
  check_rate("attention probability", dropout.probabilities);
  check_rate("attention branch", dropout.attention);
  check_rate("MLP branch", dropout.mlp);
  return Lowering(architecture, dropout).run();
}

}  // namespace hyseq::models
