// One attention head, and distances by rotary phases.
#include "constructions/gadgets/lookup.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "constructions/gadgets/plain_blocks.hpp"
#include "constructions/rotary_distance.hpp"
#include "kernels/rotary/rotary.hpp"
#include "tests/constructions/gadget_model.hpp"

namespace hyseq::constructions {
namespace {

template <class Scalar>
class LookupOf : public testing::Test {};
TYPED_TEST_SUITE(LookupOf, Scalars);

constexpr int kWindow = 5;
constexpr int kTokens = 8;

/// Tokens 0..7 have a code of three bits and ask for the code of 7 - token. Scores by a naive softmax.
double naive_mix(const std::vector<std::int32_t>& tokens, std::size_t t, double factor, int coordinate,
                 std::vector<double>& probability) {
  const std::size_t first = t + 1 > kWindow ? t + 1 - kWindow : 0;
  double sum = 0;
  probability.clear();
  for (std::size_t j = first; j <= t; ++j) {
    double score = 0;
    for (int i = 0; i < 3; ++i) score += factor * -signed_bit(tokens[t], i) * signed_bit(tokens[j], i);
    probability.push_back(std::exp(score));
    sum += probability.back();
  }
  double mix = 0;
  for (std::size_t j = first; j <= t; ++j) {
    probability[j - first] /= sum;
    mix += probability[j - first] * signed_bit(tokens[j], coordinate);
  }
  return mix;
}

TYPED_TEST(LookupOf, attends_by_the_scores_as_written) {
  constexpr double kFactor = 1.5;
  const Subspace code{"code", 0, 3};
  const Subspace copy{"copy", 3, 3};
  const Subspace wanted{"wanted", 6, 3};
  constexpr int kWidth = 9;  // 1/sqrt(9) and its inverse round differently in every format
  const auto program = models::lower(single_layer(kWidth, kTokens, plain_attention(kWindow, models::Residual::none)));
  WeightWriter weights(program);
  for (int id = 0; id < kTokens; ++id) {
    for (int i = 0; i < 3; ++i) {
      weights.at("embedding", id, code.at(i)) = signed_bit(id, i);
      weights.at("embedding", id, wanted.at(i)) = -signed_bit(id, i);
    }
  }
  Lookup lookup(weights, "layers.0.tf.", kWidth);
  lookup.match(0, wanted, code, kFactor);
  lookup.copy(code, copy);
  kernels::Trace trace;
  const auto tokens = random_tokens(200, kTokens, 3);
  const auto rows = hidden_rows<TypeParam>(program, weights.values(), tokens, &trace);
  const auto& recorded = trace.values.at("layers.0.tf.probabilities");
  const double tolerance = 40 * unit_roundoff(kFormat<TypeParam>);
  std::vector<double> probability;
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    for (int i = 0; i < 3; ++i) {
      const double expected = naive_mix(tokens, t, kFactor, i, probability);
      ASSERT_NEAR(rows[t][static_cast<std::size_t>(copy.at(i))], expected, tolerance) << t;
      ASSERT_EQ(rows[t][static_cast<std::size_t>(code.at(i))], 0);
    }
    for (std::size_t d = 0; d < kWindow; ++d) {
      const double expected = d < probability.size() ? probability[probability.size() - 1 - d] : 0;
      ASSERT_NEAR(recorded[t * kWindow + d], expected, tolerance) << t << " back " << d;
    }
  }
}

TEST(RotaryDistance, drop_is_even_and_zero_at_the_peak) {
  const RotaryDistance rotary = best_rotary(64);
  ASSERT_EQ(rotary.turns.size(), static_cast<std::size_t>(kRotaryPairs));
  EXPECT_EQ(rotary.drop(0), 0);
  for (long long x = 1; x < 200; ++x) {
    EXPECT_NEAR(rotary.drop(x), rotary.drop(-x), 1e-14) << x;
    double direct = 0;
    for (int f = 0; f < kRotaryPairs; ++f) {
      const long double frequency =
          std::pow(static_cast<long double>(rotary.base), -static_cast<long double>(f) / kRotaryPairs);
      direct += static_cast<double>(1 - std::cos(frequency * static_cast<long double>(x)));
    }
    EXPECT_NEAR(rotary.drop(x), direct, 1e-12) << x;
  }
}

TEST(RotaryDistance, gap_is_the_least_drop_and_the_best_among_the_bases) {
  double before = 1e9;
  for (const int positions : {2, 3, 8, 50, 300}) {
    const RotaryDistance best = best_rotary(positions);
    double least = 1e9;
    for (int x = 1; x < positions; ++x) least = std::min(least, best.drop(x));
    EXPECT_EQ(best.gap, least) << positions;
    EXPECT_GT(best.gap, 0) << positions;
    EXPECT_LE(best.gap, before) << "a larger window cannot have a larger gap";
    before = best.gap;
    for (int step = 2; step <= 60; ++step) {
      RotaryDistance other;
      other.base = std::exp2(0.5 * step);
      other.turns = kernels::rotary_turns(2 * kRotaryPairs, other.base, 2 * kRotaryPairs);
      double gap = 1e9;
      for (int x = 1; x < positions; ++x) gap = std::min(gap, other.drop(x));
      EXPECT_LE(gap, best.gap) << positions << " base " << other.base;
    }
  }
}

TEST(RotaryDistance, of_one_position_has_nothing_to_tell_apart) { EXPECT_GT(best_rotary(1).gap, 0); }

}  // namespace
}  // namespace hyseq::constructions
