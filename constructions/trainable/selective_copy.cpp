#include "constructions/trainable/selective_copy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "constructions/trainable/selective_state.hpp"
#include "constructions/trainable/token_codes.hpp"
#include "kernels/base/error.hpp"
#include "models/lowering.hpp"

namespace hyseq::constructions {
namespace {

constexpr double kRegisterSize =
    0.5;  // of the register's largest tangent, as LayerNorm shows it, in units of sqrt(width)

using Spec = TrainableCopySpec;

/// Least 1 - cos(theta x) over the offsets x of wrong positions: -distance_max .. window - 1 - distance_min.
double score_gap(const Spec& spec, double theta) {
  double gap = 2;
  for (int x = 1; x <= std::max(spec.distance_max(), spec.window - 1 - spec.distance_min); ++x) {
    gap = std::min(gap, 1 - std::cos(theta * x));
  }
  return gap;
}

double middle_distance(const Spec& spec) { return spec.distance_min + (spec.distances - 1) / 2.0; }

/// Width 4: the largest gap whose phases from the middle distance stay below 60 degrees, so that tangents do.
double best_frequency(const Spec& spec) {
  const double half_span = std::max(0.5, (spec.distances - 1) / 2.0);
  double best = 0;
  for (int i = 1; i <= 1000; ++i) {
    const double theta = std::min(0.99, std::numbers::pi / 3 / half_span) * i / 1000;
    if (best == 0 || score_gap(spec, theta) > score_gap(spec, best)) best = theta;
  }
  return best;
}

/// Phase that number `index` asks for, and how the register says so.
class PhaseRegister {
 public:
  PhaseRegister(const Spec& spec, double theta) : spec_(spec), theta_(theta) {
    const double shift = spec.fault == Fault::off_by_one ? 1 : 0;
    half_tangent_ = std::tan(theta * std::max(0.5, (spec.distances - 1) / 2.0));
    middle_ = middle_distance(spec) + shift;
  }

  /// Added to the residual by the state space block.
  [[nodiscard]] Code value(int index) const {
    const double phase = theta_ * (index - (spec_.distances - 1) / 2.0);
    if (spec_.register_width() == 2) return {std::cos(phase), std::sin(phase)};
    const double shown = kRegisterSize * std::tan(phase) / half_tangent_;  // sine of the angle to the code
    return {shown / std::sqrt(1 - shown * shown)};
  }

  /// Query coordinates `a`, `b`: length at least `size`, angle -theta * distance.
  void write_query(WeightWriter& weights, const Frame& frame, int a, int b, double size) const {
    const int axis = 1 + spec_.code_width();
    const double root = std::sqrt(static_cast<double>(spec_.width));
    const double cosine = std::cos(theta_ * middle_);
    const double sine = std::sin(theta_ * middle_);
    const char* weight = "layers.1.tf.qkv.weight";
    if (spec_.register_width() == 2) {
      // LayerNorm shows code and register with length sqrt(width) together, the register half of the square.
      const double factor = size / std::sqrt(spec_.width / 2.0);
      frame.read(weights, weight, a, axis, cosine * factor);
      frame.read(weights, weight, a, axis + 1, -sine * factor);
      frame.read(weights, weight, b, axis, -sine * factor);
      frame.read(weights, weight, b, axis + 1, -cosine * factor);
      return;
    }
    const double factor = size * half_tangent_ / (kRegisterSize * root);
    weights.at("layers.1.tf.qkv.bias", a) = size * cosine;
    weights.at("layers.1.tf.qkv.bias", b) = -size * sine;
    frame.read(weights, weight, a, axis, -sine * factor);
    frame.read(weights, weight, b, axis, -cosine * factor);
  }

