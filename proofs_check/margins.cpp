#include "proofs_check/margins.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "proofs_check/derived_weights.hpp"
#include "proofs_check/engines.hpp"
#include "proofs_check/induction.hpp"
#include "proofs_check/rounding.hpp"
#include "results/number_words.hpp"

namespace hyseq::proofs_check {
namespace {

using constructions::DecodeRecallConstruction;
using constructions::Level;
using constructions::SelectiveCopyConstruction;

/// Completes a result whose mass is known; `largest_stored` bounds every stored number.
void conclude(MarginResult& result, double window, int bits, double largest_stored, const Rounding& u) {
  result.decoder_gap = decoder_gap(result.target_mass, window, bits, u);
  result.holds = result.decoder_gap > 0 && largest_stored <= u.largest;
  if (largest_stored > u.largest) {
    result.failing = "a stored number reaches " + results::short_number(largest_stored, 4) +
                     ", above the format's largest, " + results::short_number(u.largest, 4);
  } else if (!result.holds) {
    result.failing = "the decoder's gap is only shown to be at least " + results::short_number(result.decoder_gap, 4) +
                     " (attention mass on the target at least " + results::short_number(result.target_mass, 4) + ")";
  }
}

/// A bound for other weights than these says nothing.
void require(const std::string& failure, MarginResult& result) {
  if (failure.empty()) return;
  result.holds = false;
  result.failing = failure;
}

/// Relative error of one rotated pair's score: the stored code and its weight, stores behind the projection and the
/// rotation on the query's side and behind the rotation on the key's, sums of eight products, and the exponent's
/// rounding; compounded, because in 16 bits the products of errors count.
double rotary_error(const Rounding& u) {
  return std::expm1(2 * std::log1p(u.weight) + 3 * std::log1p(u.storage) + 32 * std::log1p(u.accumulator));
}

/// The value as the format stores it.
double stored(double value, NumberFormat format) {
  return with_scalar(format, [&](auto scalar) {
    using Numeric = numbers::Numeric<decltype(scalar)>;
    return Numeric::to_double(Numeric::from_double(value));
  });
}

MarginResult faithful_margins(const SelectiveCopyConstruction& c, const Rounding& u) {
  const double window = c.spec.distances;
  const double bits = constructions::code_bits(c.spec.length);
  const double beta = c.temperature;
  MarginResult result;
  // All query coordinates share one rounded magnitude, keys are +-1: only sums round.
  result.score_gap = 2 * beta * (1 - u.weight - u.storage - 4 * u.accumulator);
  result.score_error = beta * bits * (bits + 4) * u.accumulator;
  const double crowd = (window - 1) * std::exp(-result.score_gap + 2 * result.score_error);
  result.target_mass = rounded_mass(crowd, window, u);
  result.pairs = static_cast<std::uint64_t>(window * window);
  conclude(result, window, c.token.width, beta * std::sqrt(static_cast<double>(c.architecture.width)), u);
  return result;
}

MarginResult streaming_margins(const SelectiveCopyConstruction& c, const Rounding& u) {
  const int window = c.spec.distances;
  const double beta = c.temperature;
  MarginResult result;
  result.score_gap = beta * c.rotary.gap;
  // Four pairs of norm beta (query) and 1 (key).
  result.score_error = constructions::kRotaryPairs * beta * rotary_error(u);
  // crowd(c) = sum over x in -c .. N-1-c, x != 0, of exp(-(score drop) + 2 error); even in x.
  std::vector<double> prefix(static_cast<std::size_t>(window), 0.0);
  for (int x = 1; x < window; ++x) {
    const auto i = static_cast<std::size_t>(x);
    prefix[i] = prefix[i - 1] + std::exp(-beta * c.rotary.drop(x) + 2 * result.score_error);
  }
  double worst = 0;
  for (int distance = 0; distance < window; ++distance) {
    worst = std::max(
        worst, prefix[static_cast<std::size_t>(distance)] + prefix[static_cast<std::size_t>(window - 1 - distance)]);
  }
  result.target_mass = rounded_mass(worst, window, u);
  result.pairs = static_cast<std::uint64_t>(window) * static_cast<std::uint64_t>(window);
  conclude(result, window, c.token.width, 2 * beta * std::sqrt(static_cast<double>(c.architecture.width)), u);
  return result;
}

/// exp(2 error) sum_{k >= 1} exp(-gamma k): occurrences of the right word before the latest.
double older_occurrences(double gamma, double error) {
  return gamma > 0 ? std::exp(2 * error) / std::expm1(gamma) : std::numeric_limits<double>::infinity();
}

MarginResult faithful_margins(const DecodeRecallConstruction& c, const Rounding& u) {
  const double bits = c.spec.bits;
  const double window = std::min(c.spec.window, c.spec.length);
  const double position_bits = constructions::code_bits(c.spec.length);
  MarginResult result;
  // First attention: one wrong bit of the previous position's code costs 2 beta'.
  const double previous_error = c.previous_match * position_bits * (position_bits + 4) * u.accumulator;
  const double leak =
      std::exp(-2 * c.previous_match * (1 - u.weight - u.storage - 4 * u.accumulator) + 2 * previous_error);
  const double sum_of_terms = c.match * (bits + 1) + c.recency_size;
  result.score_gap =
      2 * c.match * (1 - u.weight - u.storage - 4 * u.accumulator) - c.recency_range * (1 + 2 * (u.weight + u.storage));
  result.score_error = c.recency_size * (u.storage + u.weight) + sum_of_terms * (bits + 6) * u.accumulator +
                       2 * c.match * bits * (leak + u.accumulator);
  const double crowd = older_occurrences(c.recency * (1 - 2 * u.weight), result.score_error) +
                       window * std::exp(-result.score_gap + 2 * result.score_error);
  result.target_mass = rounded_mass(crowd, window, u);
  result.pairs = static_cast<std::uint64_t>(std::ldexp(1.0, c.spec.bits) * window);
  const double scale = std::sqrt(static_cast<double>(c.architecture.width));
  // 1024 bits is the register's largest step input.
  const double largest = std::max({c.match * scale, c.recency * scale, c.recency_size, 2048 * position_bits});
  conclude(result, window, c.token.width, largest, u);
  return result;
}

/// Square of the key of a bit token, whose value is 0.
constexpr double kNeverMatches = 8;

/// A word's key as it is written; the format's rounding is part of the score error.
struct Key {
  double value;
  double square;
};

MarginResult streaming_margins(const DecodeRecallConstruction& c, NumberFormat format) {
  const Rounding u(format);
  MarginResult result;
  const InductionResult classes = check_induction(c, format);
  const double window = c.spec.window;
  const double scale = std::sqrt(static_cast<double>(c.architecture.width));
  const double largest_state = classes.class_intervals.empty() ? 0 : 1 / (1 - c.lambda);
  if (!classes.passed()) {
    result.failing = classes.failure.empty() ? "not every class of states is reached" : classes.failure;
    return result;
  }
  std::vector<Key> keys;
  for (std::size_t w = 0; w < c.word_value.size(); ++w) {
    keys.push_back({c.word_value[w], c.word_square[w]});
  }
  const auto rounding_of = [&](double value) { return std::abs(stored(value, format) - value); };
  // The centre is subtracted by one weight, whose rounding moves the query of every key alike.
  const double scaled = 2 * c.match * scale;
  const double centre_error = c.match == 0 ? 0 : rounding_of(scaled * c.centre) / scaled;
  // The first attention leaves at most this much of the position itself in the previous token's value and square.
  const double leak = std::exp(-c.previous_match * (1 - std::cos(1.0)) + 2 * c.previous_match * rotary_error(u));
  // Recency rides on rotated pairs: size times the relative error of stored queries, keys and phases.
  const double recency_error = c.recency_size * rotary_error(u);
  result.score_gap = std::numeric_limits<double>::infinity();
  double worst_crowd = 0;
  const auto score_error = [&](double x, const Key& key) {
    const double product = 2 * c.match * std::abs(x * key.value);
    const double total = c.match * std::abs(2 * x * key.value - key.square) + c.recency_size;
    const double key_error = c.match * (2 * std::abs(x) * (rounding_of(key.value) + 2 * leak) +
                                        rounding_of(key.square) + 2 * kNeverMatches * leak);
    return key_error + recency_error + u.accumulator * (2 * product + 3 * c.recency_size + 3 * total);
  };
  for (std::size_t w = 0; w < keys.size(); ++w) {
    const auto [lower, upper] = classes.class_intervals[w];
    for (const double end : {lower, upper}) {
      // The query x = s - s0 itself is rounded: once for all keys.
      const double blur = centre_error + 3 * u.accumulator * (end + c.centre) +
                          (u.storage + u.weight) * (std::abs(end - c.centre) + centre_error);
      for (const double x : {end - c.centre - blur, end - c.centre + blur}) {
        const double own = c.match * (2 * x * keys[w].value - keys[w].square);
        const double own_error = score_error(x, keys[w]);
        double others = 0;
        for (std::size_t other = 0; other <= keys.size(); ++other) {
          if (other == w) continue;
          const Key key = other < keys.size() ? keys[other] : Key{0, kNeverMatches};
          const double gap = own - c.match * (2 * x * key.value - key.square) - c.recency_range;
          const double error = own_error + score_error(x, key);
          result.score_gap = std::min(result.score_gap, gap);
          // Any one wrong word may fill the whole window, so the worst counts, not the sum.
          others = std::max(others, window * std::exp(-gap + error));
        }
        result.score_error = std::max(result.score_error, own_error);
        worst_crowd = std::max(worst_crowd, older_occurrences(c.recency, own_error) + others);
        result.pairs += keys.size();
      }
    }
  }
  result.target_mass = rounded_mass(worst_crowd, window, u);
  const double largest = std::max(2 * c.match * scale * largest_state, c.recency_size * scale);
  conclude(result, window, c.token.width, largest, u);
  return result;
}

double gap_constant() {
  // The phases of N distances are N points of a 4-torus, so the gap falls like N^(-1/2) at best; measured at N = 256.
  static const double constant = constructions::best_rotary(256).gap * 16;
  return constant;
}

double predicted_distances(Level level, NumberFormat format) {
  const Rounding u(format);
  if (level == Level::faithful) {
    // The sum of N probabilities, each rounded, against 2 mass - 1 = 0.76.
    return 0.76 / (3 * u.accumulator);
  }
  // Few distances come near the gap, so it holds until twice the score error reaches the score gap: gap = 8 relative
  // error.
  const double needed = 2 * constructions::kRotaryPairs * rotary_error(u);
  return std::pow(gap_constant() / needed, 2);
}

/// Score error of the closed forms, in units where it must stay below half of ln(e^gamma - 1).
double predicted_error(Level level, NumberFormat format, int bits) {
  const Rounding u(format);
  const double window = 4.61 * std::ldexp(1.0, bits) + bits;
  if (level == Level::faithful) {
    return 2.5 * 1.5 * window * (u.storage + u.weight) + 1.25 * window * (bits + 1) * (bits + 6) * u.accumulator;
  }
  double separation = 0;
  for (double lambda = 0.02; lambda < 0.5; lambda += 0.002) {
    separation = std::max(separation, std::pow(lambda, 2 * bits - 2) * (1 - 2 * lambda) / (1 - lambda));
  }
  const double beta = 1.3 * 2 * window / separation;
  return beta * (u.storage + 5 * u.accumulator);
}

int predicted_bits(Level level, NumberFormat format) {
  const double allowed = 0.5 * std::log(std::expm1(level == Level::faithful ? 2.5 : 2.0));
  int bits = 0;
  while (bits < 40 && predicted_error(level, format, bits + 1) < allowed) ++bits;
  return bits;
}

MarginPoint try_distances(Level level, NumberFormat format, int distances) {
  constructions::SelectiveCopySpec spec;
  spec.level = level;
  spec.distances = distances;
  spec.vocabulary = 2 * distances;
  spec.length = std::max(2, distances);
  return {distances, margins(constructions::build(spec), format)};
}

}  // namespace

MarginResult margins(const SelectiveCopyConstruction& construction, NumberFormat format) {
  const Rounding u(format);
  MarginResult result = construction.spec.level == Level::faithful ? faithful_margins(construction, u)
                                                                   : streaming_margins(construction, u);
  require(weights_failure(construction), result);
  return result;
}

MarginResult margins(const DecodeRecallConstruction& construction, NumberFormat format) {
  MarginResult result = construction.spec.level == Level::faithful ? faithful_margins(construction, Rounding(format))
                                                                   : streaming_margins(construction, format);
  require(weights_failure(construction), result);
  return result;
}

LargestHolding largest_distances(Level level, NumberFormat format) {
  constexpr int kLimit = 65536;
  LargestHolding result;
  result.predicted = predicted_distances(level, format);
  int failed = 0;
  for (int n = 2; n <= kLimit && failed == 0; n *= 2) {
    result.points.push_back(try_distances(level, format, n));
    (result.points.back().margin.holds ? result.size : failed) = n;
  }
  result.at_least = failed == 0;
  while (failed != 0 && failed - result.size > std::max(1, result.size / 16)) {
    const int middle = (failed + result.size) / 2;
    result.points.push_back(try_distances(level, format, middle));
    (result.points.back().margin.holds ? result.size : failed) = middle;
  }
  std::sort(result.points.begin(), result.points.end(), [](const auto& a, const auto& b) { return a.size < b.size; });
  return result;
}

LargestHolding largest_bits(Level level, NumberFormat format) {
  const int limit = level == Level::faithful ? 14 : 10;
  LargestHolding result;
  result.predicted = predicted_bits(level, format);
  result.at_least = true;
  for (int bits = 1; bits <= limit; ++bits) {
    constructions::DecodeRecallSpec spec;
    spec.level = level;
    spec.bits = bits;
    result.points.push_back({bits, margins(constructions::build(spec), format)});
    if (result.points.back().margin.holds) {
      result.size = bits;
    } else {
      result.at_least = false;
      break;
    }
  }
  return result;
}

}  // namespace hyseq::proofs_check
