// hyseq reproduce, and plot and report of learned figures, on a store whose runs were written by the test: everything
// that the quick preset asks for is there, so nothing is trained.
#include <cmath>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "results/run_store.hpp"
#include "tests/cli/program.hpp"
#include "trainers/sweep/preset.hpp"

namespace hyseq::cli {
namespace {

using Json = nlohmann::json;

class ReproduceCommand : public Program {
 protected:
  /// A finished run with this accuracy on 1,000 positions.
  static void save(const results::RunStore& store, const trainers::RunConfiguration& configuration, double accuracy) {
    results::RunRecord record;
    record.id = trainers::identity(configuration);
    record.configuration = trainers::to_json(configuration);
    record.seed = configuration.seed;
    record.steps = configuration.optimiser.steps;
    results::Evaluation evaluation;
    evaluation.name = "final";
    evaluation.rows = 10;
    evaluation.loss = 1 - accuracy;
    evaluation.positions = {1000, std::lround(1000 * accuracy)};
    record.evaluations.push_back(evaluation);
    store.save(record);
  }

  /// SSM,TF reaches 0.9 at width 8, SSM,SSM at width 16, the others nowhere; the best rate is 0.01.
  static double accuracy_of(const trainers::Point& point) {
    if (!point.control.empty()) return 0.04;
    if (point.layers == "SSM,TF") return point.width >= 8 ? 1 : 0.2;
    if (point.layers == "SSM,SSM") return point.width >= 16 ? 0.95 : 0.1;
    return 0.02 * point.width;
  }

