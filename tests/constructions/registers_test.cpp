// The three recurrent gadgets, each alone.
#include <cmath>

#include <gtest/gtest.h>

#include "constructions/gadgets/decaying_register.hpp"
#include "constructions/gadgets/latest_value.hpp"
#include "constructions/gadgets/positioned_register.hpp"
#include "tests/constructions/gadget_model.hpp"

namespace hyseq::constructions {
namespace {

template <class Scalar>
class Registers : public testing::Test {};
TYPED_TEST_SUITE(Registers, Scalars);

TYPED_TEST(Registers, latest_value_carries_the_value_bit_for_bit) {
  // Tokens 0 and 1 are unflagged; the values of the others are exact in every format.
  const double held[5][2] = {{0, 0}, {0, 0}, {1, -1}, {0.3125, 0}, {-0.75, 0x1p-9}};
  const LatestValue gadget{{"value", 0, 2}, {"flag", 2, 1}, {"one", 3, 1}};
  const auto program = models::lower(single_layer(4, 5, gadget.block()));
  WeightWriter weights(program);
  for (int id = 0; id < 5; ++id) {
    for (int i = 0; i < 2; ++i) weights.at("embedding", id, i) = held[id][i];
    weights.at("embedding", id, 2) = id >= 2 ? 1 : 0;
    weights.at("embedding", id, 3) = 1;
  }
  gadget.write(weights, "layers.0.ssm.");

  std::vector<std::int32_t> tokens = random_tokens(300, 5, 0);
  tokens.insert(tokens.begin(), {0, 1, 0});  // nothing to carry yet
  tokens.push_back(3);
  tokens.insert(tokens.end(), 5000, 1);  // one value carried for long
  const auto rows = hidden_rows<TypeParam>(program, weights.values(), tokens);
  std::int32_t latest = 0;
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    if (tokens[t] >= 2) latest = tokens[t];
    ASSERT_EQ(rows[t][0], held[latest][0]) << t;
    ASSERT_EQ(rows[t][1], held[latest][1]) << t;
    ASSERT_EQ(rows[t][2], tokens[t] >= 2 ? 1 : 0);  // the token's own flag and one are left alone
    ASSERT_EQ(rows[t][3], 1);
  }
}

TYPED_TEST(Registers, positioned_register_takes_each_place_once_and_keeps_it) {
  constexpr int kBits = 5;
  const PositionedRegister gadget{{"value", 0, 1}, {"position", 1, kBits}, {"one", 6, 1}, {"target", 7, 3}, {9, 30, 0}};
  models::Architecture architecture = single_layer(10, 3, gadget.block());
  architecture.position_codes = {{1, kBits, 0}};
  const auto program = models::lower(architecture);
  WeightWriter weights(program);
  const double value[3] = {-1, 0, 1};
  for (int id = 0; id < 3; ++id) {
    weights.at("embedding", id, 0) = value[id];
    weights.at("embedding", id, 6) = 1;
  }
  gadget.write(weights, "layers.0.ssm.");
  for (std::uint64_t repeat = 0; repeat < 10; ++repeat) {
    const auto tokens = random_tokens(32, 3, repeat);
    const auto rows = hidden_rows<TypeParam>(program, weights.values(), tokens);
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      for (std::size_t i = 0; i < gadget.places.size(); ++i) {
        const auto place = static_cast<std::size_t>(gadget.places[i]);
        const double expected = t < place ? 0 : value[tokens[place]];
        ASSERT_EQ(rows[t][7 + i], expected) << "place " << place << " at " << t;
      }
    }
  }
}

/// Tokens 0 and 1 are the bits, 2 is not flagged.
template <class Scalar>
std::vector<double> register_states(double lambda, const std::vector<std::int32_t>& tokens) {
  const DecayingRegister gadget{{"value", 0, 1}, {"flag", 1, 1}, {"one", 2, 1}, {"register", 3, 1}, lambda};
  const auto program = models::lower(single_layer(4, 3, gadget.block()));
  WeightWriter weights(program);
  for (int id = 0; id < 3; ++id) {
    weights.at("embedding", id, 0) = id == 1 ? 1 : 0;
    weights.at("embedding", id, 1) = id < 2 ? 1 : 0;
    weights.at("embedding", id, 2) = 1;
  }
  gadget.write(weights, "layers.0.ssm.");
  std::vector<double> states;
  for (const auto& row : hidden_rows<Scalar>(program, weights.values(), tokens)) states.push_back(row[3]);
  return states;
}

TYPED_TEST(Registers, decaying_register_follows_its_recurrence) {
  const auto tokens = random_tokens(2000, 3, 1);
  const auto states = register_states<TypeParam>(0.25, tokens);
  // A_log and the state are rounded: lambda is off by |log lambda| |A_log| u and every step adds one rounding.
  const double tolerance = 4 * unit_roundoff(kFormat<TypeParam>);
  double exact = 0;
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    if (tokens[t] < 2) {
      exact = 0.25 * exact + tokens[t];
    } else if (t > 0) {
      ASSERT_EQ(states[t], states[t - 1]) << "an unflagged token must keep the state bit for bit";
    }
    ASSERT_NEAR(states[t], exact, tolerance) << t;
  }
}

TEST(DecayingRegister, classes_of_the_last_bits_keep_the_stated_gap) {
  for (const double lambda : {0.0625, 0.25, 0.4375}) {
    for (const int bits : {1, 2, 3}) {
      const int words = 1 << bits;
      std::vector<double> lowest(static_cast<std::size_t>(words), 1e9);
      std::vector<double> highest(static_cast<std::size_t>(words), -1e9);
      const auto tokens = random_tokens(20000, 2, 2);
      const auto states = register_states<double>(lambda, tokens);
      int word = 0;
      for (std::size_t t = 0; t < tokens.size(); ++t) {
        word = (2 * word + tokens[t]) % words;
        const auto w = static_cast<std::size_t>(word);
        lowest[w] = std::min(lowest[w], states[t]);
        highest[w] = std::max(highest[w], states[t]);
      }
      std::vector<std::pair<double, double>> classes;
      for (std::size_t w = 0; w < lowest.size(); ++w) {
        EXPECT_LE(highest[w] - lowest[w], std::pow(lambda, bits) / (1 - lambda) * (1 + 1e-12));
        classes.emplace_back(lowest[w], highest[w]);
      }
      std::sort(classes.begin(), classes.end());
      const double gap = std::pow(lambda, bits - 1) * (1 - 2 * lambda) / (1 - lambda);
      for (std::size_t i = 1; i < classes.size(); ++i) {
        EXPECT_GE(classes[i].first - classes[i - 1].second, gap * (1 - 1e-12)) << lambda << " " << bits;
      }
    }
  }
}

}  // namespace
}  // namespace hyseq::constructions
