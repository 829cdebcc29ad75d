// Streaming level: a decaying scalar register, previous tokens and recency by rotary phases, the nearest word by (c,
// c^2).
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "constructions/decode_recall_parts.hpp"
#include "constructions/gadgets/decaying_register.hpp"
#include "constructions/gadgets/lookup.hpp"
#include "constructions/gadgets/plain_blocks.hpp"
#include "models/lowering.hpp"

namespace hyseq::constructions {
namespace {

struct Parts {
  Layout layout;
  Subspace token, one, is_bit, bit, reg, own_value, own_square, previous_value, previous_square;
};

Parts lay_out(const DecodeRecallSpec& spec) {
  Parts parts;
  parts.token = parts.layout.add("token", code_bits(spec.words() + 2));
  parts.one = parts.layout.add("one", 1);
  parts.is_bit = parts.layout.add("is bit", 1);
  parts.bit = parts.layout.add("bit", 1);
  parts.reg = parts.layout.add("register", 1);
  parts.own_value = parts.layout.add("value", 1);
  parts.own_square = parts.layout.add("square", 1);
  parts.previous_value = parts.layout.add("previous value", 1);
  parts.previous_square = parts.layout.add("previous square", 1);
  return parts;
}

/// Centre distance D = lambda^(b-1) and class width w = lambda^b / (1 - lambda): a class is told from its neighbour by
/// D (D - w).
double separation(double lambda, int bits) {
  const double distance = std::pow(lambda, bits - 1);
  return distance * (distance - distance * lambda / (1 - lambda));
}

double best_lambda(int bits) {
  double best = 1.0 / 64;
  for (int k = 1; k < 128; ++k) {
    if (separation(k / 256.0, bits) > separation(best, bits)) best = k / 256.0;
  }
  return best;
}

double round_to_bits(double value, int fraction_bits) {
  return std::ldexp(std::round(std::ldexp(value, fraction_bits)), -fraction_bits);
}

/// The least number of at most four significant bits that is not below `value`: exact in every number format.
double round_up_to_four_bits(double value) {
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);
  return std::ldexp(std::ceil(mantissa * 16), exponent - 4);
}

void choose_word_values(DecodeRecallConstruction& c) {
  const int bits = c.spec.bits;
  const double lambda = c.lambda;
  const double class_width = std::pow(lambda, bits) / (1 - lambda);
  // Few enough bits that value and square are exact, many enough that the error is small against the distance of
  // classes.
  const int fraction_bits = static_cast<int>(std::ceil(-std::log2(std::pow(lambda, bits - 1)))) + 6;
  c.centre = round_to_bits(0.5 / (1 - lambda), 6);
  for (int w = 0; w < c.spec.words(); ++w) {
    double value = class_width / 2;
    for (int k = 0; k < bits; ++k) value += ((w >> k) & 1) != 0 ? std::pow(lambda, k) : 0;
    c.word_value.push_back(round_to_bits(value - c.centre, fraction_bits));
    c.word_square.push_back(c.word_value.back() * c.word_value.back());
  }
}

/// Least (x - c')^2 - (x - c)^2 over all classes, states x in them, and values c' of other words. Quadratic in x and
/// linear in the difference, so the ends of a class and its neighbours in order are enough.
double least_separation(const DecodeRecallConstruction& c) {
  const double half_width = std::pow(c.lambda, c.spec.bits) / (1 - c.lambda) / 2;
  std::vector<std::pair<double, double>> ordered;  // exact centre less s0, value as written
  for (int w = 0; w < c.spec.words(); ++w) {
    double middle = half_width - c.centre;
    for (int k = 0; k < c.spec.bits; ++k) middle += ((w >> k) & 1) != 0 ? std::pow(c.lambda, k) : 0;
    ordered.emplace_back(middle, c.word_value[static_cast<std::size_t>(w)]);
  }
  std::sort(ordered.begin(), ordered.end());
  double least = std::numeric_limits<double>::infinity();
  const auto compare = [&](std::size_t own, std::size_t other) {
    for (const double x : {ordered[own].first - half_width, ordered[own].first + half_width}) {
      const double far = x - ordered[other].second;
      const double near = x - ordered[own].second;
      least = std::min(least, far * far - near * near);
    }
  };
  for (std::size_t i = 0; i + 1 < ordered.size(); ++i) {
    compare(i, i + 1);
    compare(i + 1, i);
  }
  return least;
}

constexpr double kNeverMatches = 8;  // square of a bit token's key: far below every word's score

void write_embedding(WeightWriter& weights, const DecodeRecallConstruction& c, const Parts& parts) {
  for (int id = 0; id < c.spec.words() + 2; ++id) {
    for (int i = 0; i < parts.token.width; ++i) weights.at("embedding", id, parts.token.at(i)) = signed_bit(id, i);
    weights.at("embedding", id, parts.one.at(0)) = 1;
    if (id < c.spec.words()) {
      weights.at("embedding", id, parts.own_value.at(0)) = c.word_value[static_cast<std::size_t>(id)];
      weights.at("embedding", id, parts.own_square.at(0)) = c.word_square[static_cast<std::size_t>(id)];
    } else {
      weights.at("embedding", id, parts.is_bit.at(0)) = 1;
      weights.at("embedding", id, parts.bit.at(0)) = id == c.spec.words() ? 0 : 1;
      weights.at("embedding", id, parts.own_square.at(0)) = kNeverMatches;
    }
  }
  if (c.spec.fault == Fault::wrong_code_bit) weights.at("embedding", 0, parts.token.at(0)) *= -1;
}

/// Half the angle that the recency phases sweep over the window, around a right angle where the cosine is steepest.
constexpr double kHalfSweep = 0.5;

}  // namespace

