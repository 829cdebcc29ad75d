#include "proofs_check/induction.hpp"

#include <map>
#include <numeric>
#include <set>
#include <unordered_map>

#include "proofs_check/engines.hpp"
#include "proofs_check/recurrent_layer.hpp"

namespace hyseq::proofs_check {
namespace {

using Tokens = std::vector<std::int32_t>;

/// Tokens grouped by the map that they apply to the state.
struct TokenMaps {
  std::vector<std::int32_t> representative;
  std::vector<std::uint64_t> tokens;
};

template <class Scalar>
TokenMaps distinct_maps(RecurrentLayer<Scalar>& layer, const Tokens& tokens, std::uint64_t position) {
  TokenMaps maps;
  std::map<std::string, std::size_t> seen;
  constexpr std::size_t kBatch = 4096;
  for (std::size_t first = 0; first < tokens.size(); first += kBatch) {
    const std::span<const std::int32_t> part =
        std::span(tokens).subspan(first, std::min(kBatch, tokens.size() - first));
    auto carry = layer.fresh(part.size());
    std::fill(carry.position.begin(), carry.position.end(), position);
    layer.step(part, carry);
    for (std::size_t row = 0; row < part.size(); ++row) {
      const auto [entry, fresh] = seen.emplace(layer.signature(row), maps.representative.size());
      if (fresh) {
        maps.representative.push_back(part[row]);
        maps.tokens.push_back(0);
      }
      ++maps.tokens[entry->second];
    }
  }
  return maps;
}

/// A set of states by their bits, kept as rows of a carry in order of discovery.
template <class Scalar>
class StateSet {
 public:
  explicit StateSet(kernels::Carry<Scalar> start) : rows_(std::move(start)) {
    known_.emplace(RecurrentLayer<Scalar>::state(rows_, 0), 0);
  }

  [[nodiscard]] std::size_t size() const { return known_.size(); }
  [[nodiscard]] const kernels::Carry<Scalar>& rows() const { return rows_; }

  /// Index of the state in `row`, added if it is new.
  std::size_t add(const kernels::Carry<Scalar>& from, std::size_t row) {
    const auto [entry, fresh] = known_.emplace(RecurrentLayer<Scalar>::state(from, row), known_.size());
    if (fresh) {
      rows_.data.insert(rows_.data.end(), from.row(row), from.row(row) + from.stride);
      rows_.position.push_back(from.position[row]);
      rows_.segment.push_back(0);
    }
    return entry->second;
  }

