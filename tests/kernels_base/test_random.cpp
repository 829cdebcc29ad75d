#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/base/random.hpp"

namespace hyseq {
namespace {

constexpr StreamKey kKey{1234, Purpose::verification};

/// A stream that hands out given words, to reach the rare branches.
class ScriptedStream {
 public:
  explicit ScriptedStream(std::vector<std::uint32_t> words) : words_(std::move(words)) {}
  std::uint32_t next() { return words_.at(used_++); }
  [[nodiscard]] std::size_t used() const { return used_; }

 private:
  std::vector<std::uint32_t> words_;
  std::size_t used_ = 0;
};

/// Chi-square statistic of counts against equal probabilities.
double chi_square(const std::vector<std::uint64_t>& counts) {
  const double expected = static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0})) /
                          static_cast<double>(counts.size());
  double sum = 0.0;
  for (const std::uint64_t count : counts) {
    const double difference = static_cast<double>(count) - expected;
    sum += difference * difference / expected;
  }
  return sum;
}

TEST(Random, GivesThePublishedKnownAnswersOfPhilox) {
  EXPECT_EQ(random_block({0, Purpose{0}}, 0, 0), (RandomBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const std::uint64_t ones = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(random_block({ones, Purpose{0xff}}, ones, ones >> 8),
            (RandomBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(random_block({0x299f31d0a4093822, Purpose{0x85}}, 0x0370734413198a2e, 0xa308d3243f6a88),
            (RandomBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, SeedPurposeIndexAndBlockAllMatter) {
  std::set<RandomBlock> blocks;
  for (std::uint64_t seed : {0ULL, 1ULL, 1ULL << 32}) {
    for (Purpose purpose : {Purpose::training_data, Purpose::calibration_data, Purpose::evaluation_data}) {
      for (std::uint64_t index : {0ULL, 1ULL, 1ULL << 32, 1ULL << 56}) {
        for (std::uint64_t block : {0ULL, 1ULL, 1ULL << 32}) blocks.insert(random_block({seed, purpose}, index, block));
      }
    }
  }
  EXPECT_EQ(blocks.size(), 3U * 3 * 4 * 3);
}

TEST(Random, StreamReadsTheBlocksInOrder) {
  RandomStream stream(kKey, 7);
  for (std::uint64_t block = 0; block < 100; ++block) {
    for (const std::uint32_t word : random_block(kKey, 7, block)) ASSERT_EQ(stream.next(), word) << "block " << block;
  }
}

TEST(Random, BelowIsUniform) {
  for (const std::uint32_t n : {1U, 2U, 3U, 10U, 26U}) {
    RandomStream stream(kKey, n);
    std::vector<std::uint64_t> counts(n);
    for (int i = 0; i < 200000; ++i) ++counts.at(stream.below(n));
    const double freedom = n - 1;
    EXPECT_LE(chi_square(counts), freedom + 5 * std::sqrt(2 * freedom) + 1e-9) << "n = " << n;
  }
}

TEST(Random, BelowRejectsWhereMultiplicationAloneWouldBeBiased) {
  // n = 3 * 2^30: without rejection the lower third of every four values would come up twice as often.
  const std::uint32_t n = 3U << 30;
  RandomStream stream(kKey, 0);
  std::vector<std::uint64_t> counts(3);
  for (int i = 0; i < 300000; ++i) ++counts.at(stream.below(n) % 3);
  EXPECT_LE(chi_square(counts), 20.0);
}

TEST(Random, WideBelowIsUniformAndInRange) {
  RandomStream stream(kKey, 3);
  const std::uint64_t n = 3ULL << 62;
  std::vector<std::uint64_t> counts(3);
  for (int i = 0; i < 30000; ++i) ++counts.at(stream.below_wide(n) >> 62);
  EXPECT_LE(chi_square(counts), 20.0);
  for (int i = 0; i < 1000; ++i) EXPECT_LT(stream.below_wide(5), 5U);
}

TEST(Random, BernoulliComparesAsManyDigitsAsItNeeds) {
  const double p = 0.75 + 0x1p-40;  // digits 0xC0000000, 0x01000000, then zeros
  const auto toss = [&](const std::vector<std::uint32_t>& words, bool expected) {
    ScriptedStream stream(words);
    EXPECT_EQ(Bernoulli(p).toss(stream), expected);
    EXPECT_EQ(stream.used(), words.size());
  };
  toss({0xBFFFFFFF}, true);
  toss({0xC0000001}, false);
  toss({0xC0000000, 0x00FFFFFF}, true);
  toss({0xC0000000, 0x01000001}, false);
  toss({0xC0000000, 0x01000000}, false);  // no digits of p are left: not below p
}

TEST(Random, BernoulliIsExactAtTheEndsAndForTinyProbabilities) {
  for (const std::uint32_t word : {0U, 1U, 0xFFFFFFFFU}) {
    ScriptedStream never({word});
    ScriptedStream always({word});
    EXPECT_FALSE(Bernoulli(0.0).toss(never));
    EXPECT_TRUE(Bernoulli(1.0).toss(always));
  }
  ScriptedStream below({0, 0, 0});
  ScriptedStream above({0, 0, 1});
  EXPECT_TRUE(Bernoulli(0x1p-96).toss(below));
  EXPECT_FALSE(Bernoulli(0x1p-96).toss(above));
}

TEST(Random, BernoulliRefusesWhatIsNoProbability) {
  for (const double p : {-0.1, 1.1, std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(Bernoulli{p}, InputError) << p;
  }
}

TEST(Random, BernoulliHasItsFrequency) {
  RandomStream stream(kKey, 0);
  const Bernoulli coin(0.2);
  const int tosses = 1000000;
  int heads = 0;
  for (int i = 0; i < tosses; ++i) heads += coin.toss(stream) ? 1 : 0;
  EXPECT_NEAR(heads, 0.2 * tosses, 5 * std::sqrt(0.2 * 0.8 * tosses));
}

TEST(Random, RealsHaveTheirMoments) {
  const int count = 400000;
  double sum = 0, squares = 0, normal_sum = 0, normal_squares = 0, normal_fourth = 0;
  for (std::uint64_t element = 0; element < count; ++element) {
    const double u = uniform_real(kKey, 1, element);
    ASSERT_TRUE(u >= 0.0 && u < 1.0);
    sum += u;
    squares += u * u;
    const double z = normal_real(kKey, 2, element);
    ASSERT_TRUE(std::isfinite(z));
    normal_sum += z;
    normal_squares += z * z;
    normal_fourth += z * z * z * z;
  }
  // Five standard errors each.
  EXPECT_NEAR(sum / count, 1.0 / 2, 5 * std::sqrt(1.0 / 12 / count));
  EXPECT_NEAR(squares / count, 1.0 / 3, 5 * std::sqrt(4.0 / 45 / count));
  EXPECT_NEAR(normal_sum / count, 0.0, 5 * std::sqrt(1.0 / count));
  EXPECT_NEAR(normal_squares / count, 1.0, 5 * std::sqrt(2.0 / count));
  EXPECT_NEAR(normal_fourth / count, 3.0, 5 * std::sqrt(96.0 / count));
}

TEST(Random, ExtremesOfTheUnitReal) {
  EXPECT_EQ(unit_real(0, 0), 0.0);
  EXPECT_EQ(unit_real(0xFFFFFFFF, 0xFFFFFFFF), 1.0 - 0x1p-53);
}

TEST(Random, ShufflesAreUniformPermutations) {
  std::vector<std::uint64_t> counts(24);
  std::vector<std::vector<int>> seen;
  RandomStream stream(kKey, 0);
  for (int i = 0; i < 48000; ++i) {
    std::vector<int> items{0, 1, 2, 3};
    stream.shuffle(std::span(items));
    auto found = std::find(seen.begin(), seen.end(), items);
    if (found == seen.end()) found = seen.insert(seen.end(), items);
    ++counts.at(static_cast<std::size_t>(found - seen.begin()));
  }
  EXPECT_EQ(seen.size(), 24U);
  EXPECT_LE(chi_square(counts), 23 + 5 * std::sqrt(2 * 23.0));
}

}  // namespace
}  // namespace hyseq
