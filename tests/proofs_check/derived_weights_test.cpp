#include "proofs_check/derived_weights.hpp"

#include <gtest/gtest.h>

#include "proofs_check/induction.hpp"
#include "proofs_check/margins.hpp"
#include "tests/proofs_check/fixture.hpp"

namespace hyseq::proofs_check {
namespace {

TEST(DerivedWeights, are_those_of_every_healthy_construction) {
  for (const Level level : kLevels) {
    for (const auto& [vocabulary, distances] : {std::pair{2, 1}, {2, 2}, {9, 9}, {300, 40}}) {
      for (const int length : {distances + 1, 64}) {
        EXPECT_EQ(weights_failure(constructions::build(copy_spec(level, vocabulary, distances, length))), "");
      }
    }
    for (const int bits : {1, 2, 6}) {
      EXPECT_EQ(weights_failure(constructions::build(recall_spec(level, bits, 0, 0))), "");
    }
  }
}

/// A large vocabulary, where no complete domain runs: one wrong weight of one token in the middle.
TEST(DerivedWeights, one_wrong_weight_among_many_tokens_ends_the_margin) {
  const auto healthy = constructions::build(copy_spec(Level::streaming, 5000, 100, 0));
  ASSERT_TRUE(margins(healthy, NumberFormat::float32).holds);
  const auto width = static_cast<std::size_t>(healthy.architecture.width);
  const auto disturbed = [&](int token, std::size_t row, double value) {
    auto c = healthy;
    c.values[0][static_cast<std::size_t>(token) * width + row] = value;
    const MarginResult result = margins(c, NumberFormat::float32);
    EXPECT_FALSE(result.holds);
    return result.failing;
  };
  // Token 2345 gets the code of 2344; induction has no part in codes and stays closed.
  EXPECT_EQ(disturbed(2345, 0, -1), "the tokens V2344 and V2345 have the same code");
  EXPECT_NE(disturbed(2345, 0, 0.5).find("V2345 is not made of +1 and -1"), std::string::npos);
  const std::size_t phase = 13;
  ASSERT_EQ(healthy.row_labels[phase], "phase 0");
  EXPECT_NE(disturbed(4999, phase, 0.5).find("#100"), std::string::npos);
  EXPECT_NE(disturbed(17, phase, 0.5).find("V17"), std::string::npos);
}

TEST(DerivedWeights, notice_the_faults_that_change_them) {
  for (const Level level : kLevels) {
    const int length = level == Level::faithful ? 8 : 0;
    for (const Fault fault : {Fault::short_window, Fault::wrong_code_bit}) {
      EXPECT_NE(weights_failure(constructions::build(copy_spec(level, 6, 4, 6, fault))), "");
      EXPECT_NE(weights_failure(constructions::build(recall_spec(level, 1, length, 4, fault))), "");
    }
    EXPECT_NE(weights_failure(constructions::build(copy_spec(level, 6, 4, 6, Fault::off_by_one))), "");
  }
}

TEST(DerivedWeights, of_recall_spell_the_words) {
  for (const Level level : kLevels) {
    const auto healthy = constructions::build(recall_spec(level, 5, 0, 0));
    const auto width = static_cast<std::size_t>(healthy.architecture.width);
    const std::string key = level == Level::faithful ? "bit" : "value";
    const auto row = static_cast<std::size_t>(std::find(healthy.row_labels.begin(), healthy.row_labels.end(), key) -
                                              healthy.row_labels.begin());
    ASSERT_LT(row, width);
    auto c = healthy;
    c.values[0][19 * width + row] += 0.25;
    EXPECT_NE(weights_failure(c).find("V19"), std::string::npos);
    auto swapped = healthy;  // two words' codes exchanged: still all distinct
    for (std::size_t i = 0; i < static_cast<std::size_t>(healthy.token.width); ++i) {
      std::swap(swapped.values[0][3 * width + i], swapped.values[0][4 * width + i]);
    }
    // The streaming level finds words by their values; there a code only has to be its own.
    EXPECT_EQ(weights_failure(swapped).empty(), level == Level::streaming);
  }
}

}  // namespace
}  // namespace hyseq::proofs_check
