#include "trainers/sweep/plan.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/base/error.hpp"
#include "tests/trainers_sweep/fixture.hpp"

namespace hyseq::trainers {
namespace {

TEST(Pack, FewestCohortsAsEvenAsPossible) {
  EXPECT_TRUE(pack(0, 16).empty());
  EXPECT_EQ(pack(1, 16), std::vector<std::size_t>{1});
  EXPECT_EQ(pack(16, 16), std::vector<std::size_t>{16});
  EXPECT_EQ(pack(18, 16), (std::vector<std::size_t>{9, 9}));
  EXPECT_EQ(pack(17, 8), (std::vector<std::size_t>{6, 6, 5}));
  EXPECT_EQ(pack(3, 1), (std::vector<std::size_t>{1, 1, 1}));
  for (std::size_t runs = 1; runs < 70; ++runs)
    for (std::size_t lanes = 1; lanes < 20; ++lanes) {
      const std::vector<std::size_t> sizes = pack(runs, lanes);
      EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}), runs);
      EXPECT_EQ(sizes.size(), (runs + lanes - 1) / lanes);
      const auto [least, most] = std::ranges::minmax(sizes);
      EXPECT_LE(most, lanes);
      EXPECT_LE(most - least, 1u);
    }
}

TEST(Cost, GrowsAsTheWorkDoes) {
  RunConfiguration run = fixture::small().points[0].final_run;
  run.engine = "lanes";
  const double once = run_operations(run);
  EXPECT_GT(once, 0);
  RunConfiguration twice = run;
  twice.optimiser.steps *= 2;
  twice.evaluation.rows *= 2;
  EXPECT_DOUBLE_EQ(run_operations(twice), 2 * once);
  // A partly filled group of lanes costs as much as a full one; elsewhere members cost what they are.
  EXPECT_DOUBLE_EQ(CohortCost(run, 16).of(3), 16 * once);
  run.engine = "reference";
  EXPECT_DOUBLE_EQ(CohortCost(run, 16).of(3), 3 * once);
}

TEST(Cost, AnEngineThatThisBuildLacksIsNamed) {
  RunConfiguration run = fixture::small().points[0].final_run;
  EXPECT_GE(engine_cohort_size(run), 1u);
  run.engine = "cuda";
  EXPECT_THROW((void)engine_cohort_size(run), EnvironmentError);
}

TEST(Shards, AreDisjointCompleteAndKeepControlsWithTheirSubjects) {
  for (const Preset& preset : {fixture::small(), load_preset("fig6", "published")})
    for (const std::size_t shards : {1u, 2u, 3u, 7u, 40u}) {
      std::vector<int> owners(preset.points.size(), 0);
      for (std::size_t shard = 0; shard < shards; ++shard) {
        const std::vector<std::size_t> owned = shard_points(preset, shard, shards);
        EXPECT_TRUE(std::ranges::is_sorted(owned));
        EXPECT_EQ(owned, shard_points(preset, shard, shards));
        for (const std::size_t index : owned) {
          ++owners[index];
          EXPECT_TRUE(std::ranges::binary_search(owned, preset.points[index].calibrated_by));
        }
      }
      EXPECT_TRUE(std::ranges::all_of(owners, [](int count) { return count == 1; })) << shards;
    }
}

TEST(Shards, GetSharesOfTheWorkNotOfThePoints) {
  const Preset preset = load_preset("fig6", "published");
  constexpr std::size_t shards = 4;
  std::vector<double> work;
  for (std::size_t shard = 0; shard < shards; ++shard) {
    work.push_back(0);
    for (const std::size_t index : shard_points(preset, shard, shards))
      work.back() += run_operations(preset.points[index].final_run);
  }
  const auto [least, most] = std::ranges::minmax(work);
  EXPECT_LT(most, 1.25 * least);
}

}  // namespace
}  // namespace hyseq::trainers
