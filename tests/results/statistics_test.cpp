#include "results/statistics.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

namespace hyseq::results {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Parameters = std::optional<std::int64_t>;

TEST(Statistics, QuantilesAreThoseOfDefinitionSeven) {
  const std::vector<double> eleven{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  EXPECT_DOUBLE_EQ(quantile(eleven, 0.1), 1);
  EXPECT_DOUBLE_EQ(quantile(eleven, 0.9), 9);
  EXPECT_DOUBLE_EQ(quantile(eleven, 0.25), 2.5);
  EXPECT_DOUBLE_EQ(quantile(eleven, 0), 0);
  EXPECT_DOUBLE_EQ(quantile(eleven, 1), 10);
  // numpy.quantile([1, 2, 4, 8], [0.1, 0.5, 0.9])
  const std::vector<double> four{1, 2, 4, 8};
  EXPECT_DOUBLE_EQ(quantile(four, 0.1), 1.3);
  EXPECT_DOUBLE_EQ(quantile(four, 0.5), 3);
  EXPECT_DOUBLE_EQ(quantile(four, 0.9), 6.8);
  const std::vector<double> one{0.25};
  EXPECT_DOUBLE_EQ(quantile(one, 0.9), 0.25);
  EXPECT_THROW((void)quantile({}, 0.5), std::invalid_argument);
  EXPECT_THROW((void)mean_of({}), std::invalid_argument);
}

TEST(Statistics, SeedsCountAlikeHoweverManyPositionsTheyHad) {
  const std::vector<Counts> seeds{{1000, 0}, {10, 10}, {100, 50}, {0, 0}};
  const Summary summary = summarise(seeds);
  EXPECT_EQ(summary.values, (std::vector<double>{0, 1, 0.5, 0}));
  EXPECT_DOUBLE_EQ(summary.mean, 0.375);
  EXPECT_DOUBLE_EQ(summary.median, 0.25);
  EXPECT_DOUBLE_EQ(summary.band.low, 0);
  EXPECT_DOUBLE_EQ(summary.band.high, 0.85);
  EXPECT_EQ(summary.least, 0);
  EXPECT_EQ(summary.greatest, 1);
}

TEST(Statistics, MeansDoNotDependOnTheOrder) {
  std::vector<double> values{0.1, 0.7, 1e-17, 0.3, 1.0 / 3, 0.9999};
  std::sort(values.begin(), values.end());
  const double mean = mean_of(values);
  do {
    ASSERT_EQ(mean_of(values), mean);
  } while (std::next_permutation(values.begin(), values.end()));
}

TEST(Statistics, IntervalsOfDifferencesDependOnValuesAndNameAlone) {
  const std::vector<double> high{0.9, 0.8, 1.0, 0.9}, low{0.1, 0.3, 0.2, 0.2}, shuffled{1.0, 0.9, 0.9, 0.8};
  const Interval interval = difference_interval("a", high, low);
  EXPECT_LT(interval.low, 0.7);
  EXPECT_GT(interval.high, 0.7);
  EXPECT_GE(interval.low, 0.5);
  EXPECT_LE(interval.high, 0.9);
  const Interval again = difference_interval("a", shuffled, low);
  EXPECT_EQ(again.low, interval.low);
  EXPECT_EQ(again.high, interval.high);
  const Interval opposite = difference_interval("a", low, high);
  EXPECT_LT(opposite.high, 0);
  const Interval constant = difference_interval("a", {0.5, 0.5}, {0.25});
  EXPECT_EQ(constant.low, 0.25);
  EXPECT_EQ(constant.high, 0.25);
}

TEST(Statistics, WilsonIntervalsHaveTheirPublishedValues) {
  // Newcombe, Statistics in Medicine 17 (1998), table I, method 3.
  const Interval a = wilson_interval({263, 81}), b = wilson_interval({148, 15}), c = wilson_interval({20, 0});
  EXPECT_NEAR(a.low, 0.2553, 5e-5);
  EXPECT_NEAR(a.high, 0.3662, 5e-5);
  EXPECT_NEAR(b.low, 0.0624, 5e-5);
  EXPECT_NEAR(b.high, 0.1605, 5e-5);
  EXPECT_EQ(c.low, 0);
  EXPECT_NEAR(c.high, 0.1611, 5e-5);
  EXPECT_EQ(wilson_interval({7, 7}).high, 1);
  EXPECT_EQ(wilson_interval({0, 0}).high, 1);
  EXPECT_EQ(wilson_interval({0, 0}).low, 0);
}

TEST(FirstReach, IsTheSmallestSizeWhoseMeanReachesTheThreshold) {
  const std::vector<SizeSample> sizes{{400, {1, 1}}, {100, {0.2, 0.4}}, {200, {0.9, 0.9, 0.9}}, {300, {0, 0}}};
  const FirstReach reach = first_reach("SSM,TF", sizes, 0.9);
  EXPECT_EQ(reach.parameters, Parameters(200));
  EXPECT_EQ(reach.low, Parameters(200));
  EXPECT_EQ(reach.high, Parameters(200));
  EXPECT_EQ(reach.never, 0);
  EXPECT_EQ(reach.least_tried, 100);
  EXPECT_EQ(reach.largest_tried, 400);
  // 0.9 eleven times sums to less than 9.9; that is no reason to say that it was not reached.
  EXPECT_EQ(first_reach("x", {{7, std::vector<double>(11, 0.9)}}, 0.9).parameters, Parameters(7));
  EXPECT_EQ(first_reach("x", {{7, std::vector<double>(11, 0.8999)}}, 0.9).parameters, Parameters());
}

TEST(FirstReach, NoneAndNothingTrainedAreToldApart) {
  const FirstReach none = first_reach("TF,TF", {{100, {0.5}}, {200, {}}}, 0.9);
  EXPECT_FALSE(none.parameters || none.low || none.high);
  EXPECT_EQ(none.never, 1);
  EXPECT_EQ(none.largest_tried, 100) << "a size without seeds was not tried";
  const FirstReach nothing = first_reach("TF,TF", {{200, {}}}, 0.9);
  EXPECT_FALSE(nothing.parameters);
  EXPECT_EQ(nothing.never, 1);
  EXPECT_EQ(nothing.largest_tried, 0);
}

TEST(FirstReach, ResamplesSeedsWithinEverySize) {
  // Two seeds, 0 and 1: three of the four draws have a mean of at least 0.5. With two such sizes the first one is hit
  // in 3/4 of the resamples, the second in 3/16, none in 1/16.
  const std::vector<SizeSample> sizes{{10, {0, 1}}, {20, {1, 0}}};
  Bootstrap bootstrap;
  bootstrap.resamples = 40000;
  const FirstReach reach = first_reach("SSM,SSM", sizes, 0.5, bootstrap);
  const auto share = [&](Parameters value) {
    return static_cast<double>(std::count(reach.resampled.begin(), reach.resampled.end(), value)) / 40000;
  };
  EXPECT_NEAR(share(10), 0.75, 0.011);  // five standard deviations
  EXPECT_NEAR(share(20), 0.1875, 0.01);
  EXPECT_NEAR(reach.never, 0.0625, 0.0061);
  EXPECT_EQ(reach.low, Parameters(10));
  EXPECT_EQ(reach.high, Parameters()) << "6% of the resamples reach it nowhere, more than the 2.5% that are cut off";
  bootstrap.confidence = 0.8;
  EXPECT_EQ(first_reach("SSM,SSM", sizes, 0.5, bootstrap).high, Parameters(20)) << "10% are cut off";
}

TEST(FirstReach, IsAFunctionOfValuesNameAndSeedAlone) {
  const std::vector<SizeSample> sizes{{10, {0.2, 0.95, 0.9, 0.99}}, {20, {1, 0.3, 0.97, 0.96, 1}}, {30, {0.9, 1}}};
  const std::vector<SizeSample> shuffled{{30, {1, 0.9}}, {20, {0.96, 1, 1, 0.3, 0.97}}, {10, {0.99, 0.9, 0.95, 0.2}}};
  const FirstReach expected = first_reach("SSM,TF", sizes, 0.9);
  EXPECT_EQ(first_reach("SSM,TF", shuffled, 0.9).resampled, expected.resampled) << "order of sizes and seeds";
  EXPECT_NE(first_reach("TF,TF", sizes, 0.9).resampled, expected.resampled) << "families are independent";
  Bootstrap other;
  other.seed = 1;
  EXPECT_NE(first_reach("SSM,TF", sizes, 0.9, other).resampled, expected.resampled);
  Bootstrap fewer;
  fewer.resamples = 100;
  EXPECT_TRUE(std::equal(expected.resampled.begin(), expected.resampled.begin() + 100,
                         first_reach("SSM,TF", sizes, 0.9, fewer).resampled.begin()));
  std::vector<FirstReach> found(4);
  std::vector<std::thread> threads;
  threads.reserve(found.size());
  for (FirstReach& one : found) threads.emplace_back([&] { one = first_reach("SSM,TF", sizes, 0.9); });
  for (std::thread& thread : threads) thread.join();
  for (const FirstReach& one : found) EXPECT_EQ(one.resampled, expected.resampled);
  // The same on every machine.
  std::string first;
  for (std::size_t b = 0; b < 24; ++b)
    first += expected.resampled[b] ? std::to_string(*expected.resampled[b] / 10) : "-";
  EXPECT_EQ(first, "333333313333323223133233");
}

FirstReach reach_at(Parameters parameters, std::int64_t largest, std::vector<Parameters> resampled) {
  FirstReach reach;
  reach.parameters = parameters;
  reach.largest_tried = largest;
  reach.resampled = std::move(resampled);
  return reach;
}

TEST(SizeRatio, IsExactWhereBothReachTheThreshold) {
  const SizeRatio ratio = size_ratio(reach_at(1200, 2000, {1200, 1200}), reach_at(200, 2000, {200, 200}));
  EXPECT_TRUE(ratio.estimate.exact() && ratio.interval.exact());
  EXPECT_DOUBLE_EQ(ratio.estimate.low, 6);
  EXPECT_DOUBLE_EQ(ratio.interval.high, 6);
}

TEST(SizeRatio, IsABoundWhereAFamilyNeverDoes) {
  const Bounds larger_never = size_ratio(reach_at({}, 2000, {{}}), reach_at(200, 900, {200})).estimate;
  EXPECT_EQ(larger_never.low, 10);
  EXPECT_EQ(larger_never.high, kInfinity);
  EXPECT_FALSE(larger_never.bounded_above());
  const Bounds smaller_never = size_ratio(reach_at(400, 2000, {400}), reach_at({}, 800, {{}})).estimate;
  EXPECT_EQ(smaller_never.low, 0);
  EXPECT_EQ(smaller_never.high, 0.5);
  for (const FirstReach& other : {reach_at({}, 800, {{}}), reach_at({}, 0, {{}})}) {
    const Bounds unknown = size_ratio(reach_at({}, 2000, {{}}), other).estimate;
    EXPECT_EQ(unknown.low, 0);
    EXPECT_EQ(unknown.high, kInfinity);
  }
  EXPECT_EQ(size_ratio(reach_at({}, 0, {{}}), reach_at(200, 900, {200})).estimate.low, 0) << "never trained";
}

TEST(SizeRatio, ItsIntervalHoldsWhatResamplesSayAndDoNotSay) {
  // In one of ten resamples the larger family reaches it nowhere: at least 2000 / 200.
  std::vector<Parameters> larger(10, 800), smaller(10, 200);
  larger[3] = std::nullopt;
  smaller[0] = 400;
  const SizeRatio wide = size_ratio(reach_at(800, 2000, larger), reach_at(200, 2000, smaller));
  EXPECT_EQ(wide.interval.low, 2);
  EXPECT_EQ(wide.interval.high, kInfinity);
  const SizeRatio narrow = size_ratio(reach_at(800, 2000, larger), reach_at(200, 2000, smaller), 0.7);
  EXPECT_EQ(narrow.interval.low, 4);
  EXPECT_EQ(narrow.interval.high, 4);
  EXPECT_EQ(size_ratio(reach_at(800, 2000, {}), reach_at(200, 2000, {})).interval.high, kInfinity)
      << "without resamples nothing is known about the interval";
}

}  // namespace
}  // namespace hyseq::results
