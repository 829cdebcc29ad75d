#include "results/memory_bounds.hpp"

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace hyseq::results {
namespace {

/// Bits needed for an accuracy, between the points of the curve.
double needed(const std::vector<NeededBits>& curve, double accuracy) {
  for (std::size_t i = 1; i < curve.size(); ++i)
    if (curve[i].accuracy >= accuracy && curve[i - 1].accuracy <= accuracy) {
      const double share = (accuracy - curve[i - 1].accuracy) / (curve[i].accuracy - curve[i - 1].accuracy);
      return curve[i - 1].bits + share * (curve[i].bits - curve[i - 1].bits);
    }
  return accuracy < curve.front().accuracy ? 0 : curve.back().bits;
}

struct Outcome {
  double accuracy = 0;
  double bits = 0;
};

/// A machine that holds the last `kept` tokens and the latest number, on sampled rows; what it does not hold it answers
/// by the likeliest token, a value.
Outcome shift_register(const CopyingSizes& sizes, int kept, int rows) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> share(0, 1);
  const auto values = static_cast<int>(sizes.values);
  std::uniform_int_distribution<int> value(0, values - 1), number(0, sizes.distances - 1);
  double valid = 0, right = 0;
  for (int row = 0; row < rows; ++row) {
    std::vector<int> tokens;
    int distance = 0;
    for (int i = 0; i < static_cast<int>(sizes.length); ++i) {
      const bool is_number = share(random) < sizes.number_share;
      tokens.push_back(is_number ? values + number(random) : value(random));
      if (is_number) distance = sizes.nearest + tokens.back() - values;
      if (distance == 0 || i < distance) continue;
      const int target = tokens[static_cast<std::size_t>(i - distance)];
      valid += 1;
      right += (distance <= kept ? target : 0) == target ? 1 : 0;
    }
  }
  return {right / valid, kept * std::log2(sizes.values + sizes.distances) + std::log2(sizes.distances + 1)};
}

TEST(MemoryBounds, RateIsFullWithoutErrorAndNothingAtChance) {
  for (const double answers : {2.0, 3.0, 26.0}) {
    EXPECT_DOUBLE_EQ(rate(0, answers), std::log2(answers));
    EXPECT_NEAR(rate(1 - 1 / answers, answers), 0, 1e-12);
  }
  EXPECT_NEAR(rate(0.01, 2), 0.919, 5e-4);
  EXPECT_NEAR(rate(0.25, 4), 0.792, 5e-4);
}

TEST(MemoryBounds, CopyingEndsAtTheEntropyOfAllLettersWithinReach) {
  const std::vector<NeededBits> needs = copying_needs({});
  ASSERT_GT(needs.size(), 100u);
  const double letter = fano_entropy(0.2, 2) + 0.8 * std::log2(26.0) + 0.2 * std::log2(5.0);
  EXPECT_EQ(needs.back().accuracy, 1);
  EXPECT_NEAR(needs.back().bits, 9 * letter, 1e-9);
  for (std::size_t i = 1; i < needs.size(); ++i) {
    EXPECT_GE(needs[i].accuracy, needs[i - 1].accuracy);
    EXPECT_GE(needs[i].bits, needs[i - 1].bits);
  }
  EXPECT_LT(needs.front().bits, 1);
  EXPECT_LT(needs.front().accuracy, 0.4);
}

TEST(MemoryBounds, AShiftRegisterStaysAboveAndComesNear) {
  for (const CopyingSizes& sizes : {CopyingSizes{}, CopyingSizes{2, 1, 3, 0.3, 40}, CopyingSizes{4, 2, 1, 0.5, 20}}) {
    const std::vector<NeededBits> needs = copying_needs(sizes);
    for (int kept = 0; kept <= sizes.furthest(); ++kept) {
      const Outcome outcome = shift_register(sizes, kept, 2000);
      EXPECT_GE(outcome.bits, needed(needs, outcome.accuracy)) << kept;
      if (kept == sizes.furthest()) {
        EXPECT_EQ(outcome.accuracy, 1);
        EXPECT_LT(outcome.bits, 1.6 * needs.back().bits);
        // One that claims to hold no more than half of it would be caught.
        EXPECT_LT(outcome.bits / 2, needed(needs, outcome.accuracy));
      }
    }
  }
}

TEST(MemoryBounds, SizesOutOfRangeGiveNoCurve) {
  EXPECT_TRUE(copying_needs({26, 0, 5, 0.2, 100}).empty()) << "distance 0 needs no memory";
  EXPECT_TRUE(copying_needs({26, 5, 5, 0.2, 17}).empty()) << "questions that do not fit into the row";
  EXPECT_TRUE(copying_needs({26, 5, 5, 0, 100}).empty());
  EXPECT_TRUE(recall_needs(2).empty());
}

TEST(MemoryBounds, RecallNeedsAllWordsButTwo) {
  const std::vector<NeededBits> needs = recall_needs(32);
  EXPECT_EQ(needs.back().accuracy, 1);
  EXPECT_NEAR(needs.back().bits, 30 * 5, 1e-9) << "log2 of Cayley's 32^30 trees";
  EXPECT_NEAR(needed(needs, 0.5), 31 * rate(0.5, 32) - 5, 0.2);
}

}  // namespace
}  // namespace hyseq::results
