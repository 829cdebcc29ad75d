#include "proofs_check/budgets.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "proofs_check/residual_classes/closed_forms.hpp"
#include "tests/proofs_check/fixture.hpp"

namespace hyseq::proofs_check {
namespace {

double log2_up(double x) { return std::max(1.0, std::ceil(std::log2(x))); }

TEST(Budgets, of_selective_copy_by_hand) {
  const auto faithful = budgets(copy_spec(Level::faithful, 10, 4, 7), NumberFormat::float32).here;
  EXPECT_EQ(faithful.width.value, 4 + 2 * 3 + 2);
  EXPECT_EQ(faithful.width.bound, 2 * 4 + 2 * 3 + 1);
  EXPECT_EQ(faithful.states.value, 5);
  EXPECT_EQ(faithful.window.value, 4);
  // Keys and values of three earlier positions, and the state of five.
  EXPECT_DOUBLE_EQ(faithful.working_memory_bits.value, 2 * 12 * 3 * 32 + std::log2(5.0));
  EXPECT_DOUBLE_EQ(faithful.pure_ssm_bits, 3 * std::log2(6.0));
  EXPECT_EQ(faithful.pure_window, 7);
  EXPECT_TRUE(faithful.instantiated);
  EXPECT_TRUE(faithful.holds());
  const auto half = budgets(copy_spec(Level::streaming, 10, 4, 7), NumberFormat::float16).here;
  EXPECT_EQ(half.width.value, 14);
  EXPECT_EQ(half.length, 0);
  EXPECT_DOUBLE_EQ(half.working_memory_bits.value, 2 * 14 * 3 * 16 + std::log2(5.0));
}

TEST(Budgets, of_recall_by_hand) {
  const auto faithful = budgets(recall_spec(Level::faithful, 1, 9, 8), NumberFormat::float64).here;
  EXPECT_EQ(faithful.width.value, 3 * 2 + 2 * 4 + 1);
  EXPECT_EQ(faithful.states.value, 3);
  EXPECT_EQ(faithful.window.value, 8 + 2);
  EXPECT_DOUBLE_EQ(faithful.working_memory_bits.value, 2 * 15 * (7 + 1) * 64 + std::log2(3.0));
  EXPECT_NEAR(faithful.pure_ssm_bits, std::log2(7.0), 1e-12) << "seven residual classes of two words";
  EXPECT_TRUE(faithful.holds());
  // The register's states count as numbers: three channels.
  const auto streaming = budgets(recall_spec(Level::streaming, 1, 0, 8), NumberFormat::float64).here;
  EXPECT_EQ(streaming.width.value, 2 + 8);
  EXPECT_EQ(streaming.states.value, 2);
  EXPECT_DOUBLE_EQ(streaming.working_memory_bits.value, 2 * 10 * (7 + 1) * 64 + 3 * 64);
  EXPECT_TRUE(streaming.holds());
}

/// The one formula for what a pure model needs is that of the counted classes.
TEST(Budgets, pure_models_need_what_the_residual_classes_say) {
  for (const int distances : {1, 2, 4}) {
    const auto copy = budgets(copy_spec(Level::streaming, 10, distances, 0), NumberFormat::float32).here;
    EXPECT_NEAR(copy.pure_ssm_bits, log2_of(copy_classes_once({10 - distances, 0, distances}, 9, 9)), 1e-12);
  }
  for (const Level level : kLevels) {
    const auto recall = budgets(recall_spec(level, 3, level == Level::faithful ? 40 : 0, 0), NumberFormat::float32);
    EXPECT_NEAR(recall.here.pure_ssm_bits, log2_of(recall_classes_once(8)), 1e-9);
    for (const Budget& budget : recall.grid)
      if (budget.axis == "bits" && budget.bits <= 6) {
        EXPECT_NEAR(budget.pure_ssm_bits, log2_of(recall_classes_once(1 << budget.bits)), 1e-9);
        EXPECT_LT(budget.pure_ssm_bits, std::ldexp(budget.bits, budget.bits) + 1) << "about W log2 W";
      }
  }
  // Eight places of context hold four words and their followers.
  const auto cut = budgets(recall_spec(Level::faithful, 3, 11, 8), NumberFormat::float32).here;
  EXPECT_NEAR(cut.pure_ssm_bits, std::log2(304.0), 1e-9);
}

TEST(Budgets, a_quantity_above_its_bound_does_not_hold) {
  BudgetResult result;
  result.here.width = {3, 3};
  EXPECT_TRUE(result.passed());
  result.here.width = {4, 3};
  EXPECT_FALSE(result.passed());
  result.here.width = {3, 3};
  result.grid.emplace_back();
  result.grid.back().working_memory_bits = {2, 1};
  EXPECT_FALSE(result.passed());
}

TEST(Budgets, hold_on_the_grid_and_reach_its_ends) {
  for (const Level level : kLevels) {
    const auto copy = budgets(copy_spec(level, 10, 4, 7), NumberFormat::bfloat16);
    EXPECT_TRUE(copy.passed());
    int vocabulary = 0;
    int distances = 0;
    int length = 0;
    for (const Budget& budget : copy.grid) {
      EXPECT_TRUE(budget.holds());
      vocabulary = std::max(vocabulary, budget.vocabulary);
      distances = std::max(distances, budget.distances);
      length = std::max(length, budget.length);
      const double most = level == Level::faithful ? 2 * log2_up(budget.vocabulary) + 2 * log2_up(budget.length) + 1
                                                   : log2_up(budget.vocabulary) + 10;
      EXPECT_LE(budget.width.value, most);
      EXPECT_EQ(budget.states.value, budget.distances + 1);
      EXPECT_EQ(budget.window.value, budget.distances);
    }
    EXPECT_EQ(vocabulary, 1 << 16);
    EXPECT_EQ(distances, 1 << 10);
    EXPECT_EQ(length, level == Level::faithful ? 1 << 20 : 0);
    EXPECT_NEAR(copy.growth.at("width per doubling of vocabulary"), 1, 0.01);
    EXPECT_NEAR(copy.growth.at("window against distances"), 1, 1e-9);
    EXPECT_NEAR(copy.growth.at("states against vocabulary"), 0, 1e-9);
    EXPECT_NEAR(copy.growth.at("working_memory_bits against distances"), 1, 0.2);
    if (level == Level::faithful) {
      EXPECT_NEAR(copy.growth.at("width per doubling of length"), 2, 0.01);
      EXPECT_NEAR(copy.growth.at("window against length"), 0, 1e-9);
    }
  }
}

TEST(Budgets, of_recall_grow_like_the_number_of_words) {
  for (const Level level : kLevels) {
    const auto recall = budgets(recall_spec(level, 2, level == Level::faithful ? 30 : 0, 0), NumberFormat::float32);
    EXPECT_TRUE(recall.passed());
    int bits = 0;
    for (const Budget& budget : recall.grid) {
      bits = std::max(bits, budget.bits);
      const double words = std::exp2(budget.bits);
      if (level == Level::faithful) {
        EXPECT_LE(budget.width.value, 3 * log2_up(words + 2) + 2 * log2_up(budget.length) + 2);
      }
      EXPECT_LE(budget.states.value, 2 * words);
    }
    EXPECT_EQ(bits, 10);
    EXPECT_NEAR(recall.growth.at("states against words"), 1, 0.15);
    EXPECT_NEAR(recall.growth.at("window against words"), 1, 0.15);
    EXPECT_NEAR(recall.growth.at("nonzero_parameters against words"), 1, 0.35);
  }
}

}  // namespace
}  // namespace hyseq::proofs_check