 private:
  const Spec& spec_;
  double theta_;
  double half_tangent_;
  double middle_;
};

models::Architecture architecture(const TrainableCopyConstruction& c) {
  const Spec& spec = c.spec;
  models::SsmBlock ssm;
  ssm.state_size = spec.state_size;
  models::TransformerBlock tf;
  tf.window = spec.fault == Fault::short_window ? spec.distance_max() : spec.window;
  if (spec.register_width() == 2) {
    tf.rotary_width = models::rotary_width(0.25, spec.width);
  } else {
    tf.rotary_width = 4;
    tf.rotary_base = 1 / (c.frequency * c.frequency);  // frequencies 1 and theta
  }
  models::Architecture architecture;
  architecture.width = spec.width;
  architecture.vocabulary = spec.vocabulary();
  architecture.layers = {ssm, tf};
  return architecture;
}

void write_attention(WeightWriter& weights, const Frame& frame, const TrainableCopyConstruction& c,
                     const models::TransformerBlock& tf, const PhaseRegister& phases) {
  const std::string prefix = "layers.1.tf.";
  const int width = c.spec.width;
  const int pair = c.spec.register_width() == 2 ? 0 : 1;
  const double root = std::sqrt(static_cast<double>(width));
  const double temperature = c.spec.fault == Fault::zero_temperature ? 0 : c.temperature;
  phases.write_query(weights, frame, pair, pair + tf.rotary_width / 2, temperature * root);
  weights.at(prefix + "qkv.bias", width + pair) = 1;  // every key has phase 0 in front of the rotation
  write_code_values(weights, frame, prefix, c.spec.code_width(), root, c.value_gain);
}

}  // namespace

void TrainableCopySpec::validate() const {
  const auto refuse = [](const std::string& what, int value, const std::string& allowed) {
    throw InputError(what + " " + std::to_string(value) + " must lie in " + allowed);
  };
  if (values < 1 || values > 4096) refuse("values", values, "1..4096");
  if (distances < 1 || distances > 256) refuse("distances", distances, "1..256");
  if (distance_min < 0 || distance_min > 4096) refuse("smallest distance", distance_min, "0..4096");
  if (window <= distance_max() || window > (1 << 20)) {
    refuse("window", window, "largest distance + 1 (" + std::to_string(distance_max() + 1) + ")..1048576");
  }
  if (width < least_width() || width > 1024) refuse("width", width, std::to_string(least_width()) + "..1024");
  if (state_size < 1 || state_size > 256) refuse("state size", state_size, "1..256");
  if (!std::isfinite(step_bias)) throw InputError("the bias of the step size must be finite");
}

TrainableCopyConstruction build(const TrainableCopySpec& given) {
  given.validate();
  TrainableCopyConstruction c;
  c.spec = given;
  const Spec& spec = c.spec;
  for (int v = 0; v < spec.values; ++v) c.token_labels.push_back("V" + std::to_string(v));
  for (int n = 0; n < spec.distances; ++n) c.token_labels.push_back("#" + std::to_string(spec.distance_min + n));
  for (const char* special : {"<bos>", "<eos>", "<null>"}) c.token_labels.emplace_back(special);
  for (int i = 0; i < spec.width; ++i) c.row_labels.push_back("coordinate " + std::to_string(i));

  c.codes = spherical_code(spec.answers(), spec.code_width());
  c.code_gap = decoder_gap(c.codes);
  c.frequency = spec.register_width() == 2 ? 1 : best_frequency(spec);
  c.score_gap = score_gap(spec, c.frequency);
  // The rest of the window gets so little attention that it moves the code by a twentieth of the decoder's gap.
  c.temperature = std::log(40 * std::max(1, spec.window - 1) / c.code_gap) / c.score_gap;
  // The token's own code turns the sum by less than a quarter of the way to the nearest other code.
  c.value_gain = 4 * std::sqrt(2 / c.code_gap) * std::sqrt(2.0);
  c.architecture = architecture(c);
  c.program = models::lower(c.architecture);

  const Frame frame(spec.width);
  const PhaseRegister phases(spec, c.frequency);
  WeightWriter weights(c.program);
  write_token_codes(weights, frame, c.codes, spec.fault == Fault::wrong_code_bit);
  SelectiveState::Settings settings;
  settings.write_step = std::max(std::abs(spec.step_bias), 110.0 / spec.state_size);  // forgets to exactly 0 in float
  settings.step_bias = spec.fault == Fault::broken_carry ? kFadingBias : spec.step_bias;
  settings.mixture.assign(static_cast<std::size_t>(spec.state_size), 0.0);
  settings.mixture.back() = 1;  // the state that decays fastest
  SelectiveState state(weights, frame, std::get<models::SsmBlock>(c.architecture.layers[0]), "layers.0.ssm.", settings);
  for (int n = 0; n < spec.distances; ++n) {
    state.detect(n, c.codes, static_cast<std::size_t>(spec.values) + static_cast<std::size_t>(n));
    state.writes(n);
    int axis = 1 + spec.code_width();
    for (const double value : phases.value(n)) state.show_states(n, axis++, value);
  }
  write_attention(weights, frame, c, std::get<models::TransformerBlock>(c.architecture.layers[1]), phases);
  weights.fill("final_norm.weight", head_weight(spec.width, c.code_gap));
  c.values = weights.values();
  return c;
}

}  // namespace hyseq::constructions
