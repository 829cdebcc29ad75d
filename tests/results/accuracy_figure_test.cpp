#include <algorithm>
#include <cmath>
#include <sstream>

#include <gtest/gtest.h>

#include "results/figures/accuracy.hpp"
#include "results/figures/accuracy_parts.hpp"
#include "results/report/report.hpp"
#include "results/statistics.hpp"
#include "tests/results/fixture.hpp"
#include "tests/results/learned_fixture.hpp"

namespace hyseq::results {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

/// gnuplot silently drops text that would lie outside the image.
void expect_texts(const Figure& figure, const std::vector<std::string>& texts) {
  const std::string svg = render_svg(figure);
  for (const std::string& text : texts) EXPECT_NE(svg.find(text), std::string::npos) << text;
}

/// The lines of a data block, without its comment.
std::vector<std::vector<double>> block(const std::string& data, const std::string& name) {
  std::vector<std::vector<double>> rows;
  const std::size_t at = data.find("$" + name + " << end\n");
  if (at == std::string::npos) return rows;
  std::istringstream lines(data.substr(at));
  std::string line;
  std::getline(lines, line);
  std::getline(lines, line);
  while (std::getline(lines, line) && line != "end") {
    std::istringstream words(line);
    std::vector<double> row;
    for (double value = 0; words >> value;) row.push_back(value);
    rows.push_back(row);
  }
  return rows;
}

TEST(AccuracyFigure, SaysWhatItShows) {
  const Figure figure = accuracy_figure(fixture::copying_plot());
  EXPECT_EQ(figure.name, "fig4");
  EXPECT_NE(figure.caption.find("means over 11 seeds"), std::string::npos);
  EXPECT_NE(figure.caption.find("10% to the 90% quantile"), std::string::npos);
  expect_texts(figure, {"Selective copying: accuracy against parameters", "Mean of 11 seeds", "parameters", "accuracy",
                        "threshold 0.9", "chance 0.038", "SSM,TF", "TF,SSM", "SSM,SSM", "published (rounded sizes)",
                        "independent audit", "10,000"});
}

TEST(AccuracyFigure, ItsDataAreMeansBandsAndSeeds) {
  const AccuracyPlot plot = fixture::copying_plot();
  const Figure figure = accuracy_figure(plot);
  const auto means = block(figure.data, "curve3"), seeds = block(figure.data, "curve3seeds");
  ASSERT_EQ(means.size(), 7u);
  ASSERT_EQ(seeds.size(), 77u);
  const Summary summary = summarise(plot.series[3].points[0].seeds);
  EXPECT_EQ(means[0],
            (std::vector<double>{872, summary.mean, summary.band.low, summary.band.high, summary.median, 11, 4, 0.01}));
  for (std::size_t i = 0; i < 11; ++i) {
    EXPECT_EQ(seeds[i][1], summary.values[i]);
    EXPECT_NEAR(seeds[i][2], 1, 0.15) << "a dot stays at its size";
  }
  EXPECT_EQ(block(figure.data, "publishedcurve3").size(), 4u);
  EXPECT_EQ(block(figure.data, "auditcurve3"), (std::vector<std::vector<double>>{{2192, 0.999985}}));
}

TEST(AccuracyFigure, FamiliesDifferByMarkerDashAndColour) {
  const std::vector<std::string> all{"SSM,TF", "TF,TF", "SSM,SSM", "TF,SSM", "GSS,TF", "TF,TF,TF"};
  for (const std::string& a : all)
    for (const std::string& b : all) {
      if (a == b) continue;
      const Style x = family_style(a, all), y = family_style(b, all);
      EXPECT_NE(x.colour, y.colour) << a << " " << b;
      EXPECT_NE(x.filled, y.filled) << a << " " << b;
      EXPECT_NE(x.hollow, y.hollow) << a << " " << b;
    }
  EXPECT_EQ(family_style("SSM,TF", {}).colour, family_style("SSM,TF", all).colour);
}

TEST(AccuracyFigure, WhatIsMissingIsLeftOutAndSaid) {
  AccuracyPlot plot = fixture::copying_plot();
  plot.series[0].points[3].seeds.clear();
  plot.series[0].points[3].missing = 11;
  plot.series[1].points[2].seeds.resize(4);
  plot.series[1].points[2].missing = 7;
  plot.series[2].points[1].diverged = 1;
  for (AccuracyPoint& point : plot.series[3].points) point.seeds.clear();
  const Figure figure = accuracy_figure(plot);
  EXPECT_NE(figure.caption.find("18 runs are missing."), std::string::npos) << figure.caption;
  EXPECT_NE(figure.caption.find("1 run diverged"), std::string::npos);
  EXPECT_NE(figure.caption.find("4 to 11 seeds"), std::string::npos);
  EXPECT_EQ(block(figure.data, "curve0").size(), 6u);
  EXPECT_EQ(figure.data.find("$curve3 "), std::string::npos) << "a family without runs is not drawn";
  EXPECT_EQ(render_svg(figure).find("SSM,TF"), std::string::npos) << "nor what was published about it";
  for (AccuracySeries& series : plot.series)
    for (AccuracyPoint& point : series.points) point.seeds.clear();
  EXPECT_TRUE(accuracy_figure(plot).commands.empty());
  EXPECT_TRUE(accuracy_figure({}).commands.empty());
}

TEST(AccuracyFigure, ASinglePointAndOddTextsAreDrawn) {
  AccuracyPlot plot;
  plot.name = "one";
  plot.title = "A title's \"quotes\" $and {braces} \\ 100%";
  plot.series = {{"GSS*2,TF", "a label's {text}", {{8, 1000, 0.01, {{10, 10}}, 0, 0}}}};
  plot.ceilings = {{0.5, "", "half's limit"}};
  expect_texts(accuracy_figure(plot), {"{text}", "Mean of 1 seed;"});
}

TEST(AccuracyFigure, CeilingsAndManySeriesAreDrawn) {
  AccuracyPlot plot = fixture::copying_plot();
  plot.series.push_back(plot.series[0]);
  plot.series.back().label = "TF,TF, full rotary width";
  plot.ceilings = {{0.97, "TF,TF", "receptive field of TF,TF"}, {0.8, "", "both"}};
  const Figure figure = accuracy_figure(plot);
  expect_texts(figure, {"receptive field of TF,TF", "both", "TF,TF, full rotary width"});
  EXPECT_EQ(count(figure.data, "$publishedcurve0 "), 1u);
  EXPECT_EQ(count(figure.commands, "$publishedcurve4"), 0u) << "what was published about a family is drawn once";
}

TEST(AccuracyFigure, PdfAndPngAreMade) {
  const fixture::TemporaryFolder folder;
  for (const Figure& figure : {accuracy_figure(fixture::copying_plot()), distribution_figure(fixture::settings_plot())})
    for (const char* ending : {".svg", ".pdf", ".png"}) {
      render(figure, folder.path(figure.name + ending));
      EXPECT_GT(fixture::read_text(folder.path(figure.name + ending)).size(), 5000u) << ending;
    }
}

TEST(AccuracyFigure, AxesOfCountsHaveLabelsThatFit) {
  const std::string wide = log10_axis("x", {500, 20000}, 14, true);
  EXPECT_NE(wide.find("'2,000' 2000 0"), std::string::npos) << wide;
  EXPECT_NE(wide.find("'' 3000 1"), std::string::npos) << wide;
  const std::string narrow = log10_axis("x", {500, 20000}, 4, true);
  EXPECT_EQ(narrow.find("'2,000'"), std::string::npos) << narrow;
  EXPECT_NE(narrow.find("'3,000' 3000 0"), std::string::npos) << narrow;
  EXPECT_NE(log10_axis("x", {1000, 1000}, 5, true).find("'1,000'"), std::string::npos) << "one size alone";
}

TEST(Swarm, DotsStayApartAsFarAsThereIsRoom) {
  const std::vector<double> values{1, 1, 1, 5, 5.5, 20, 1};
  const std::vector<double> offsets = swarm(values, 2, 10);
  for (std::size_t i = 0; i < values.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      EXPECT_GE(std::hypot(values[i] - values[j], offsets[i] - offsets[j]), 2 - 1e-6) << i << " " << j;
  EXPECT_EQ(offsets[5], 0) << "a dot alone stays in its row";
  EXPECT_EQ(swarm(values, 2, 10), offsets);
  std::vector<double> crowd = swarm(std::vector<double>(11, 0.5), 2, 3);
  for (const double offset : crowd) EXPECT_LE(std::abs(offset), 3);
  std::sort(crowd.begin(), crowd.end());
  EXPECT_EQ(std::adjacent_find(crowd.begin(), crowd.end()), crowd.end()) << "closer together, but eleven of them";
}

TEST(DistributionFigure, HasADotPerSeedAndABarPerGroup) {
  const DistributionPlot plot = fixture::settings_plot();
  const Figure figure = distribution_figure(plot);
  EXPECT_EQ(block(figure.data, "groups0dots").size(), 55u);
  const auto bars = block(figure.data, "groups0");
  ASSERT_EQ(bars.size(), 5u) << "the row without seeds stays empty";
  const Summary summary = summarise(plot.panels[0].groups[5].seeds);
  EXPECT_EQ(bars[4], (std::vector<double>{-5, summary.median, summary.mean, summary.band.low, summary.band.high, 11}));
  for (const auto& dot : block(figure.data, "groups0dots"))
    EXPECT_LT(std::abs(dot[1] - std::round(dot[1])), 0.4) << "a dot stays in its row";
  expect_texts(figure, {"What the unpublished details do", "still to be run", "residual sequential",
                        "TF,TF, 10,608 parameters", "median (bar)", "A dot per seed, 11 seeds a row"});
  EXPECT_TRUE(distribution_figure({}).commands.empty());
  DistributionPlot empty = plot;
  for (DistributionPanel& panel : empty.panels)
    for (DistributionGroup& group : panel.groups) group.seeds.clear();
  EXPECT_TRUE(distribution_figure(empty).commands.empty());
}

TEST(LearnedReport, HasASectionWhereThereAreRuns) {
  LearnedRuns runs{"fig4", "fig4", "quick", "Selective <copying>", fixture::copying_series(), {}, 1.0 / 26, {}};
  const std::string html = report_html({}, {reproduction_of(runs)});
  EXPECT_NE(html.find("<section id=\"learned-fig4-quick\">"), std::string::npos);
  EXPECT_NE(html.find("Selective &lt;copying&gt;"), std::string::npos);
  EXPECT_EQ(count(html, "<svg "), 1u);
  EXPECT_NE(html.find("<td class=\"right\">0.999 at 2,000</td>"), std::string::npos);
  EXPECT_NE(html.find("hyseq reproduce fig4 --scale quick"), std::string::npos);
  EXPECT_EQ(html.find("Control, "), std::string::npos);
  EXPECT_EQ(report_html({}).find("learned-"), std::string::npos);
}

}  // namespace
}  // namespace hyseq::results
