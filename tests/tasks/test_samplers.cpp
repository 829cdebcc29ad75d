// The distributions of the samplers, counted.
#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "tasks/mqar.hpp"
#include "tests/tasks/support.hpp"

namespace hyseq::tasks {
namespace {

/// Calls visit(row of the input) for rows 0 .. rows-1.
template <class Visit>
void for_samples(const Task& task, std::size_t length, std::size_t rows, const Visit& visit) {
  const Batch batch = sample_rows(task, kTraining, 0, rows, {length, length});
  for (std::size_t row = 0; row < rows; ++row) {
    const auto begin = batch.input.begin() + static_cast<std::ptrdiff_t>(row * length);
    visit(Tokens(begin, begin + static_cast<std::ptrdiff_t>(length)));
  }
}

std::vector<std::uint64_t> token_counts(const Task& task, std::size_t length, std::size_t rows) {
  std::vector<std::uint64_t> counts(static_cast<std::size_t>(task.vocabulary().bos()));
  for_samples(task, length, rows, [&](const Tokens& x) {
    for (const std::int32_t token : x) ++counts.at(static_cast<std::size_t>(token));
  });
  return counts;
}

TEST(Samplers, SelectiveCopyHasItsShares) {
  const auto task = make_task("selective_copy");
  std::vector<double> weights(26, 0.8 / 26);
  weights.insert(weights.end(), 5, 0.2 / 5);
  expect_distribution(token_counts(*task, 100, 5000), weights, "tokens");
}

TEST(Samplers, SelectiveCopyTokensAreIndependent) {
  const auto task = make_task("selective_copy", {{"values", "3"}, {"distance-count", "2"}, {"number-share", "0.4"}});
  std::vector<std::uint64_t> counts(25);
  for_samples(*task, 100, 5000, [&](const Tokens& x) {
    for (std::size_t i = 0; i + 1 < x.size(); i += 2) {
      const std::int32_t pair = 5 * x[i] + x[i + 1];
      ++counts.at(static_cast<std::size_t>(pair));
    }
  });
  std::vector<double> weights;
  for (const double first : {0.2, 0.2, 0.2, 0.2, 0.2}) weights.insert(weights.end(), 5, first * 0.2);
  expect_distribution(counts, weights, "pairs of neighbours");
}

TEST(Samplers, SharesOfZeroAndOneAreExact) {
  const auto none = token_counts(*make_task("selective_copy", {{"number-share", "0"}}), 100, 100);
  EXPECT_EQ(std::count(none.begin() + 26, none.end(), 0U), 5);
  const auto all = token_counts(*make_task("decode_recall", {{"bit-share", "1"}}), 100, 100);
  EXPECT_EQ(std::count(all.begin(), all.begin() + 32, 0U), 32);
}

TEST(Samplers, SelectiveCopyMixedIsHalfAndHalf) {
  const auto task = make_task("selective_copy_mixed", {{"sparse-share", "0"}});  // makes the kinds tell-tale
  std::vector<std::uint64_t> kinds(2);
  std::vector<std::uint64_t> last(5);
  std::vector<std::uint64_t> before(2);
  for_samples(*task, 50, 20000, [&](const Tokens& x) {
    const bool dense = x.back() >= 26;
    ++kinds[dense ? 1 : 0];
    for (std::size_t i = 0; i + 1 < x.size(); ++i) {
      if (dense)
        ++before[x[i] >= 26 ? 1 : 0];
      else
        EXPECT_LT(x[i], 26);
    }
    if (dense) ++last.at(static_cast<std::size_t>(x.back() - 26));
  });
  expect_uniform(kinds, "the coin");
  expect_uniform(last, "the number in the last position");
  expect_distribution(before, {0.8, 0.2}, "the numbers before it");
}

TEST(Samplers, MkarIsUniform) { expect_uniform(token_counts(*make_task("mkar"), 100, 5000), "values"); }

TEST(Samplers, DecodeRecallHasItsShares) {
  std::vector<double> weights(32, 0.8 / 32);
  weights.insert(weights.end(), 2, 0.2 / 2);
  expect_distribution(token_counts(*make_task("decode_recall"), 100, 5000), weights, "tokens");
}

TEST(Samplers, DecodeRecallLastEndsInAUniformQuery) {
  const auto task = make_task("decode_recall_last", {{"bits", "3"}});
  std::vector<std::uint64_t> words(8);
  std::vector<std::uint64_t> queries(8);
  for_samples(*task, 20, 20000, [&](const Tokens& x) {
    for (std::size_t i = 0; i < 17; ++i) ++words.at(static_cast<std::size_t>(x[i]));
    const std::int32_t query = 4 * (x[17] - 8) + 2 * (x[18] - 8) + (x[19] - 8);
    ++queries.at(static_cast<std::size_t>(query));
  });
  expect_uniform(words, "words");
  expect_uniform(queries, "queries");
}

TEST(Samplers, NeedleStandsInTheFirstHalf) {
  for (const std::size_t length : {2UL, 3UL, 20UL, 21UL}) {
    const auto task = make_task("needle", {{"values", "5"}});
    std::vector<std::uint64_t> positions(length / 2);
    for_samples(*task, length, 10000, [&](const Tokens& x) {
      EXPECT_EQ(std::ranges::count(x, 5), 1);
      EXPECT_EQ(std::ranges::count(x, 6), 1);
      EXPECT_EQ(x.back(), 6);
      ++positions.at(static_cast<std::size_t>(std::ranges::find(x, 5) - x.begin()));
    });
    if (positions.size() > 1) expect_uniform(positions, "marker at length " + std::to_string(length));
  }
}

TEST(Samplers, NeedleGridPlacesKeysUniformly) {
  // Room 0..9 for three pairs, the queried one at round(0.5 * 8) = 4: 0..3 and 6..9 for two more.
  const auto task = make_task("needle_grid", {{"values", "5"}, {"needles", "3"}});
  std::map<std::set<std::size_t>, std::uint64_t> placements;
  std::vector<std::uint64_t> queried(3);
  std::vector<std::uint64_t> answers(5);
  for_samples(*task, 12, 30000, [&](const Tokens& x) {
    ASSERT_EQ(x[4], x.back());
    std::set<std::size_t> starts;
    for (std::size_t i = 0; i + 1 < x.size(); ++i) {
      if (x[i] >= 5) starts.insert(i);
    }
    ASSERT_EQ(starts.size(), 3U);
    ++placements[starts];
    ++queried.at(static_cast<std::size_t>(x.back() - 5));
    ++answers.at(static_cast<std::size_t>(label(*task, x).back()));
  });
  std::vector<std::uint64_t> counts;
  for (const auto& [starts, count] : placements) counts.push_back(count);
  EXPECT_EQ(counts.size(), 11U);  // two on the left {0,2}, two on the right {6,8}, or one of three on either side
  expect_uniform(counts, "placements");
  expect_uniform(queried, "queried key");
  expect_uniform(answers, "value");
}

TEST(Samplers, NeedleGridReachesEveryDepth) {
  const std::map<std::string, std::size_t> positions{{"0", 0}, {"0.25", 24}, {"1", 96}};
  for (const auto& entry : positions) {
    const auto task = make_task("needle_grid", {{"needles", "4"}, {"depth", entry.first}});
    for_samples(*task, 100, 50, [&](const Tokens& x) { EXPECT_EQ(x[entry.second], x.back()) << entry.first; });
  }
}

TEST(Samplers, NeedleGridWorksWhenPackedToTheBrim) {
  // 64 positions, of which 62 hold 31 pairs with no room to spare.
  const auto task = make_task("needle_grid", {{"needles", "31"}, {"depth", "0.2"}});
  for_samples(*task, 64, 100, [&](const Tokens& x) {
    std::set<std::int32_t> keys;
    for (std::size_t i = 0; i < 62; i += 2) keys.insert(x[i]);
    EXPECT_EQ(keys.size(), 31U);
    EXPECT_GE(*keys.begin(), 100);
    EXPECT_EQ(std::ranges::count_if(x, [](std::int32_t token) { return token >= 100; }), 32);
  });
}

TEST(Samplers, MqarQueriesEveryKeyOnce) {
  for (const std::string filler : {"0", "1"}) {
    const auto task = make_task("mqar", {{"vocabulary", "33"}, {"pairs", "15"}, {"random-filler", filler}});
    for_samples(*task, 61, 500, [&](const Tokens& x) {
      std::set<std::int32_t> keys;
      std::set<std::int32_t> values;
      for (std::size_t p = 0; p < 15; ++p) {
        keys.insert(x[2 * p]);
        values.insert(x[2 * p + 1]);
        EXPECT_EQ(std::count(x.begin() + 30, x.end(), x[2 * p]), 1);
      }
      EXPECT_EQ(keys.size(), 15U);  // of the pool 1 .. 15: all of them
      EXPECT_TRUE(*keys.begin() >= 1 && *keys.rbegin() <= 15);
      EXPECT_EQ(values.size(), 15U);
      EXPECT_TRUE(*values.begin() >= 16 && *values.rbegin() <= 32);
      const Tokens target = label(*task, x);
      const auto null = task->vocabulary().null();
      EXPECT_EQ(std::ranges::count_if(target, [&](std::int32_t t) { return t != null; }), 15);
    });
  }
}

TEST(Samplers, MqarGapsFollowThePowerLaw) {
  const auto task = make_task("mqar", {{"pairs", "2"}, {"gap-exponent", "0.25"}});
  const std::size_t slots = 8;
  std::vector<std::uint64_t> counts(slots * slots);
  for_samples(*task, 4 + 2 * slots, 50000, [&](const Tokens& x) {
    std::size_t slot[2] = {0, 0};
    for (std::size_t g = 0; g < slots; ++g) {
      if (x[4 + 2 * g] == x[0]) slot[0] = g;
      if (x[4 + 2 * g] == x[2]) slot[1] = g;
    }
    ++counts.at(slots * slot[0] + slot[1]);
  });
  // The first key draws from all slots, the second from those left, with renormalised probabilities.
  std::vector<double> weight(slots);
  double total = 0.0;
  for (std::size_t g = 0; g < slots; ++g) total += weight[g] = std::pow(static_cast<double>(g + 1), -0.75);
  std::vector<std::uint64_t> observed;
  std::vector<double> expected;
  for (std::size_t a = 0; a < slots; ++a) {
    for (std::size_t b = 0; b < slots; ++b) {
      if (a == b) {
        EXPECT_EQ(counts[slots * a + b], 0U);
        continue;
      }
      observed.push_back(counts[slots * a + b]);
      expected.push_back(weight[a] / total * weight[b] / (total - weight[a]));
    }
  }
  expect_distribution(observed, expected, "slots of the two keys");
}

TEST(Samplers, PowerWeightsAgreeWithTheLibrary) {
  for (const double exponent : {-1.0, -0.99, -0.5, -1e-9, 0.0}) {
    for (double x = 1.0; x < 1e7; x = std::floor(x * 1.7) + 1) {
      const double expected = std::pow(x, exponent) * 0x1p40;
      EXPECT_NEAR(static_cast<double>(power_weight(x, exponent)), expected, 0.5 + expected * 1e-14) << x;
    }
  }
}

TEST(Samplers, RandomFillerHoldsNoKeys) {
  const auto task = make_task("mqar", {{"vocabulary", "12"}, {"pairs", "1"}, {"random-filler", "1"}});
  std::vector<std::uint64_t> counts(7);  // 0, 6 .. 11
  for_samples(*task, 100, 2000, [&](const Tokens& x) {
    for (std::size_t i = 2; i < x.size(); ++i) {
      if (x[i] == x[0]) continue;  // the query
      ASSERT_TRUE(x[i] == 0 || x[i] >= 6);
      ++counts.at(static_cast<std::size_t>(x[i] == 0 ? 0 : x[i] - 5));
    }
  });
  expect_uniform(counts, "filler");
}

}  // namespace
}  // namespace hyseq::tasks