 private:
  kernels::Carry<Scalar> rows_;
  std::unordered_map<std::string, std::size_t> known_;
};

/// The states that `token` at `position` makes of the given ones. `intended(before, token, position, after)` says
/// whether a state is the one that the construction means; the first that is not is noted.
template <class Scalar, class Intended>
std::set<std::size_t> apply(RecurrentLayer<Scalar>& layer, StateSet<Scalar>& states,
                            const std::vector<std::size_t>& from, std::int32_t token, std::uint64_t position,
                            const Intended& intended, InductionResult& result) {
  kernels::Carry<Scalar> moved(from.size(), states.rows().stride, numbers::Numeric<Scalar>::from_double(0));
  for (std::size_t row = 0; row < from.size(); ++row) moved.copy_row(row, states.rows(), from[row]);
  std::fill(moved.position.begin(), moved.position.end(), position);
  layer.step(Tokens(from.size(), token), moved);
  std::set<std::size_t> images;
  for (std::size_t row = 0; row < from.size(); ++row) {
    if (!intended(states.rows().row(from[row]), token, position, moved.row(row)) && result.failure.empty()) {
      result.failure = "token " + std::to_string(token) + " leads to a state other than the one intended";
    }
    images.insert(states.add(moved, row));
  }
  result.transitions_checked += from.size();
  return images;
}

template <class Scalar>
bool equal(const Scalar& a, const Scalar& b) {
  return numbers::Numeric<Scalar>::to_double(a) == numbers::Numeric<Scalar>::to_double(b);
}

template <class Scalar>
bool equal(const Scalar* a, const Scalar* b, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (!equal(a[i], b[i])) return false;
  }
  return true;
}

/// Closes the set of states under tokens that act the same at every position but the first.
template <class Scalar>
InductionResult close_states(const constructions::SelectiveCopyConstruction& construction) {
  InductionResult result;
  const auto promised = static_cast<std::uint64_t>(construction.spec.distances) + 1;
  result.promised_states = promised;
  RecurrentLayer<Scalar> layer(construction);
  const std::int32_t first_number = construction.spec.vocabulary - construction.spec.distances;
  const auto channels = layer.fresh(1).stride;
  // A number puts its own value in place of the state, whatever that was; every other token keeps all of it.
  const auto intended = [&](const Scalar* before, std::int32_t token, std::uint64_t, const Scalar* after) {
    if (token < first_number) return equal(before, after, channels);
    for (int i = 0; i < construction.query.width; ++i) {
      const double own = construction.embedding(token, construction.query.at(i));
      if (!equal(after[i], numbers::Numeric<Scalar>::from_double(own))) return false;
    }
    return true;
  };
  Tokens tokens(static_cast<std::size_t>(construction.architecture.vocabulary));
  for (std::size_t i = 0; i < tokens.size(); ++i) tokens[i] = static_cast<std::int32_t>(i);
  // Position 1 stands for all: no weight of the layer reads a position code (checked by reads_position).
  const TokenMaps maps = distinct_maps(layer, tokens, 1);
  result.distinct_token_maps = maps.representative.size();
  StateSet<Scalar> states(layer.fresh(1));
  std::size_t done = 0;
  while (done < states.size() && states.size() <= 4 * promised) {
    const std::size_t now = states.size();
    // States found meanwhile wait for the next round.
    std::vector<std::size_t> fresh(now - done);
    std::iota(fresh.begin(), fresh.end(), done);
    for (const std::int32_t token : maps.representative) apply(layer, states, fresh, token, 1, intended, result);
    done = now;
  }
  result.closed = done == states.size();
  result.reachable_states = states.size();
  result.transitions_covered = states.size() * tokens.size();
  if (!result.closed) result.failure = "the set of states grows beyond four times the promised size";
  return result;
}

/// Whether the recurrent layer's input projection reads a coordinate that a position code is added to.
bool reads_position(const constructions::Construction& construction) {
  const auto& parameters = construction.program.parameters;
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    if (parameters[p].name != "layers.0.ssm.in_proj.weight") continue;
    const std::size_t width = parameters[p].shape[1];
    for (const models::PositionCodeSpec& code : construction.architecture.position_codes) {
      for (std::size_t i = 0; i < construction.values[p].size(); ++i) {
        const int column = static_cast<int>(i % width);
        const bool coded = column >= code.offset && column < code.offset + code.bits;
        if (coded && construction.values[p][i] != 0) return true;
      }
    }
  }
  return false;
}

/// Position by position: words before the last b positions, bits in them.
template <class Scalar>
InductionResult close_positions(const constructions::DecodeRecallConstruction& construction) {
  InductionResult result;
  const int words = construction.spec.words();
  const int bits = construction.spec.bits;
  const int length = construction.spec.length;
  result.promised_states = (2ULL << bits) - 1;
  result.every_length = false;
  RecurrentLayer<Scalar> layer(construction);
  Tokens word_tokens;
  for (int w = 0; w < words; ++w) word_tokens.push_back(w);
  const Tokens bit_tokens{words, words + 1};
  const auto channels = layer.fresh(1).stride;
  // The k-th bit of the query, most significant first, is written to channel b-1-k; nothing else ever moves.
  const auto intended = [&](const Scalar* before, std::int32_t token, std::uint64_t position, const Scalar* after) {
    if (token < words) return equal(before, after, channels);
    const auto written = static_cast<std::size_t>(length - 1) - static_cast<std::size_t>(position);
    for (std::size_t c = 0; c < channels; ++c) {
      const Scalar bit = numbers::Numeric<Scalar>::from_double(token == words ? -1 : 1);
      if (!equal(after[c], c == written ? bit : before[c])) return false;
    }
    return true;
  };
  StateSet<Scalar> states(layer.fresh(1));
  std::vector<std::size_t> current{0};  // states that a sequence can be in before this position
  for (int t = 0; t < length; ++t) {
    const Tokens& tokens = t < length - bits ? word_tokens : bit_tokens;
    const auto position = static_cast<std::uint64_t>(t);
    const TokenMaps maps = distinct_maps(layer, tokens, position);
    result.distinct_token_maps = std::max<std::uint64_t>(result.distinct_token_maps, maps.representative.size());
    result.transitions_covered += current.size() * tokens.size();
    std::set<std::size_t> after;
    for (const std::int32_t token : maps.representative) {
      after.merge(apply(layer, states, current, token, position, intended, result));
    }
    current.assign(after.begin(), after.end());
    if (states.size() > 4 * result.promised_states) {
      result.failure = "the set of states grows beyond four times the promised size";
      break;
    }
  }
  result.reachable_states = states.size();
  result.closed = result.failure.empty();
  return result;
}

