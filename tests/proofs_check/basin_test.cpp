// What training makes of a construction, and what the check "basin" says of it.
#include <gtest/gtest.h>

#include "kernels/base/error.hpp"
#include "proofs_check/trainable_level/basin_check.hpp"
#include "proofs_check/trainable_level/verify.hpp"

namespace hyseq::proofs_check {
namespace {

using constructions::Fault;
using constructions::TrainableCopySpec;
using results::Json;

TrainableRequest small_request() {
  TrainableRequest request;
  request.checks = {"basin"};
  request.basin.noises = {0, 1};
  request.basin.rates = {1e-5, 1e-4};
  request.basin.dropouts = {0.1};
  request.basin.kept_rate = 1e-5;
  request.basin.seeds = 2;
  request.basin.steps = 12;
  request.basin.rows = 16;
  return request;
}

TEST(Basin, CountsEverySeedOfEveryStartAndRate) {
  const auto certificate = verify(TrainableCopySpec{}, small_request());
  EXPECT_EQ(certificate.verdict, "certified") << certificate.scope;
  ASSERT_EQ(certificate.checks.size(), 1U);
  const Json& figures = certificate.checks[0].figures;
  ASSERT_EQ(figures["series"].size(), 6U) << "three starts, two rates";
  for (const Json& entry : figures["series"]) {
    ASSERT_EQ(entry["valid"].size(), 2U);
    for (std::size_t s = 0; s < 2; ++s) {
      EXPECT_GT(entry["valid"][s], 1000);
      if (entry["start"] == "construction" && entry["noise"] == 0) {
        EXPECT_EQ(entry["correct_before"][s], entry["valid"][s]);
        EXPECT_EQ(entry["correct_after"][s], entry["valid"][s]);
      } else {
        EXPECT_LT(entry["correct_before"][s], entry["valid"][s].get<int>() / 2) << "noise 1 leaves little";
      }
    }
  }
  EXPECT_EQ(figures["runs_that_stay_solved"], 2);
  EXPECT_EQ(figures["drawn_runs_solved"], 0);
  EXPECT_EQ(figures["returns"][0]["every_seed_returns_up_to"], 0);
  EXPECT_EQ(figures["returns"][0]["no_seed_returns_from"], 1);
}

TEST(Basin, DoesNotDependOnThreads) {
  TrainableRequest request = small_request();
  const Json one = basin_check(TrainableCopySpec{}, request).figures;
  request.threads = 3;
  EXPECT_EQ(one, basin_check(TrainableCopySpec{}, request).figures);
  request.seed = 2;
  const Json other = basin_check(TrainableCopySpec{}, request).figures;
  // Seeds 1, 2 and 2, 3 of the same start.
  EXPECT_EQ(other["series"][2]["correct_after"][0], one["series"][2]["correct_after"][1]);
  EXPECT_NE(other["series"][2]["correct_after"], one["series"][2]["correct_after"]);
}

TEST(Basin, AFaultOrALargeRateFlipsTheVerdict) {
  TrainableCopySpec faulty;
  faulty.fault = Fault::zero_temperature;
  const auto broken = verify(faulty, small_request());
  EXPECT_EQ(broken.verdict, "not shown");
  EXPECT_EQ(broken.checks.at(0).figures["runs_that_stay_solved"], 0);
  EXPECT_TRUE(broken.checks.at(0).figures["returns"][0]["every_seed_returns_up_to"].is_null());
  TrainableRequest request = small_request();
  request.basin.rates = {1};
  request.basin.kept_rate = 1;
  EXPECT_EQ(verify(TrainableCopySpec{}, request).verdict, "not shown");
}

TEST(Basin, RefusesWhatDoesNotFit) {
  TrainableRequest request = small_request();
  EXPECT_THROW((void)verify(constructions::TrainableRecallSpec{}, request), InputError);
  request.basin.noises = {0.1};
  EXPECT_THROW((void)verify(TrainableCopySpec{}, request), InputError);
  request = small_request();
  request.basin.kept_rate = 1e-6;
  EXPECT_THROW((void)verify(TrainableCopySpec{}, request), InputError) << "no rate that the claim speaks of";
  request = small_request();
  request.basin.seeds = 0;
  EXPECT_THROW((void)verify(TrainableCopySpec{}, request), InputError);
}

}  // namespace
}  // namespace hyseq::proofs_check
