#include "results/ablation.hpp"

#include <string>

#include <gtest/gtest.h>

#include "results/learned.hpp"
#include "results/report/report.hpp"
#include "tests/results/learned_fixture.hpp"

namespace hyseq::results {
namespace {

Variant variant(const std::string& name, const std::vector<double>& accuracies, std::int64_t missing = 0) {
  Variant made{name, {}};
  made.runs.width = 24;
  made.runs.parameters = 10608;
  made.runs.learning_rate = accuracies.empty() ? 0 : 0.01;
  made.runs.missing = missing;
  for (const double accuracy : accuracies) made.runs.seeds.push_back(fixture::counts_of(accuracy, 1000));
  return made;
}

Ablation two_models() {
  Ablation ablation{"fig4-ablation", "published", "One <detail> changed", {}, {}};
  ablation.models.push_back(
      {"TF,TF",
       24,
       10608,
       {variant("published", {0.8, 0.9, 0.85}), variant("heads 2", {0.99, 1.0, 0.98}), variant("heads 4", {}, 3)}});
  ablation.models.push_back({"SSM,TF", 8, 2192, {variant("published", {1, 1}), variant("heads 2", {0.2, 1.0})}});
  return ablation;
}

TEST(Ablation, SetsEveryVariantBesideTheFirst) {
  const Ablation ablation = two_models();
  EXPECT_EQ(ablation.missing(), 3);
  const TextTable table = variants_table(ablation, ablation.models[0]);
  ASSERT_EQ(table.size(), 4u);
  for (const auto& row : table) EXPECT_EQ(row.size(), table[0].size());
  EXPECT_EQ(table[1][0], "published");
  EXPECT_EQ(table[1][3], "0.8500");
  EXPECT_EQ(table[1][8], "") << "the first is compared with nothing";
  EXPECT_EQ(table[2][8], "+0.140");
  EXPECT_EQ(table[3][3], "-");
  EXPECT_EQ(table[3][8], "");
  const auto change = change_of(ablation, ablation.models[1], ablation.models[1].variants[1]);
  ASSERT_TRUE(change);
  EXPECT_DOUBLE_EQ(change->mean, -0.4);
  EXPECT_LE(change->interval.low, -0.8);
  EXPECT_GE(change->interval.high, 0);
}

TEST(Ablation, HasAPanelPerModelAndARowPerVariant) {
  const DistributionPlot plot = plot_of(two_models());
  ASSERT_EQ(plot.panels.size(), 2u);
  EXPECT_EQ(plot.panels[0].title, "TF,TF, 10,608 parameters");
  ASSERT_EQ(plot.panels[0].groups.size(), 3u);
  EXPECT_TRUE(plot.panels[0].groups[2].seeds.empty());
  EXPECT_EQ(plot.panels[1].groups[1].seeds.size(), 2u);
}

TEST(Ablation, IsStrictJson) {
  const auto json = to_json(two_models());
  EXPECT_EQ(json["complete"], false);
  EXPECT_EQ(json["missing_runs"], 3);
  ASSERT_EQ(json["variants"].size(), 5u);
  EXPECT_DOUBLE_EQ(json["variants"][1]["change"]["mean"].get<double>(), 0.14);
  EXPECT_TRUE(json["variants"][2]["change"].is_null());
  EXPECT_TRUE(json["variants"][2].contains("change_reason"));
  EXPECT_EQ(json["variants"][0]["counts"].size(), 3u);
}

TEST(Ablation, CountsAsRunWhereMoreThanTheFirstVariantIs) {
  Ablation ablation = two_models();
  EXPECT_TRUE(has_runs(Learned{ablation}));
  for (AblatedModel& model : ablation.models) model.variants.resize(1);
  EXPECT_FALSE(has_runs(Learned{ablation})) << "fig4 trains the same runs";
}

TEST(Ablation, HasASectionOfTheReport) {
  const std::string html = report_html({}, {Learned{two_models()}});
  EXPECT_NE(html.find("<section id=\"learned-fig4-ablation\">"), std::string::npos);
  EXPECT_NE(html.find("One &lt;detail&gt; changed"), std::string::npos);
  EXPECT_NE(html.find("<td class=\"right\">+0.140</td>"), std::string::npos);
  EXPECT_NE(html.find("3 runs are missing"), std::string::npos);
}

}  // namespace
}  // namespace hyseq::results
