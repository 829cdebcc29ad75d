#include "proofs_check/induction.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/proofs_check/fixture.hpp"

namespace hyseq::proofs_check {
namespace {

/// Adds to one element of a parameter, by name.
void disturb(constructions::Construction& c, const std::string& name, std::size_t element, double change) {
  for (std::size_t p = 0; p < c.program.parameters.size(); ++p) {
    if (c.program.parameters[p].name != name) continue;
    c.values[p][element] += change;
    return;
  }
  FAIL() << "no parameter " << name;
}

/// Element of the embedding by the row's meaning.
std::size_t embedded(const constructions::Construction& c, int token, const std::string& label) {
  const auto found = std::find(c.row_labels.begin(), c.row_labels.end(), label);
  EXPECT_NE(found, c.row_labels.end()) << label;
  return static_cast<std::size_t>(token) * c.row_labels.size() + static_cast<std::size_t>(found - c.row_labels.begin());
}

TEST(Induction, selective_copy_has_one_state_per_number_and_the_start) {
  for (const NumberFormat format : kFormats) {
    for (const Level level : kLevels) {
      for (const int distances : {1, 2, 7, 40}) {
        const auto c = constructions::build(copy_spec(level, 50, distances, 64));
        const InductionResult result = check_induction(c, format);
        EXPECT_TRUE(result.passed()) << name(format) << ": " << result.failure;
        EXPECT_EQ(result.reachable_states, static_cast<std::uint64_t>(distances) + 1);
        EXPECT_EQ(result.promised_states, static_cast<std::uint64_t>(distances) + 1);
        EXPECT_FALSE(result.classes);
        // All ordinary tokens keep the state: one map for them, if there are any, and one per number.
        EXPECT_EQ(result.distinct_token_maps, static_cast<std::uint64_t>(distances) + 1);
        EXPECT_EQ(result.transitions_checked, result.reachable_states * result.distinct_token_maps);
        EXPECT_EQ(result.transitions_covered, result.reachable_states * 50);
      }
    }
  }
}

TEST(Induction, faithful_recall_passes_through_the_prefixes_of_the_query) {
  for (const NumberFormat format : kFormats) {
    for (const int bits : {1, 2, 4}) {
      for (const int length : {bits + 2, 33}) {
        const auto c = constructions::build(recall_spec(Level::faithful, bits, length, bits + 2));
        const InductionResult result = check_induction(c, format);
        EXPECT_TRUE(result.passed()) << name(format) << " b " << bits << ": " << result.failure;
        EXPECT_EQ(result.reachable_states, (2ULL << bits) - 1);
      }
    }
  }
}

TEST(Induction, streaming_recall_has_one_class_per_word) {
  for (const NumberFormat format : kFormats) {
    const int most = format == NumberFormat::bfloat16 ? 1 : format == NumberFormat::float16 ? 2 : 4;
    for (int bits = 1; bits <= most; ++bits) {
      const auto c = constructions::build(recall_spec(Level::streaming, bits, 0, 0));
      const InductionResult result = check_induction(c, format);
      ASSERT_TRUE(result.passed()) << name(format) << " b " << bits << ": " << result.failure;
      EXPECT_TRUE(result.classes);
      EXPECT_EQ(result.reachable_states, 1ULL << bits);
      ASSERT_EQ(result.class_intervals.size(), static_cast<std::size_t>(c.spec.words()));
      // Class w is the interval around sum_k bit_k lambda^k that docs and gadget state, up to the format's rounding.
      const double slack = (bytes(format) == 2 ? 8 : 32) * unit_roundoff(format);
      for (int w = 0; w < c.spec.words(); ++w) {
        double least = 0;
        for (int k = 0; k < bits; ++k) least += ((w >> k) & 1) * std::pow(c.lambda, k);
        const auto [lower, upper] = result.class_intervals[static_cast<std::size_t>(w)];
        EXPECT_NEAR(lower, least, slack) << w;
        EXPECT_NEAR(upper, least + std::pow(c.lambda, bits) / (1 - c.lambda), slack) << w;
        EXPECT_LE(upper - lower, result.widest_class);
      }
    }
  }
}

TEST(Induction, a_broken_carry_does_not_close) {
  for (const NumberFormat format : kFormats) {
    for (const Level level : kLevels) {
      EXPECT_FALSE(
          check_induction(constructions::build(copy_spec(level, 6, 4, 6, Fault::broken_carry)), format).passed());
      const int length = level == Level::faithful ? 8 : 0;
      const auto recall = constructions::build(recall_spec(level, 2, length, 5, Fault::broken_carry));
      EXPECT_FALSE(check_induction(recall, format).passed());
    }
    const auto fast = constructions::build(recall_spec(Level::streaming, 2, 0, 5, Fault::fast_decay));
    const InductionResult result = check_induction(fast, format);
    EXPECT_FALSE(result.passed());
    EXPECT_NE(result.failure.find("overlap"), std::string::npos) << result.failure;
  }
}

TEST(Induction, notices_a_planted_extra_state) {
  // Token V0 counts as a number now: one state more, though every state still closes.
  auto c = constructions::build(copy_spec(Level::streaming, 6, 4, 0));
  disturb(c, "embedding", embedded(c, 0, "is number"), 1);
  disturb(c, "embedding", embedded(c, 0, "phase 0"), 0.5);
  for (const NumberFormat format : kFormats) {
    const InductionResult result = check_induction(c, format);
    EXPECT_TRUE(result.closed);
    EXPECT_EQ(result.reachable_states, 6U);
    EXPECT_FALSE(result.passed());
  }
}

TEST(Induction, notices_two_numbers_with_the_same_state) {
  auto c = constructions::build(copy_spec(Level::streaming, 6, 4, 0));
  for (int i = 0; i < 8; ++i) {
    const std::string label = "phase " + std::to_string(i);
    const double difference = c.values[0][embedded(c, 3, label)] - c.values[0][embedded(c, 5, label)];
    disturb(c, "embedding", embedded(c, 5, label), difference);
  }
  const InductionResult result = check_induction(c, NumberFormat::float32);
  EXPECT_TRUE(result.closed);
  EXPECT_EQ(result.reachable_states, 4U);
  EXPECT_FALSE(result.passed());
}

TEST(Induction, notices_a_single_token_that_disturbs_the_state) {
  // Step 2^-7 on one word alone: the register is touched once in a while.
  auto c = constructions::build(recall_spec(Level::streaming, 1, 0, 4));
  disturb(c, "embedding", embedded(c, 1, "is bit"), 0.5);
  for (const NumberFormat format : kFormats) EXPECT_FALSE(check_induction(c, format).passed()) << name(format);
}

TEST(Induction, refuses_a_recurrence_that_reads_the_position) {
  auto c = constructions::build(copy_spec(Level::faithful, 6, 4, 6));
  ASSERT_EQ(c.row_labels[3], "position 0");
  disturb(c, "layers.0.ssm.in_proj.weight", 3, 1);
  const InductionResult result = check_induction(c, NumberFormat::float64);
  EXPECT_FALSE(result.passed());
  EXPECT_NE(result.failure.find("position"), std::string::npos) << result.failure;
}

TEST(Induction, notices_states_that_are_as_many_as_promised_but_not_the_ones_intended) {
  auto copy = constructions::build(copy_spec(Level::faithful, 9, 4, 12));
  // The carried value arrives negated in one coordinate: still one state per number, all of them wrong.
  for (std::size_t p = 0; p < copy.program.parameters.size(); ++p) {
    if (copy.program.parameters[p].name == "layers.0.ssm.in_proj.weight") {
      copy.values[p][static_cast<std::size_t>(copy.query.at(0))] = -1;
    }
  }
  const InductionResult result = check_induction(copy, NumberFormat::float32);
  EXPECT_EQ(result.reachable_states, result.promised_states);
  EXPECT_FALSE(result.passed());
  EXPECT_NE(result.failure.find("other than the one intended"), std::string::npos) << result.failure;
}

}  // namespace
}  // namespace hyseq::proofs_check