  [[nodiscard]] std::string fill_store(double control_accuracy = 0.04, std::size_t skip_seeds = 0) const {
    const std::string folder = path("store");
    const results::RunStore store(folder);
    const trainers::Preset preset = trainers::load_preset("fig4", "quick");
    for (std::size_t i = 0; i < preset.points.size(); ++i) {
      const trainers::Point& point = preset.points[i];
      if (point.calibrated_by == i)
        for (const double rate : point.rates)
          for (const std::uint64_t seed : point.calibration_seeds)
            save(store, point.calibration({rate}, seed), rate == 1e-2 ? 0.5 : 0.3);
      for (std::size_t s = 0; s + skip_seeds < point.seeds.size(); ++s)
        save(store, point.final({1e-2}, point.seeds[s]), point.control.empty() ? accuracy_of(point) : control_accuracy);
    }
    return folder;
  }
};

TEST_F(ReproduceCommand, sets_a_finished_sweep_beside_the_published_numbers) {
  const std::string store = fill_store();
  const Outcome outcome = run("reproduce fig4 --scale quick --store '" + store + "' --json '" + path("out.json") + "'");
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  for (const char* text :
       {"fig4 (quick): Selective copying, 8 seeds a point", "1.0000  1.000-1.000  1.0000", "0.999 at 2,000  1.0000",
        "none up to 5,024", "near chance, as it must be", "first reaches 0.9", "at least 2.29", "6x fewer"})
    EXPECT_NE(outcome.out.find(text), std::string::npos) << text << outcome.out;

  const Json result = Json::parse(read("out.json"));
  EXPECT_EQ(result, Json::parse(read("store/figures/fig4-quick.json")));
  EXPECT_EQ(result["complete"], true);
  ASSERT_EQ(result["points"].size(), 12u);
  for (const Json& point : result["points"]) {
    EXPECT_EQ(point["learning_rate"], 0.01);
    EXPECT_EQ(point["seeds"], 8);
    EXPECT_TRUE(point["mean"].is_number() && point["interval"][0].is_number() && point["parameters"].is_number());
  }
  const Json expected{{"SSM,TF", 2192}, {"SSM,SSM", 7328}, {"TF,TF", nullptr}, {"TF,SSM", nullptr}};
  for (const Json& reach : result["first_reaching"])
    EXPECT_EQ(reach["parameters"], expected[reach["layers"].get<std::string>()]) << reach["layers"];
  EXPECT_NE(read("store/figures/fig4-quick.svg").find("</svg>"), std::string::npos);
  EXPECT_NE(read("store/figures/fig4-quick.svg.gnuplot").find("\n2192 1 1 1 1 8 8 0.01\n"), std::string::npos);

  const Outcome alone = run("reproduce fig4 --scale quick --store '" + store + "' --json -");
  EXPECT_EQ(alone.code, 0) << alone.error;
  EXPECT_EQ(Json::parse(alone.out), result) << "one JSON object and nothing else";
}

TEST_F(ReproduceCommand, a_control_that_learns_is_a_failed_check) {
  const Outcome outcome = run("reproduce fig4 --scale quick --store '" + fill_store(0.2) + "'");
  EXPECT_EQ(outcome.code, 1) << outcome.error;
  EXPECT_NE(outcome.out.find("NOT near chance"), std::string::npos);
}

TEST_F(ReproduceCommand, figures_and_report_are_drawn_from_unfinished_sweeps) {
  const std::string store = fill_store(0.04, 3);
  const Outcome plot = run("plot fig4 --store '" + store + "' --output '" + path("fig4.svg") + "'");
  EXPECT_EQ(plot.code, 0) << plot.error;
  EXPECT_NE(read("fig4.svg").find("Mean of 5 seeds"), std::string::npos);
  EXPECT_NE(read("fig4.svg").find("(quick scale)"), std::string::npos) << "the only scale with runs";
  const Outcome report = run("report --store '" + store + "' --output '" + path("report.html") + "'");
  EXPECT_EQ(report.code, 0) << report.error;
  EXPECT_NE(report.out.find("0 certificates, 1 learned figure"), std::string::npos) << report.out;
  EXPECT_NE(read("report.html").find("39 runs are missing"), std::string::npos);
}

TEST_F(ReproduceCommand, an_ablation_has_a_table_per_model_and_a_row_per_variant) {
  const std::string folder = path("store");
  const results::RunStore store(folder);
  const trainers::Preset preset = trainers::load_preset("fig4-ablation", "quick");
  for (const trainers::Point& point : preset.points) {
    for (const double rate : point.rates)
      for (const std::uint64_t seed : point.calibration_seeds)
        save(store, point.calibration({rate}, seed), rate == 1e-2 ? 0.5 : 0.3);
    for (const std::uint64_t seed : point.seeds)
      save(store, point.final({1e-2}, seed), point.axes.size() > 2 ? 0.95 : 0.85);
  }
  const Outcome outcome = run("reproduce fig4-ablation --scale quick --store '" + folder + "'");
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  for (const char* text : {"fig4-ablation (quick)", "4 seeds a variant", "TF,TF, 10,608 parameters",
                           "SSM,TF, 2,192 parameters", "rotary fraction 1.0", "+0.100"})
    EXPECT_NE(outcome.out.find(text), std::string::npos) << text << outcome.out;
  const Json result = Json::parse(read("store/figures/fig4-ablation-quick.json"));
  EXPECT_EQ(result["variants"].size(), 6u);
  EXPECT_NE(read("store/figures/fig4-ablation-quick.svg").find("</svg>"), std::string::npos);
  const Outcome report = run("report --store '" + folder + "' --output '" + path("report.html") + "'");
  EXPECT_EQ(report.code, 0) << report.error;
  EXPECT_NE(read("report.html").find("learned-fig4-ablation-quick"), std::string::npos);
}

TEST_F(ReproduceCommand, a_frontier_says_which_setting_every_model_was_given) {
  const std::string folder = path("store");
  const results::RunStore store(folder);
  const trainers::Preset preset = trainers::load_preset("fig4-frontier", "quick");
  for (const trainers::Point& point : preset.points) {
    const bool better = point.layers == "TF,TF" && point.width == 16;
    if (point.control.empty())
      for (const trainers::Choice& choice : point.choices())
        for (const std::uint64_t seed : point.calibration_seeds)
          save(store, point.calibration(choice, seed), better && choice.setting == 1 ? 0.9 : 0.3);
    for (const std::uint64_t seed : point.seeds)
      save(store, point.final({point.rates.front(), better ? 1U : 0U}, seed), point.control.empty() ? 0.95 : 0.04);
  }
  const Outcome outcome = run("reproduce fig4-frontier --scale quick --store '" + folder + "'");
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_NE(outcome.out.find("TF,TF sees 39 tokens: at most 0.99"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("full rotary width"), std::string::npos) << outcome.out;
  const Json result = Json::parse(read("store/figures/fig4-frontier-quick.json"));
  EXPECT_EQ(result["complete"], true);
  EXPECT_EQ(result["ceilings"].size(), 1u);
  EXPECT_NE(read("store/figures/fig4-frontier-quick.svg").find("sees 39 tokens"), std::string::npos);
}

TEST_F(ReproduceCommand, says_what_it_cannot_draw) {
  const std::string store = "--store '" + path("store") + "' ";
  expect_refused("reproduce " + store, {"the figure is missing", "fig4, fig6"});
  for (const char* figure : {"fig5", "fig7", "table1", "all"})
    expect_refused(std::string("reproduce ") + figure + " " + store,
                   {"'" + std::string(figure) + "'", "allowed are: fig4, fig6"});
  expect_refused("reproduce fig4 --scale tiny " + store, {"tiny", "quick"});
  expect_refused("reproduce fig4", {"--store is missing"});
  EXPECT_FALSE(std::filesystem::exists(path("store"))) << "nothing was begun";
  const std::string output = "--output '" + path("x.svg") + "' ";
  expect_refused("plot fig5 " + store + output, {"'fig5'", "window", "fig4, fig6"});
  expect_refused("plot fig4 " + store + output, {"holds no finished run of the figure fig4", "hyseq reproduce fig4"});
  expect_refused("plot fig4 --level faithful " + store + output, {"--level does not apply"});
  expect_refused("plot window --scale quick " + store + output, {"--scale does not apply"});
}

}  // namespace
}  // namespace hyseq::cli