void build_streaming(DecodeRecallConstruction& c) {
  const DecodeRecallSpec& spec = c.spec;
  const Parts parts = lay_out(spec);
  const Fault fault = spec.fault;
  c.row_labels = parts.layout.labels();
  c.token = parts.token;
  c.lambda = fault == Fault::fast_decay ? 0.75 : best_lambda(spec.bits);
  choose_word_values(c);

  // Recency: size cos(theta delay + pi/2 - sweep) falls by at least gamma from each position to the one before.
  constexpr double kGamma = 2;
  const double theta = 2 * kHalfSweep / std::max(2, spec.window - 1);  // below 1, as a rotary base needs
  const double size = kGamma / (2 * std::sin(theta / 2) * std::cos(kHalfSweep));
  c.recency = fault == Fault::no_recency ? 0 : kGamma;
  c.recency_size = fault == Fault::no_recency ? 0 : size;
  c.recency_range = 2 * c.recency_size * std::sin(kHalfSweep);
  const double crowd = std::log(static_cast<double>(spec.window));
  const double needed = 1.1 * (2 * size * std::sin(kHalfSweep)) + crowd + 4;
  c.previous_match = 60 / (1 - std::cos(1.0));

  const DecayingRegister reg{parts.bit, parts.is_bit, parts.one, parts.reg, c.lambda};
  const int width = parts.layout.width();
  models::TransformerBlock previous_block = plain_attention(2, models::Residual::sequential);
  previous_block.positions = models::Positions::rotary;
  previous_block.rotary_width = 2;
  models::TransformerBlock recall_block =
      plain_attention(spec.window - (fault == Fault::short_window ? 1 : 0), models::Residual::none);
  recall_block.positions = models::Positions::rotary;
  recall_block.rotary_width = 4;
  recall_block.rotary_base = 1 / (theta * theta);  // frequencies 1 and theta

  c.architecture.width = width;
  c.architecture.vocabulary = spec.words() + 2;
  c.architecture.layers = {reg.block(), previous_block, recall_block};
  c.architecture.final_norm = models::Norm::none;
  c.program = models::lower(c.architecture);

  WeightWriter weights(c.program);
  write_embedding(weights, c, parts);
  reg.write(weights, "layers.0.ssm.");
  if (fault == Fault::broken_carry) weights.at("layers.0.ssm.dt_proj.bias", 0) = 0x1p-3;

  // Phase 1 back from the own position: the previous token, to better than e^-60.
  Lookup previous(weights, "layers.1.tf.", width);
  const double back = fault == Fault::off_by_one ? 0 : 1;
  previous.query(0, parts.one.at(0), c.previous_match * std::cos(back));
  previous.query(1, parts.one.at(0), -c.previous_match * std::sin(back));
  previous.key(0, parts.one.at(0), 1);
  previous.copy(parts.own_value, parts.previous_value);
  previous.copy(parts.own_square, parts.previous_square);

  // beta (2 (s - s0) c - c^2), written so that beta sqrt(width) is exact in every format.
  Lookup recall(weights, "layers.2.tf.", width);
  const double separated =
      fault == Fault::fast_decay ? separation(best_lambda(spec.bits), spec.bits) : least_separation(c);
  const double scaled =
      fault == Fault::zero_temperature ? 0 : round_up_to_four_bits(needed / separated * recall.scale());
  c.match = scaled / recall.scale();
  const double phase = std::numbers::pi / 2 - kHalfSweep;
  recall.query(1, parts.one.at(0), c.recency_size * std::cos(phase));
  recall.query(3, parts.one.at(0), c.recency_size * std::sin(phase));
  recall.key(1, parts.one.at(0), 1);
  recall.query_scaled(4, parts.reg.at(0), 2 * scaled);
  recall.query_scaled(4, parts.one.at(0), -2 * scaled * c.centre);
  recall.key(4, parts.previous_value.at(0), 1);
  recall.query_scaled(5, parts.one.at(0), -scaled);
  recall.key(5, parts.previous_square.at(0), 1);
  recall.copy(parts.token, parts.token);
  c.values = weights.values();
}

}  // namespace hyseq::constructions