/// Every class of register states, as an interval, must map into the class that the next bit makes it.
template <class Base>
InductionResult close_classes(const constructions::DecodeRecallConstruction& construction) {
  using Scalar = numbers::Interval<Base>;
  using Numeric = numbers::Numeric<Scalar>;
  InductionResult result;
  result.classes = true;
  const int words = construction.spec.words();
  const auto count = static_cast<std::size_t>(words);
  result.promised_states = count;
  RecurrentLayer<Scalar> layer(construction);
  Tokens tokens;
  for (int id = 0; id < words + 2; ++id) tokens.push_back(id);
  const TokenMaps maps = distinct_maps(layer, tokens, 1);
  result.distinct_token_maps = maps.representative.size();

  // The least closed intervals by iteration from the start; the last round checks that nothing escapes any more. Only
  // the register's own channel counts: the others feed no later layer.
  constexpr std::size_t kRegister = 0;
  std::vector<bool> reached(count, false);
  std::vector<Scalar> hull(count, Numeric::from_double(0));
  reached[0] = true;
  const auto grow = [&](std::size_t to, const Scalar& state) {
    if (!reached[to]) {
      reached[to] = true;
      hull[to] = state;
      return true;
    }
    if (hull[to].lower <= state.lower && state.upper <= hull[to].upper) return false;
    hull[to] = Scalar{std::min(hull[to].lower, state.lower), std::max(hull[to].upper, state.upper)};
    return true;
  };
  bool changed = true;
  for (int round = 0; changed && round < 4096; ++round) {
    changed = false;
    for (const std::int32_t token : maps.representative) {
      std::vector<std::size_t> moving;  // reached before this step, not by it
      for (std::size_t w = 0; w < count; ++w) {
        if (reached[w]) moving.push_back(w);
      }
      auto carry = layer.fresh(count);
      std::fill(carry.position.begin(), carry.position.end(), 1U);
      for (std::size_t w = 0; w < count; ++w) carry.row(w)[kRegister] = hull[w];
      layer.step(Tokens(count, token), carry);
      result.transitions_checked += count;
      for (const std::size_t w : moving) {
        const std::size_t to = token < words ? w : (2 * w + static_cast<std::size_t>(token - words)) % count;
        if (grow(to, carry.row(w)[kRegister])) changed = true;
      }
    }
  }
  result.closed = !changed;
  result.transitions_covered = count * tokens.size();
  for (std::size_t w = 0; w < count; ++w) {
    if (!reached[w]) continue;
    ++result.reachable_states;
    result.class_intervals.emplace_back(hull[w].lower, hull[w].upper);
    result.widest_class = std::max(result.widest_class, hull[w].upper - hull[w].lower);
  }
  if (!result.closed) result.failure = "the classes of states do not close";
  auto sorted = result.class_intervals;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i].first <= sorted[i - 1].second) result.failure = "classes of states overlap";
  }
  return result;
}

}  // namespace

InductionResult check_induction(const constructions::SelectiveCopyConstruction& construction, NumberFormat format) {
  InductionResult result =
      with_scalar(format, [&](auto scalar) { return close_states<decltype(scalar)>(construction); });
  if (reads_position(construction)) result.failure = "the recurrent layer reads the position";
  return result;
}

InductionResult check_induction(const constructions::DecodeRecallConstruction& construction, NumberFormat format) {
  if (construction.spec.level == constructions::Level::streaming) {
    return with_scalar(format, [&](auto scalar) { return close_classes<decltype(scalar)>(construction); });
  }
  return with_scalar(format, [&](auto scalar) { return close_positions<decltype(scalar)>(construction); });
}

}  // namespace hyseq::proofs_check
