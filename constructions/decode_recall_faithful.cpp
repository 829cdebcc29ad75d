// Faithful level: signed binary codes of tokens and positions; the query bits stand in the last b positions.
#include <algorithm>
#include <cmath>

#include "constructions/decode_recall_parts.hpp"
#include "constructions/gadgets/lookup.hpp"
#include "constructions/gadgets/plain_blocks.hpp"
#include "constructions/gadgets/positioned_register.hpp"
#include "models/lowering.hpp"

namespace hyseq::constructions {
namespace {

struct Parts {
  Layout layout;
  Subspace token, position, previous_position, previous, query, bit, one;
};

Parts lay_out(const DecodeRecallSpec& spec) {
  Parts parts;
  const int token_bits = code_bits(spec.words() + 2);
  const int position_bits = code_bits(spec.length);
  parts.token = parts.layout.add("token", token_bits);
  parts.position = parts.layout.add("position", position_bits);
  parts.previous_position = parts.layout.add("previous position", position_bits);
  parts.previous = parts.layout.add("previous token", token_bits);
  parts.query = parts.layout.add("query", spec.bits);
  parts.bit = parts.layout.add("bit", 1);
  parts.one = parts.layout.add("one", 1);
  return parts;
}

void write_embedding(WeightWriter& weights, const DecodeRecallSpec& spec, const Parts& parts) {
  for (int id = 0; id < spec.words() + 2; ++id) {
    for (int i = 0; i < parts.token.width; ++i) weights.at("embedding", id, parts.token.at(i)) = signed_bit(id, i);
    weights.at("embedding", id, parts.one.at(0)) = 1;
    if (id >= spec.words()) weights.at("embedding", id, parts.bit.at(0)) = id == spec.words() ? -1 : 1;
  }
  if (spec.fault == Fault::wrong_code_bit) weights.at("embedding", 0, parts.token.at(0)) *= -1;
}

PositionedRegister query_register(const DecodeRecallSpec& spec, const Parts& parts) {
  PositionedRegister query{parts.bit, parts.position, parts.one, parts.query, {}};
  // Most significant bit first: bit i of the word's code stands i positions before the last.
  const int shift = spec.fault == Fault::off_by_one ? 1 : 0;
  for (int i = 0; i < spec.bits; ++i) query.places.push_back(spec.length - 1 - i - shift);
  return query;
}

/// Recency as a linear function of the position code's low bits. A window of at most 2^m positions meets at most two
/// aligned blocks of 2^m, told apart by bit m, whose sign at the last position says which block is newer.
void write_recency(Lookup& lookup, const DecodeRecallConstruction& c, const Parts& parts, int coordinate) {
  const int low = std::min(code_bits(c.spec.window), parts.position.width);
  lookup.query(coordinate, parts.one.at(0), c.recency);
  for (int i = 0; i < low; ++i) lookup.key(coordinate, parts.position.at(i), std::ldexp(0.5, i));
  if (low < parts.position.width) {
    lookup.key(coordinate, parts.position.at(low), std::ldexp(0.5, low) * signed_bit(c.spec.length - 1, low));
  }
}

}  // namespace

void build_faithful(DecodeRecallConstruction& c) {
  const DecodeRecallSpec& spec = c.spec;
  const Parts parts = lay_out(spec);
  const int seen = std::min(spec.window, spec.length);
  c.row_labels = parts.layout.labels();
  c.token = parts.token;
  c.recency = spec.fault == Fault::no_recency ? 0 : 2.5;
  c.recency_range = c.recency * (seen - 1);
  c.recency_size = c.recency * std::ldexp(1.0, std::min(code_bits(spec.window), parts.position.width));
  // One wrong code bit must cost more than the whole recency range and the crowd of the window.
  c.match = (c.recency_range + std::log(static_cast<double>(seen)) + 4) / 2;
  c.previous_match = 12;
  if (spec.fault == Fault::zero_temperature) c.match = 0;

  const PositionedRegister query = query_register(spec, parts);
  c.architecture.width = parts.layout.width();
  c.architecture.vocabulary = spec.words() + 2;
  c.architecture.layers = {
      query.block(), plain_attention(2, models::Residual::sequential),
      plain_attention(spec.window - (spec.fault == Fault::short_window ? 1 : 0), models::Residual::none)};
  c.architecture.final_norm = models::Norm::none;
  c.architecture.position_codes = {{parts.position.offset, parts.position.width, 0},
                                   {parts.previous_position.offset, parts.previous_position.width, 1}};
  c.program = models::lower(c.architecture);

  WeightWriter weights(c.program);
  write_embedding(weights, spec, parts);
  query.write(weights, "layers.0.ssm.");
  if (spec.fault == Fault::broken_carry) {
    // The register's first place is overwritten at every position.
    weights.at("layers.0.ssm.dt_proj.bias", spec.bits - 1) = 1024.0 * parts.position.width;
  }

  Lookup previous(weights, "layers.1.tf.", parts.layout.width());
  previous.match(0, parts.previous_position, parts.position, c.previous_match);
  previous.copy(parts.token, parts.previous);

  Lookup recall(weights, "layers.2.tf.", parts.layout.width());
  const Subspace previous_word{"", parts.previous.offset, spec.bits};
  recall.match(0, parts.query, previous_word, c.match);
  // A key that is itself a bit token has the code's top bit set and loses two matches.
  recall.query(spec.bits, parts.one.at(0), -c.match);
  recall.key(spec.bits, parts.token.at(spec.bits), 1);
  write_recency(recall, c, parts, spec.bits + 1);
  recall.copy(parts.token, parts.token);
  c.values = weights.values();
}

}  // namespace hyseq::constructions
