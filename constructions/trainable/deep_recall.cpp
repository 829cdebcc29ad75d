#include "constructions/trainable/deep_recall.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "constructions/trainable/recency.hpp"
#include "constructions/trainable/selective_state.hpp"
#include "constructions/trainable/token_codes.hpp"
#include "kernels/base/error.hpp"
#include "models/lowering.hpp"

namespace hyseq::constructions {
namespace {

using Spec = DeepRecallSpec;

constexpr double kFadingBias = -3;  // of the control
constexpr double kSaturated = 12;   // distance of a step's two silus from their bends at the ends of intervals

enum Channel : int { kBitZero = 0, kBitOne = 1, kPassing = 2 };

struct Axes {
  explicit Axes(const Spec& spec)
      : previous(1 + spec.code_width()), reg(1 + 2 * spec.code_width()), spelt(2 + 2 * spec.code_width()) {}
  int code = 1;
  int previous;
  int reg;
  int spelt;
};

/// lambda = (b-1) / 2b makes lambda^(b-1) (1 - 2 lambda), the gap relative to the range, largest.
void choose_register(DeepRecallConstruction& c) {
  const int bits = c.spec.bits;
  c.lambda = c.spec.fault == Fault::fast_decay ? 0.75 : std::max(0.2, (bits - 1) / (2.0 * bits));
  const double range = 1 / (1 - c.lambda);
  const double older = std::pow(c.lambda, bits) * range;
  for (int word = 0; word < c.spec.words(); ++word) {
    double value = 0;
    for (int k = 0; k < bits; ++k) value += ((word >> k) & 1) != 0 ? std::pow(c.lambda, k) : 0;
    c.intervals.push_back({word, 2 * value / range - 1, 2 * (value + older) / range - 1});
  }
  std::sort(c.intervals.begin(), c.intervals.end(), [](const auto& a, const auto& b) { return a.low < b.low; });
  c.register_gap = std::numeric_limits<double>::infinity();
  for (std::size_t i = 1; i < c.intervals.size(); ++i) {
    c.register_gap = std::min(c.register_gap, c.intervals[i].low - c.intervals[i - 1].high);
  }
}

void write_state(WeightWriter& weights, const Frame& frame, const DeepRecallConstruction& c) {
  const Spec& spec = c.spec;
  const Axes axes(spec);
  SelectiveState::Settings settings;
  settings.write_step = std::abs(spec.step_bias);  // relative errors of the step are those of what makes it
  settings.step_bias = spec.fault == Fault::broken_carry ? kFadingBias : spec.step_bias;
  settings.mixture.assign(static_cast<std::size_t>(spec.state_size), 0.0);
  settings.mixture.back() = 1;
  SelectiveState state(weights, frame, std::get<models::SsmBlock>(c.architecture.layers[0]), "layers.0.ssm.", settings);
  const auto first_bit = static_cast<std::size_t>(spec.words());
  state.detect(kBitZero, c.codes, first_bit);
  state.detect(kBitOne, c.codes, first_bit + 1);
  for (const int bit : {kBitZero, kBitOne}) state.writes(bit);
  state.decay(kBitOne, -std::log(c.lambda) / settings.write_step);
  state.show_states(kBitOne, axes.reg, 2 * (1 - c.lambda));
  state.show_constant(axes.reg, -1);
  const int delay = spec.fault == Fault::off_by_one ? 2 : 1;
  for (int i = 0; i < spec.code_width(); ++i) state.pass(kPassing + 2 * i, axes.code + i, delay, axes.previous + i, 1);
}

/// The staircase, from the word in the middle outwards: steps silu(z + 12) - silu(z - 12), which are 0 for z < -24 and
/// 24 for z > 24, to 1e-4. A silu that is open grows with z and cancels in its pair alone, so that noise on the weights
/// hurts in proportion to how many are open: steps below the middle face the other way.
void write_expansion(WeightWriter& weights, const Frame& frame, const DeepRecallConstruction& c) {
  const std::string prefix = "layers.1.tf.";
  const Axes axes(c.spec);
  weights.fill(prefix + "norm1.weight", 1);
  weights.fill(prefix + "norm2.weight", 1);
  // What LayerNorm shows of the register beside two codes.
  const auto shown = [&](double u) { return u * std::sqrt(c.spec.width / (2 + u * u)); };
  const auto code_of = [&](std::size_t i) { return c.codes[static_cast<std::size_t>(c.intervals[i].word)]; };
  const auto middle = [&](std::size_t i) { return (c.intervals[i].low + c.intervals[i].high) / 2; };
  /// Adds the code of interval `i`, and takes its place off the register: what remains of that is the place within the
  /// interval, so that all keys have nearly one length. Column -1 is the bias.
  const auto add = [&](std::size_t i, int column, double factor) {
    const Code code = code_of(i);
    for (int row = 0; row < c.spec.width; ++row) {
      double sum = -middle(i) * frame.at(axes.reg, row);
      for (std::size_t k = 0; k < code.size(); ++k) sum += code[k] * frame.at(axes.spelt + static_cast<int>(k), row);
      (column < 0 ? weights.at(prefix + "mlp_out.bias", row) : weights.at(prefix + "mlp_out.weight", row, column)) +=
          factor * sum;
    }
  };
  const std::size_t start = c.intervals.size() / 2;
  add(start, -1, 1);
  for (std::size_t i = 0; i + 1 < c.intervals.size(); ++i) {
    const bool up = i >= start;
    const double below = shown(c.intervals[i].high);
    const double above = shown(c.intervals[i + 1].low);
    const double slope = (up ? 1 : -1) * 4 * kSaturated / (above - below);
    for (const int side : {0, 1}) {
      const int channel = 2 * static_cast<int>(i) + side;
      const double sign = side == 0 ? 1 : -1;
      frame.read(weights, prefix + "mlp_in.weight", channel, axes.reg, slope);
      weights.at(prefix + "mlp_in.bias", channel) = -slope * (above + below) / 2 + sign * kSaturated;
      const double height = sign / (2 * kSaturated);
      add(up ? i + 1 : i, channel, height);
      add(up ? i : i + 1, channel, -height);
    }
  }
}

void write_recall(WeightWriter& weights, const Frame& frame, const DeepRecallConstruction& c) {
  const std::string prefix = "layers.2.tf.";
  const Spec& spec = c.spec;
  const Axes axes(spec);
  const int width = spec.width;
  weights.fill(prefix + "norm1.weight", 1);
  weights.fill(prefix + "norm2.weight", 1);
  const double shown = std::sqrt(width / 3.0);  // own, previous and spelt code share the length
  const double root = std::sqrt(static_cast<double>(width));
  const double beta = spec.fault == Fault::zero_temperature ? 0 : c.temperature;
  constexpr int kMatch = 4;  // the first coordinate that is not turned
  for (int k = 0; k < spec.code_width(); ++k) {
    frame.read(weights, prefix + "qkv.weight", kMatch + k, axes.spelt + k, beta * root / shown);
    frame.read(weights, prefix + "qkv.weight", width + kMatch + k, axes.previous + k, 1 / shown);
    frame.read(weights, prefix + "qkv.weight", 2 * width + k, axes.code + k, 1 / shown);
    frame.write(weights, prefix + "out_proj.weight", k, axes.code + k, c.value_gain);
  }
  if (spec.fault != Fault::no_recency) Recency(spec.window, c.recency).write(weights, prefix, width, root);
}

models::Architecture architecture(const Spec& spec) {
  models::SsmBlock ssm;
  ssm.state_size = spec.state_size;
  models::TransformerBlock tf;
  tf.window = spec.fault == Fault::short_window ? spec.window - 1 : spec.window;
  Recency(spec.window, 1).set_rotary(tf);
  models::Architecture architecture;
  architecture.width = spec.width;
  architecture.vocabulary = spec.vocabulary();
  architecture.layers = {ssm, tf, tf};
  return architecture;
}

}  // namespace

void DeepRecallSpec::validate() const {
  const auto refuse = [](const std::string& what, int value, const std::string& allowed) {
    throw InputError(what + " " + std::to_string(value) + " must lie in " + allowed);
  };
  if (bits < 1 || bits > 6) refuse("bits", bits, "1..6");
  if (window < 3 || window > (1 << 16)) refuse("window", window, "3..65536");
  if (width < least_width() || width > 1024) refuse("width", width, std::to_string(least_width()) + "..1024");
  if (state_size < 1 || state_size > 256) refuse("state size", state_size, "1..256");
  if (!std::isfinite(step_bias) || step_bias > -1) throw InputError("the bias of the step size must be -1 or less");
}

DeepRecallConstruction build(const DeepRecallSpec& given) {
  given.validate();
  DeepRecallConstruction c;
  c.spec = given;
  const Spec& spec = c.spec;
  for (int w = 0; w < spec.words(); ++w) c.token_labels.push_back("V" + std::to_string(w));
  for (const char* other : {"bit 0", "bit 1", "<bos>", "<eos>", "<null>"}) c.token_labels.emplace_back(other);
  for (int i = 0; i < spec.width; ++i) c.row_labels.push_back("coordinate " + std::to_string(i));
  choose_register(c);
  c.codes = spherical_code(spec.answers(), spec.code_width());
  c.code_gap = decoder_gap(c.codes);
  const double leak = c.code_gap / 16;  // attention beside the source that the decoder bears
  c.recency = std::log(2 / leak);
  c.temperature = (1.05 * Recency(spec.window, c.recency).range() + std::log(2 * spec.window / leak)) / c.code_gap;
  c.value_gain = 4 * std::sqrt(2 / c.code_gap);
  c.architecture = architecture(spec);
  c.program = models::lower(c.architecture);
  const Frame frame(spec.width);
  WeightWriter weights(c.program);
  write_token_codes(weights, frame, c.codes, spec.fault == Fault::wrong_code_bit);
  write_state(weights, frame, c);
  write_expansion(weights, frame, c);
  write_recall(weights, frame, c);
  weights.fill("final_norm.weight", head_weight(spec.width, c.code_gap));
  c.values = weights.values();
  return c;
}

}  // namespace hyseq::constructions
