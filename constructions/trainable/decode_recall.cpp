#include "constructions/trainable/decode_recall.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "constructions/trainable/token_codes.hpp"
#include "kernels/base/error.hpp"
#include "models/lowering.hpp"

namespace hyseq::constructions {
namespace {

using Spec = TrainableRecallSpec;

constexpr double kBitAngle = 5 * std::numbers::pi / 6;  // of the bits' places, away from the words' arc

/// Axes of the frame.
struct Axes {
  explicit Axes(const Spec& spec) : reg(1 + spec.code_width()), key(2 + spec.code_width()) {}
  int code = 1;
  int reg;
  int key;
};

/// Tangents of the words' angles.
std::vector<double> tangents(const TrainableRecallConstruction& c) {
  std::vector<double> all;
  const ExponentialFilter& filter = c.binary.filter;
  for (int word = 0; word < c.spec.words(); ++word) {
    all.push_back(c.slope * (filter.value(word) + (filter.low + filter.high) / 2 - c.centre));
  }
  return all;
}

/// The query for the tangent u is (1, u), the key of a word with tangent v is (1, v) / sqrt(1 + v^2), which is largest
/// at v = u. Least difference between the spelt word's key and another's; it is linear in u, so that the ends of the
/// word's interval are enough.
double least_match_gap(const TrainableRecallConstruction& c) {
  const std::vector<double> all = tangents(c);
  const double half = c.slope * (c.binary.filter.high - c.binary.filter.low) / 2;
  double gap = std::numeric_limits<double>::infinity();
  for (std::size_t w = 0; w < all.size(); ++w) {
    for (const double u : {all[w] - half, all[w] + half}) {
      const auto match = [&](double v) { return (1 + u * v) / std::sqrt(1 + v * v); };
      for (std::size_t other = 0; other < all.size(); ++other) {
        if (other != w) gap = std::min(gap, match(all[w]) - match(all[other]));
      }
      for (const double sign : {-1.0, 1.0}) {
        gap = std::min(gap, match(all[w]) - std::cos(kBitAngle) - u * sign * std::sin(kBitAngle));
      }
    }
  }
  return gap;
}

/// The slope with the widest gap: steep ones crowd the words at the ends of the arc, flat ones everywhere.
void choose_slope(TrainableRecallConstruction& c) {
  const ExponentialFilter& filter = c.binary.filter;
  const double last = filter.value(c.spec.words() - 1);
  c.centre = (last + filter.low + filter.high) / 2;
  double best = 0;
  for (int i = 1; i <= 60; ++i) {
    c.slope = 0.05 * i * 2 / last;
    const double gap = least_match_gap(c);
    if (best == 0 || gap > c.match_gap) {
      best = c.slope;
      c.match_gap = gap;
    }
  }
  c.slope = best;
}

/// The first two dimensions hold the place on the circle; in the others neighbours on the arc are far apart.
std::vector<Code> make_codes(const TrainableRecallConstruction& c) {
  std::vector<double> angles;
  for (const double v : tangents(c)) angles.push_back(std::atan(v));
  angles.push_back(-kBitAngle);
  angles.push_back(kBitAngle);
  const int rest = c.spec.code_width() - 2;
  const auto count = static_cast<int>(angles.size());
  // One more dimension tells neighbours apart by its sign; the arc has to do the rest.
  const double share = rest == 0 ? 1 : std::sqrt(rest == 1 ? 0.98 : 0.5);
  std::vector<Code> others;
  if (rest == 1) {
    for (int i = 0; i < count; ++i) others.push_back({i % 2 == 0 ? 1.0 : -1.0});
  } else if (rest > 1) {
    others = spherical_code(count, rest);
  }
  int stride = count * 3 / 8;  // on the circle of two dimensions neighbours are three eighths of a turn apart
  while (std::gcd(stride, count) != 1) ++stride;
  std::vector<Code> codes;
  for (int i = 0; i < count; ++i) {
    const double angle = angles[static_cast<std::size_t>(i)];
    Code code{share * std::cos(angle), share * std::sin(angle)};
    for (int k = 0; k < rest; ++k) {
      const int place = rest == 2 ? i * stride % count : i;
      code.push_back(std::sqrt(1 - share * share) *
                     others[static_cast<std::size_t>(place)][static_cast<std::size_t>(k)]);
    }
    codes.push_back(std::move(code));
  }
  return codes;
}

void write_state(WeightWriter& weights, const Frame& frame, const TrainableRecallConstruction& c) {
  const Spec& spec = c.spec;
  const Axes axes(spec);
  SelectiveState::Settings settings;
  settings.write_step = c.binary.step;
  settings.step_bias = spec.fault == Fault::broken_carry ? kFadingBias : spec.step_bias;
  settings.ignored = -30;  // the mixture's large weights cancel, so the states have to be exact
  settings.mixture = c.binary.filter.weights;
  SelectiveState state(weights, frame, std::get<models::SsmBlock>(c.architecture.layers[0]), "layers.0.ssm.", settings);
  detect_bits(state, c.codes, spec);
  state.show_states(kBitOne, axes.reg, c.register_size * c.slope);
  state.show_constant(axes.reg, -c.register_size * c.slope * c.centre);
  const int delay = spec.fault == Fault::off_by_one ? 2 : 1;
  for (int i = 0; i < 2; ++i) state.pass(kPassing + 2 * i, axes.code + i, delay, axes.key + i, 1);
}

void write_attention(WeightWriter& weights, const Frame& frame, const TrainableRecallConstruction& c) {
  const std::string prefix = "layers.1.tf.";
  const Spec& spec = c.spec;
  const Axes axes(spec);
  const int width = spec.width;
  const double place = std::hypot(c.codes[0][0], c.codes[0][1]);
  // LayerNorm gives own code and previous place the length sqrt(width) together.
  const double shown = std::sqrt(width / (1 + place * place));
  const double root = std::sqrt(static_cast<double>(width));
  const double beta = spec.fault == Fault::zero_temperature ? 0 : c.scores.temperature;
  constexpr int kMatch = 4;  // the first coordinate that is not turned
  weights.at(prefix + "qkv.bias", kMatch) = beta * root;
  frame.read(weights, prefix + "qkv.weight", kMatch + 1, axes.reg, beta * root / (shown * c.register_size));
  for (int i = 0; i < 2; ++i) {
    frame.read(weights, prefix + "qkv.weight", width + kMatch + i, axes.key + i, 1 / (shown * place));
  }
  if (spec.fault != Fault::no_recency) Recency(spec.window, c.scores.recency).write(weights, prefix, width, root);
  write_code_values(weights, frame, prefix, spec.code_width(), shown, c.scores.value_gain);
}

/// The register's share of LayerNorm's sum of squares differs between keys; it may move no score by more than 1/2.
double register_size(const TrainableRecallConstruction& c) {
  const double largest = c.slope * c.centre * 1.1;
  return 1 / (largest * std::sqrt(c.scores.temperature * std::hypot(1, largest)));
}

}  // namespace

void TrainableRecallSpec::validate() const {
  check_sizes(*this, least_width(), 64);
  if (!std::isfinite(step_bias)) throw InputError("the bias of the step size must be finite");
}

TrainableRecallConstruction build(const TrainableRecallSpec& given) {
  given.validate();
  TrainableRecallConstruction c;
  c.spec = given;
  const Spec& spec = c.spec;
  label_parts(c, spec);
  c.binary = best_register(spec.state_size, spec.bits);
  choose_slope(c);
  c.codes = make_codes(c);
  c.code_gap = decoder_gap(c.codes);
  c.scores = recall_scores(spec.window, c.code_gap, c.match_gap);
  c.register_size = register_size(c);
  c.architecture = recall_architecture(spec, 1);
  c.program = models::lower(c.architecture);
  const Frame frame(spec.width);
  WeightWriter weights(c.program);
  write_token_codes(weights, frame, c.codes, spec.fault == Fault::wrong_code_bit);
  write_state(weights, frame, c);
  write_attention(weights, frame, c);
  weights.fill("final_norm.weight", head_weight(spec.width, c.code_gap));
  c.values = weights.values();
  return c;
}

}  // namespace hyseq::constructions
