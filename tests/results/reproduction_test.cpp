#include "results/reproduction.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "kernels/base/error.hpp"
#include "results/reproduction_words.hpp"
#include "tests/results/learned_fixture.hpp"

namespace hyseq::results {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

LearnedRuns copying_runs() {
  LearnedRuns runs{"fig4", "fig4", "published", "Selective copying", fixture::copying_series(), {}, 1.0 / 26, {}};
  runs.controls.push_back(
      {"random targets", "SSM,TF", {8, 2192, 0.01, {fixture::counts_of(0.036), fixture::counts_of(0.041)}, 1, 0}});
  return runs;
}

const Reproduction& copying() {
  static const Reproduction reproduction = reproduction_of(copying_runs());
  return reproduction;
}

const FamilyReach& family(const std::string& layers) {
  return *std::ranges::find_if(copying().reached, [&](const FamilyReach& each) { return each.layers == layers; });
}

TEST(Reproduction, FirstSizesStandBesideThePublishedOnes) {
  EXPECT_EQ(family("SSM,TF").reach.parameters, std::optional<std::int64_t>(2192));
  EXPECT_EQ(family("SSM,TF").published, std::optional<std::int64_t>(2000));
  EXPECT_EQ(family("TF,TF").published, std::optional<std::int64_t>(12000));
  EXPECT_EQ(family("TF,TF").audit->parameters, 18240);
  EXPECT_FALSE(family("TF,SSM").audit);
}

TEST(Reproduction, RatiosAreRelativeToTheHybrid) {
  ASSERT_EQ(copying().ratios.size(), 3u);
  for (const FamilyRatio& ratio : copying().ratios) {
    const FirstReach& reach = family(ratio.layers).reach;
    ASSERT_TRUE(reach.parameters) << ratio.layers;
    EXPECT_DOUBLE_EQ(ratio.ratio.estimate.low, static_cast<double>(*reach.parameters) / 2192) << ratio.layers;
    EXPECT_EQ(ratio.claimed.has_value(), ratio.layers != "TF,SSM") << "the claim is about pure models";
  }
  EXPECT_NEAR(*copying().ratios[0].audit, 18240.0 / 2192, 1e-12);
  // Figure 6 claims something about pure Transformers alone.
  LearnedRuns recall = copying_runs();
  recall.reference = "fig6";
  for (const FamilyRatio& ratio : reproduction_of(recall).ratios)
    EXPECT_EQ(ratio.claimed.has_value(), ratio.layers == "TF,TF") << ratio.layers;
}

TEST(Reproduction, WithoutOneHybridThereAreNoRatios) {
  LearnedRuns none = copying_runs(), two = copying_runs();
  std::erase_if(none.series, [](const AccuracySeries& series) { return series.layers == "SSM,TF"; });
  two.series.push_back(two.series.back());
  two.series.back().label = "SSM,TF heads 2";
  EXPECT_TRUE(reproduction_of(none).ratios.empty());
  EXPECT_TRUE(reproduction_of(two).ratios.empty());
  EXPECT_EQ(reproduction_of(two).reached.size(), 5u);
}

TEST(Reproduction, PublishedValuesStandBesideTheNearestSize) {
  const AccuracySeries& pure = copying().runs.series[0];  // 488, 1488, 3000, 5024, 7560, 10608, 18240
  std::vector<std::string> beside;
  for (const AccuracyPoint& point : pure.points)
    for (const PublishedAccuracy& value : published_beside(copying().reference.published, pure, point))
      beside.push_back(std::to_string(value.parameters) + " at " + std::to_string(point.parameters));
  EXPECT_EQ(beside, (std::vector<std::string>{"1000 at 1488", "2000 at 1488", "6000 at 5024", "12000 at 10608"}));
  AccuracySeries lonely{"TF,TF", "", {pure.points[0]}};
  EXPECT_TRUE(published_beside(copying().reference.published, lonely, lonely.points[0]).empty())
      << "488 parameters are no rounded 1,000";
  EXPECT_EQ(audit_of(copying().reference, "TF,TF", 10608), std::optional<double>(0.846271));
  EXPECT_FALSE(audit_of(copying().reference, "TF,TF", 10609));
}

TEST(Reproduction, ControlsAreJudgedByAllTheirSeedsTogether) {
  EXPECT_EQ(copying().controls[0].near_chance, std::optional<bool>(true));
  LearnedRuns learnt = copying_runs(), unfinished = copying_runs(), without = copying_runs();
  learnt.controls[0].runs.seeds.assign(3, fixture::counts_of(0.06));
  unfinished.controls[0].runs.seeds.clear();
  without.chance.reset();
  EXPECT_EQ(reproduction_of(learnt).controls[0].near_chance, std::optional<bool>(false));
  EXPECT_FALSE(reproduction_of(unfinished).controls[0].near_chance);
  EXPECT_FALSE(reproduction_of(without).controls[0].near_chance);
  EXPECT_NE(control_sentences(reproduction_of(learnt))[0].find("NOT near chance"), std::string::npos);
  EXPECT_NE(control_sentences(reproduction_of(unfinished))[0].find("no finished run"), std::string::npos);
}

TEST(Reproduction, JsonHasThePointsWithTheirIntervalsAndWhatWasPublished) {
  const nlohmann::ordered_json json = to_json(copying());
  ASSERT_EQ(json["points"].size(), 28u);
  const auto point = std::ranges::find_if(
      json["points"], [](const auto& each) { return each["layers"] == "SSM,TF" && each["width"] == 8; });
  ASSERT_NE(point, json["points"].end());
  EXPECT_EQ((*point)["parameters"], 2192);
  EXPECT_EQ((*point)["seeds"], 11);
  EXPECT_EQ((*point)["counts"].size(), 11u);
  EXPECT_EQ((*point)["published"][0]["accuracy"], 0.999);
  EXPECT_EQ((*point)["audit"], 0.999985);
  const double mean = (*point)["mean"].get<double>();
  EXPECT_LE((*point)["interval"][0].get<double>(), mean);
  EXPECT_GE((*point)["interval"][1].get<double>(), mean);
  EXPECT_EQ(json["missing_runs"], 1);
  EXPECT_EQ(json["complete"], false);
  EXPECT_EQ(json["controls"][0]["near_chance"], true);
  EXPECT_EQ(json["published"]["values"].size(), 16u);
}

TEST(Reproduction, JsonNeverHoldsNumbersThatAreNotFinite) {
  LearnedRuns runs = copying_runs();
  for (AccuracySeries& series : runs.series)
    for (AccuracyPoint& point : series.points) {
      if (series.layers == "TF,TF") point.seeds.assign(3, fixture::counts_of(0.4));  // never reaches the threshold
      if (series.layers == "SSM,SSM") {
        point.missing = 11;  // nothing is finished
        point.learning_rate = 0;
        point.seeds.clear();
      }
    }
  const nlohmann::ordered_json json = to_json(reproduction_of(runs));
  const auto check = [](const auto& self, const nlohmann::ordered_json& value, const std::string& where) -> void {
    EXPECT_TRUE(!value.is_number_float() || std::isfinite(value.get<double>())) << where;
    if (value.is_structured())
      for (const auto& [key, child] : value.items()) self(self, child, where + "/" + key);
  };
  check(check, json, "");
  const auto& never = json["ratios"][0];
  EXPECT_EQ(never["layers"], "TF,TF");
  EXPECT_TRUE(never["ratio"].is_null());
  EXPECT_FALSE(never["reason"].get<std::string>().empty());
  EXPECT_NEAR(never["bounds"][0].get<double>(), 18240.0 / 2192, 1e-12);
  EXPECT_TRUE(never["bounds"][1].is_null());
  const auto& unknown = json["ratios"][1];
  EXPECT_TRUE(unknown["bounds"][0].is_null() && unknown["bounds"][1].is_null());
  EXPECT_TRUE(json["points"][7]["mean"].is_null());
  EXPECT_EQ(json["points"][7]["reason"], "no run of this point is finished");
}

TEST(Reproduction, FiguresWithoutPublishedNumbersAreRefused) {
  LearnedRuns runs = copying_runs();
  runs.reference = "fig5";
  EXPECT_THROW((void)reproduction_of(runs), InputError);
}

TEST(ReproductionWords, SayWhatIsKnown) {
  EXPECT_EQ(ratio_words({8.3212, 8.3212}), "8.32");
  EXPECT_EQ(ratio_words({9.6, kInfinity}), "at least 9.6");
  EXPECT_EQ(ratio_words({0, 0.25}), "at most 0.25");
  EXPECT_EQ(ratio_words({0, kInfinity}), "unknown");
  EXPECT_EQ(ratio_words({2, 4}), "between 2 and 4");
  EXPECT_EQ(interval_words({1.375, 9.6}), "1.38 to 9.6");
  EXPECT_EQ(interval_words({1.4, kInfinity}), "1.4 or more");
  EXPECT_EQ(interval_words({0, 3}), "3 or less");
  FirstReach reach;
  EXPECT_EQ(reach_words(reach), "not trained");
  EXPECT_EQ(reach_interval_words(reach), "not trained");
  reach.largest_tried = 21056;
  EXPECT_EQ(reach_words(reach), "none up to 21,056");
  EXPECT_EQ(reach_interval_words(reach), "more than 21,056");
  reach.parameters = reach.low = 2192;
  EXPECT_EQ(reach_words(reach), "2,192");
  EXPECT_EQ(reach_interval_words(reach), "2,192 or more than 21,056");
  reach.high = 2192;
  EXPECT_EQ(reach_interval_words(reach), "2,192");
  reach.high = 3960;
  EXPECT_EQ(reach_interval_words(reach), "2,192 to 3,960");
}

TEST(ReproductionWords, TablesHaveRowsOfOneLength) {
  for (const TextTable& table : {points_table(copying()), sizes_table(copying()), ratios_table(copying())})
    for (const auto& row : table) EXPECT_EQ(row.size(), table.front().size());
  EXPECT_EQ(points_table(copying()).size(), 29u);
  const TextTable points = points_table(copying());
  EXPECT_EQ(points[2][8], "0.056 at 1,000; 0.352 at 2,000");
  EXPECT_EQ(points[6][9], "0.8463");
}

}  // namespace
}  // namespace hyseq::results
