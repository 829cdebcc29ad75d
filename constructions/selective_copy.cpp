#include "constructions/selective_copy.hpp"

#include <algorithm>
#include <cmath>

#include "constructions/gadgets/latest_value.hpp"
#include "constructions/gadgets/lookup.hpp"
#include "constructions/gadgets/plain_blocks.hpp"
#include "kernels/base/error.hpp"
#include "models/lowering.hpp"

namespace hyseq::constructions {
namespace {

struct Parts {
  Layout layout;
  Subspace token, position, query, flag, one;
};

Parts lay_out(const SelectiveCopySpec& spec) {
  Parts parts;
  parts.token = parts.layout.add("token", code_bits(spec.vocabulary));
  if (spec.level == Level::faithful) {
    const int bits = code_bits(spec.length);
    parts.position = parts.layout.add("position", bits);
    parts.query = parts.layout.add("source", bits);
  } else {
    parts.query = parts.layout.add("phase", 2 * kRotaryPairs);
  }
  parts.flag = parts.layout.add("is number", 1);
  parts.one = parts.layout.add("one", 1);
  return parts;
}

double exact_temperature(const SelectiveCopySpec& spec, const RotaryDistance& rotary) {
  if (spec.fault == Fault::zero_temperature) return 0;
  const double crowd = std::log(static_cast<double>(std::max(1, spec.distances - 1)));
  return spec.level == Level::faithful ? 1 + crowd / 2 : 1.5 * (crowd + 2) / rotary.gap;
}

/// What number n asks for: the code of the source's position, or the phases of its distance.
void write_query(WeightWriter& weights, const SelectiveCopyConstruction& c, const Parts& parts, int row, int n) {
  const int distance = n - 1 + (c.spec.fault == Fault::off_by_one ? 1 : 0);
  if (c.spec.level == Level::faithful) {
    const long long source = std::max(0, c.spec.length - 1 - distance);
    for (int i = 0; i < parts.query.width; ++i) weights.at("embedding", row, parts.query.at(i)) = signed_bit(source, i);
  } else {
    for (int f = 0; f < kRotaryPairs; ++f) {
      const double angle =
          kernels::rotary_angle(static_cast<std::uint64_t>(distance), c.rotary.turns[static_cast<std::size_t>(f)]);
      weights.at("embedding", row, parts.query.at(f)) = std::cos(angle);
      weights.at("embedding", row, parts.query.at(f + kRotaryPairs)) = std::sin(angle);
    }
  }
}

void write_embedding(WeightWriter& weights, SelectiveCopyConstruction& c, const Parts& parts) {
  const int ordinary = c.spec.vocabulary - c.spec.distances;
  for (int id = 0; id < c.spec.vocabulary; ++id) {
    for (int i = 0; i < parts.token.width; ++i) weights.at("embedding", id, parts.token.at(i)) = signed_bit(id, i);
    weights.at("embedding", id, parts.one.at(0)) = 1;
    c.token_labels.push_back(id < ordinary ? "V" + std::to_string(id) : "#" + std::to_string(id - ordinary + 1));
    if (id < ordinary) continue;
    weights.at("embedding", id, parts.flag.at(0)) = 1;
    write_query(weights, c, parts, id, id - ordinary + 1);
  }
  if (c.spec.fault == Fault::wrong_code_bit) weights.at("embedding", 0, parts.token.at(0)) *= -1;
}

void write_lookup(WeightWriter& weights, const SelectiveCopyConstruction& c, const Parts& parts) {
  Lookup lookup(weights, "layers.1.tf.", parts.layout.width());
  if (c.spec.level == Level::faithful) {
    lookup.match(0, parts.query, parts.position, c.temperature);
  } else {
    // Rotated back by the distance: (cos, -sin) against the constant key (1, 0) in every pair of coordinates.
    for (int f = 0; f < kRotaryPairs; ++f) {
      lookup.query(f, parts.query.at(f), c.temperature);
      lookup.query(f + kRotaryPairs, parts.query.at(f + kRotaryPairs), -c.temperature);
      lookup.key(f, parts.one.at(0), 1);
    }
  }
  lookup.copy(parts.token, parts.token);
}

}  // namespace

void SelectiveCopySpec::validate() const {
  const auto refuse = [](const std::string& sentence) { throw InputError(sentence); };
  if (vocabulary < 2 || vocabulary > (1 << 22)) {
    refuse("vocabulary " + std::to_string(vocabulary) + " must lie in 2..4194304");
  }
  if (distances < 1 || distances > vocabulary) {
    refuse("distances " + std::to_string(distances) + " must lie in 1..vocabulary (" + std::to_string(vocabulary) +
           "), because every distance has a number token");
  }
  if (level == Level::faithful && (length < 2 || length < distances || length > (1 << 24))) {
    refuse("length " + std::to_string(length) + " must lie in " + std::to_string(std::max(2, distances)) +
           "..16777216 at the faithful level, since it has to hold all distances");
  }
}

SelectiveCopyConstruction build(const SelectiveCopySpec& spec) {
  spec.validate();
  const Parts parts = lay_out(spec);
  SelectiveCopyConstruction c;
  c.spec = spec;
  if (spec.level == Level::streaming) c.rotary = best_rotary(spec.distances);
  c.temperature = exact_temperature(spec, c.rotary);
  c.row_labels = parts.layout.labels();
  c.token = parts.token;
  c.query = parts.query;

  const LatestValue carry{parts.query, parts.flag, parts.one};
  const int window = spec.distances - (spec.fault == Fault::short_window ? 1 : 0);
  models::TransformerBlock attention = plain_attention(std::max(1, window), models::Residual::none);
  if (spec.level == Level::streaming) {
    attention.positions = models::Positions::rotary;
    attention.rotary_width = 2 * kRotaryPairs;
    attention.rotary_base = c.rotary.base;
  }
  c.architecture.width = parts.layout.width();
  c.architecture.vocabulary = spec.vocabulary;
  c.architecture.layers = {carry.block(), attention};
  c.architecture.final_norm = models::Norm::none;
  if (spec.level == Level::faithful) {
    c.architecture.position_codes = {{parts.position.offset, parts.position.width, 0}};
  }
  c.program = models::lower(c.architecture);

  WeightWriter weights(c.program);
  write_embedding(weights, c, parts);
  carry.write(weights, "layers.0.ssm.");
  if (spec.fault == Fault::broken_carry) {
    // A step of 2^-6 on every token instead of 0: the carried value fades.
    for (int i = 0; i < parts.query.width; ++i) weights.at("layers.0.ssm.dt_proj.bias", i) = 0x1p-6;
  }
  write_lookup(weights, c, parts);
  c.values = weights.values();
  return c;
}

}  // namespace hyseq::constructions
