#include "constructions/trainable/deep_recall.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "constructions/trainable/token_codes.hpp"
#include "kernels/base/error.hpp"
#include "models/lowering.hpp"

namespace hyseq::constructions {
namespace {

using Spec = DeepRecallSpec;

constexpr double kSaturated = 12;  // distance of a step's two silus from their bends at the ends of intervals

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
  detect_bits(state, c.codes, spec);
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
  const double shown = std::sqrt(width / 3.0);  // own, previous and spelt code share the length
  const double root = std::sqrt(static_cast<double>(width));
  const double beta = spec.fault == Fault::zero_temperature ? 0 : c.scores.temperature;
  constexpr int kMatch = 4;  // the first coordinate that is not turned
  for (int k = 0; k < spec.code_width(); ++k) {
    frame.read(weights, prefix + "qkv.weight", kMatch + k, axes.spelt + k, beta * root / shown);
    frame.read(weights, prefix + "qkv.weight", width + kMatch + k, axes.previous + k, 1 / shown);
  }
  write_code_values(weights, frame, prefix, spec.code_width(), shown, c.scores.value_gain);
  if (spec.fault != Fault::no_recency) Recency(spec.window, c.scores.recency).write(weights, prefix, width, root);
}

}  // namespace

void DeepRecallSpec::validate() const {
  check_sizes(*this, least_width(), 256);
  if (!std::isfinite(step_bias) || step_bias > -1) throw InputError("the bias of the step size must be -1 or less");
}

DeepRecallConstruction build(const DeepRecallSpec& given) {
  given.validate();
  DeepRecallConstruction c;
  c.spec = given;
  const Spec& spec = c.spec;
  label_parts(c, spec);
  choose_register(c);
  c.codes = spherical_code(spec.answers(), spec.code_width());
  c.code_gap = decoder_gap(c.codes);
  c.scores = recall_scores(spec.window, c.code_gap, c.code_gap);
  c.architecture = recall_architecture(spec, 2);
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
