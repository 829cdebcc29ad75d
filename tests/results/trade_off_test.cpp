#include "results/trade_off.hpp"

#include <algorithm>
#include <functional>

#include <gtest/gtest.h>

#include "kernels/base/error.hpp"
#include "models/architecture_json.hpp"
#include "results/figures/trade_off.hpp"
#include "results/report/report.hpp"
#include "tests/results/fixture.hpp"
#include "tests/results/learned_fixture.hpp"

namespace hyseq::results {
namespace {

/// A run of selective copying as it might have been trained.
RunRecord run(const std::string& layers, int width, double accuracy, std::uint64_t seed = 0) {
  models::TransformerBlock transformer;
  transformer.window = 20;
  models::Architecture architecture;
  architecture.width = width;
  architecture.vocabulary = 34;
  architecture.layers = models::parse_layers(layers, transformer, {});
  RunRecord record;
  record.id = layers + std::to_string(width) + std::to_string(seed);
  record.seed = seed;
  record.parameters = 100 * width;
  record.configuration = {
      {"architecture", Json::parse(models::to_json(architecture))},
      {"data",
       {{"task", "selective_copy"},
        {"length_min", 100},
        {"length_max", 100},
        {"context", 0},
        {"random_targets", false},
        {"calibration", false},
        {"options", {{"values", "26"}, {"distance-min", "5"}, {"distance-count", "5"}, {"number-share", "0.2"}}}}},
      {"optimiser", {{"learning_rate", 0.01}}},
      {"seed", seed},
      {"format", "float"}};
  Evaluation evaluation;
  evaluation.name = "final";
  evaluation.positions = fixture::counts_of(accuracy);
  record.evaluations = {evaluation};
  return record;
}

std::vector<RunRecord> runs() {
  std::vector<RunRecord> list;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    list.push_back(run("SSM,TF", 4, 0.3, seed));
    list.push_back(run("SSM,TF", 8, 1, seed));
    list.push_back(run("SSM,TF", 16, 1, seed));
    list.push_back(run("TF,TF", 8, 0.4, seed));
    list.push_back(run("TF,TF", 32, 0.95, seed));
    list.push_back(run("TF,SSM", 8, 0.5, seed));
  }
  return list;
}

const TradeOffSeries* find(const TradeOffPanel& panel, TradeOffKind kind, const std::string& label) {
  const auto found = std::ranges::find_if(
      panel.series, [&](const TradeOffSeries& each) { return each.kind == kind && each.label == label; });
  return found == panel.series.end() ? nullptr : &*found;
}

/// A certificate at the sizes of the trained models.
Certificate at_their_sizes() {
  Certificate certificate = fixture::selective_copying("streaming", "half");
  for (Check& check : certificate.checks)
    if (check.name == "budgets") {
      check.figures["vocabulary"] = 36;
      check.figures["distances"] = 10;
      check.figures["working_memory_bits"]["value"] = 4611.5;
    }
  return certificate;
}

TEST(TrainedModels, SeedsAreGatheredAndMemoryIsCounted) {
  const std::vector<TrainedModel> models = trained_models(runs());
  ASSERT_EQ(models.size(), 6u);
  const TrainedModel& hybrid = models[1];
  EXPECT_EQ(hybrid.layers, "SSM,TF");
  EXPECT_EQ(hybrid.width, 8);
  EXPECT_EQ(hybrid.seeds.size(), 3u);
  EXPECT_EQ(hybrid.accuracy(), 1);
  // 16 channels of 16 states, 3 inputs of the convolution; keys and values of 19 positions.
  EXPECT_EQ(hybrid.state_bits, 32 * 16 * (16 + 3));
  EXPECT_EQ(hybrid.memory_bits, hybrid.state_bits + 32 * 2 * 8 * 19);
  EXPECT_EQ(hybrid.window, 20);
  EXPECT_EQ(hybrid.sizes, (TaskSizes{"selective_copy", 26, 5, 5, 0.2, 100}));
}

TEST(TrainedModels, OtherRunsAreLeftOutAndTheBestSettingStays) {
  std::vector<RunRecord> list = runs();
  list.push_back(run("TF,TF", 8, 0.8, 7));
  list.back().configuration["optimiser"]["learning_rate"] = 0.1;
  for (const char* key : {"calibration", "random_targets"}) {
    list.push_back(run("SSM,SSM", 8, 1));
    list.back().configuration["data"][key] = true;
  }
  list.push_back(run("SSM,SSM", 8, 1));
  list.back().configuration["data"]["task"] = "mkar";
  list.push_back(run("SSM,SSM", 8, 1));
  list.back().configuration["data"]["length_min"] = 50;
  const std::vector<TrainedModel> models = trained_models(list);
  ASSERT_EQ(models.size(), 6u);
  EXPECT_EQ(models[4].layers, "TF,TF");
  EXPECT_NEAR(models[4].accuracy(), 0.8, 1e-3);
  EXPECT_EQ(models[4].seeds.size(), 1u);
}

TEST(TrainedModels, ARunThatDivergedGotNothingRight) {
  std::vector<RunRecord> list{run("SSM,TF", 8, 1, 0), run("SSM,TF", 8, 1, 1)};
  list[1].evaluations.clear();
  EXPECT_EQ(trained_models(list).at(0).accuracy(), 0.5);
}

TEST(TrainedModels, AConfigurationThatCannotBeReadIsNamed) {
  std::vector<RunRecord> list{run("SSM,TF", 8, 1)};
  list[0].configuration["data"]["options"]["values"] = "many";
  EXPECT_THROW((void)trained_models(list), InputError);
  list[0] = run("SSM,TF", 8, 1);
  list[0].configuration.erase("architecture");
  EXPECT_THROW((void)trained_models(list), InputError);
}

TEST(TradeOff, PutsBoundsHybridsAndTrainedModelsTogether) {
  std::vector<Certificate> certificates = fixture::everything();
  certificates.push_back(at_their_sizes());
  const TradeOffPlot plot = trade_off(certificates, trained_models(runs()));
  ASSERT_EQ(plot.tasks.size(), 1u) << "recall has no budgets here";
  const TradeOffTask& task = plot.tasks[0];
  ASSERT_EQ(task.panels.size(), 3u);

  const TradeOffSeries* trained = find(task.panels[0], TradeOffKind::trained, "SSM,TF");
  ASSERT_NE(trained, nullptr);
  EXPECT_EQ(trained->points.size(), 3u);
  EXPECT_EQ(trained->points[1].x, 1);
  const TradeOffSeries* built = find(task.panels[0], TradeOffKind::built, "streaming, half");
  ASSERT_NE(built, nullptr);
  EXPECT_EQ(built->points.at(0).bits, 4611.5);
  // The bound counts everything that is held: nothing may lie below it, whatever its kind.
  const TradeOffSeries* need = find(task.panels[0], TradeOffKind::need, "every model needs");
  ASSERT_NE(need, nullptr);
  for (const TradeOffSeries& series : task.panels[0].series)
    for (const TradeOffPoint& point : series.points)
      for (const TradeOffPoint& least : need->points)
        if (series.kind != TradeOffKind::need && least.x <= point.x) {
          EXPECT_GE(point.bits, least.bits) << series.label;
        }

  // Along N: 10 points of either level, (|V|-N) bounds from the certificates, trained models at N = 10.
  EXPECT_EQ(find(task.panels[1], TradeOffKind::built, "faithful, float")->points.size(), 10u);
  const TradeOffSeries* smallest = find(task.panels[1], TradeOffKind::smallest, "SSM,TF");
  ASSERT_NE(smallest, nullptr);
  ASSERT_EQ(smallest->points.size(), 1u);
  EXPECT_EQ(smallest->points[0].x, 10);
  EXPECT_EQ(smallest->points[0].bits, 19456) << "width 8, not 16";
  EXPECT_EQ(find(task.panels[1], TradeOffKind::smallest, "TF,SSM"), nullptr) << "never reaches 0.9";
  EXPECT_EQ(plot.unreached, (std::vector<std::string>{"TF,SSM (Selective copying)"}));

  const TradeOffSeries* windows = find(task.panels[2], TradeOffKind::windows, "pure windows need");
  ASSERT_NE(windows, nullptr);
  EXPECT_EQ(windows->points[0].bits, 2 * 63 * 32.0) << "L = 64, one coordinate";
  EXPECT_EQ(windows->points[0].bits_high / windows->points[0].bits, 25) << "the hybrid's width there";
}

TEST(TradeOff, TheLengthsOfASweepOfTheirOwnAreTaken) {
  std::vector<RunRecord> list = runs();
  for (const int length : {50, 200}) {
    list.push_back(run("SSM,TF", 8, 1));
    for (const char* key : {"length_min", "length_max"}) list.back().configuration["data"][key] = length;
    list.back().configuration["data"]["options"]["number-share"] = "0.02";
  }
  const TradeOffPlot plot = trade_off(fixture::everything(), trained_models(list));
  const TradeOffPanel& panel = plot.tasks.at(0).panels.at(2);
  const TradeOffSeries* smallest = find(panel, TradeOffKind::smallest, "SSM,TF");
  ASSERT_NE(smallest, nullptr);
  ASSERT_EQ(smallest->points.size(), 2u) << "not the one of length 100, whose rows are others";
  EXPECT_EQ(smallest->points[0].x, 50);
  EXPECT_EQ(smallest->points[1].x, 200);
  EXPECT_NE(panel.setting.find("2% numbers"), std::string::npos) << panel.setting;
}

TEST(TradeOff, WhatIsNotShownDoesNotCount) {
  Certificate certificate = at_their_sizes();
  certificate.verdict = "not shown";
  EXPECT_TRUE(trade_off({certificate}, {}).tasks.empty());
  // Budgets alone say nothing about accuracy.
  certificate.verdict = "certified";
  std::erase_if(certificate.checks, [](const Check& check) { return check.name == "induction"; });
  const TradeOffPlot plot = trade_off({certificate}, {});
  ASSERT_EQ(plot.tasks.size(), 1u);
  EXPECT_EQ(find(plot.tasks[0].panels[0], TradeOffKind::built, "streaming, half"), nullptr);
}

TEST(TradeOffFigure, ShowsAllOfItAndSaysWhatItCannotShow) {
  std::vector<Certificate> certificates = fixture::everything();
  certificates.push_back(at_their_sizes());
  const Figure figure = trade_off_figure(trade_off(certificates, trained_models(runs())));
  const std::string svg = render_svg(figure);
  for (const char* text :
       {"Selective copying", "working memory (bits)", "accuracy", "distances N", "length L", "no model of any kind",
        "least for a pure window", "built hybrid, streaming", "trained SSM,TF", "times more than any model must",
        "pure SSM, N = 1,024", "recurrent state (bits)", "total window (tokens)", "streaming, half"})
    EXPECT_NE(svg.find(text), std::string::npos) << text;
  EXPECT_NE(figure.caption.find("TF,SSM (Selective copying)"), std::string::npos) << figure.caption;
  EXPECT_NE(figure.data.find("\n1 19456 1 1 ?\n"), std::string::npos);
}

TEST(TradeOffFigure, IsTheReportsCover) {
  const Figure figure = trade_off_figure(trade_off(fixture::everything(), {}));
  const std::string html = report_html({}, {}, figure);
  EXPECT_NE(html.find("<section id=\"cover\">\n<figure id=\"trade-off\">"), std::string::npos);
  EXPECT_EQ(report_html({}).find("id=\"cover\""), std::string::npos);
}

TEST(TradeOffFigure, TrainedModelsAloneOrCertificatesAloneAreDrawn) {
  EXPECT_NE(render_svg(trade_off_figure(trade_off({}, trained_models(runs())))).find("trained TF,TF"),
            std::string::npos);
  EXPECT_NE(render_svg(trade_off_figure(trade_off(fixture::everything(), {}))).find("no trained model in the store"),
            std::string::npos);
  EXPECT_TRUE(trade_off_figure(trade_off({}, {})).commands.empty());
}

}  // namespace
}  // namespace hyseq::results
