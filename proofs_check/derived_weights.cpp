#include "proofs_check/derived_weights.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <unordered_map>

#include "kernels/rotary/rotary.hpp"

namespace hyseq::proofs_check {
namespace {

using constructions::Construction;
using constructions::kRotaryPairs;
using constructions::Level;

std::string label(const Construction& c, int token) { return c.token_labels[static_cast<std::size_t>(token)]; }

/// First row of the subspace called `name`.
int first_row(const Construction& c, const std::string& name) {
  for (std::size_t row = 0; row < c.row_labels.size(); ++row) {
    if (c.row_labels[row] == name || c.row_labels[row] == name + " 0") return static_cast<int>(row);
  }
  throw std::logic_error("no row is called " + name);
}

std::string code_failure(const Construction& c) {
  std::unordered_map<std::uint64_t, int> seen;
  for (int token = 0; token < c.architecture.vocabulary; ++token) {
    std::uint64_t code = 0;
    for (int i = 0; i < c.token.width; ++i) {
      const double bit = c.embedding(token, c.token.at(i));
      if (bit != 1 && bit != -1) return "the code of " + label(c, token) + " is not made of +1 and -1";
      code |= static_cast<std::uint64_t>(bit > 0) << i;
    }
    const auto [first, fresh] = seen.emplace(code, token);
    if (!fresh) return "the tokens " + label(c, first->second) + " and " + label(c, token) + " have the same code";
  }
  return {};
}

std::string window_failure(const Construction& c, int derived) {
  const int window = std::get<models::TransformerBlock>(c.architecture.layers.back()).window;
  if (window == derived) return {};
  return "the attention sees " + std::to_string(window) + " positions, not " + std::to_string(derived);
}

/// What number n must ask for, one coordinate of it.
double wanted_query(const constructions::SelectiveCopyConstruction& c, int n, int coordinate) {
  if (c.spec.level == Level::faithful) return constructions::signed_bit(c.spec.length - n, coordinate);
  const auto pair = static_cast<std::size_t>(coordinate % kRotaryPairs);
  const double angle = kernels::rotary_angle(static_cast<std::uint64_t>(n - 1), c.rotary.turns[pair]);
  return coordinate < kRotaryPairs ? std::cos(angle) : std::sin(angle);
}

}  // namespace

std::string weights_failure(const constructions::SelectiveCopyConstruction& c) {
  if (std::string failure = window_failure(c, c.spec.distances); !failure.empty()) return failure;
  if (std::string failure = code_failure(c); !failure.empty()) return failure;
  const bool faithful = c.spec.level == Level::faithful;
  const int query = first_row(c, faithful ? "source" : "phase");
  const int width = faithful ? constructions::code_bits(c.spec.length) : 2 * kRotaryPairs;
  const int flag = first_row(c, "is number");
  const int one = first_row(c, "one");
  const int ordinary = c.spec.vocabulary - c.spec.distances;
  for (int token = 0; token < c.spec.vocabulary; ++token) {
    const bool number = token >= ordinary;
    bool right = c.embedding(token, one) == 1 && c.embedding(token, flag) == (number ? 1 : 0);
    for (int i = 0; i < width; ++i) {
      const double wanted = number ? wanted_query(c, token - ordinary + 1, i) : 0;
      right = right && std::abs(c.embedding(token, query + i) - wanted) <= 1e-14;
    }
    if (!right) return "the query of " + label(c, token) + " is not the one that the margin is derived for";
  }
  return {};
}

std::string weights_failure(const constructions::DecodeRecallConstruction& c) {
  if (std::string failure = window_failure(c, c.spec.window); !failure.empty()) return failure;
  if (std::string failure = code_failure(c); !failure.empty()) return failure;
  const bool streaming = c.spec.level == Level::streaming;
  const int one = first_row(c, "one");
  const int bit = first_row(c, "bit");
  for (int token = 0; token < c.spec.words() + 2; ++token) {
    const bool word = token < c.spec.words();
    const int value = token - c.spec.words();  // of a bit token
    bool right = c.embedding(token, one) == 1;
    if (streaming) {
      const auto w = static_cast<std::size_t>(token);
      right = right && c.embedding(token, first_row(c, "is bit")) == (word ? 0 : 1) &&
              c.embedding(token, bit) == (word ? 0 : value) &&
              c.embedding(token, first_row(c, "value")) == (word ? c.word_value[w] : 0) &&
              (!word || c.embedding(token, first_row(c, "square")) == c.word_square[w]);
    } else {
      right = right && c.embedding(token, bit) == (word ? 0 : 2 * value - 1);
      // Codes are matched bit by bit with the register, so a word's code must spell the word.
      for (int i = 0; i < c.token.width; ++i) {
        right = right && c.embedding(token, c.token.at(i)) == constructions::signed_bit(token, i);
      }
    }
    if (!right) return "the embedding of " + label(c, token) + " is not the one that the margin is derived for";
  }
  return {};
}

}  // namespace hyseq::proofs_check
