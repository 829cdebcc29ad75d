#include "trainers/sweep/preset.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/base/error.hpp"
#include "tests/trainers_sweep/fixture.hpp"

namespace hyseq::trainers {
namespace {

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t place = text.find(from);
  EXPECT_NE(place, std::string::npos) << from;
  return text.replace(place, from.size(), to);
}

std::string refusal(const std::string& text, const std::string& scale = "published") {
  try {
    (void)parse_preset(text, "small.toml", scale);
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

void expect_refused(const std::string& from, const std::string& to, const std::vector<std::string>& parts) {
  const std::string message = refusal(replaced(fixture::kSmall, from, to));
  for (const std::string& part : parts)
    EXPECT_NE(message.find(part), std::string::npos) << message << " lacks " << part;
}

TEST(Preset, UnknownKeysNameFileKeyAndLine) {
  expect_refused("title =", "titel =", {"small.toml, line 1:", "'titel'"});
  expect_refused("window = 4", "windov = 4", {"small.toml, line 14:", "'windov'", "tf", "window"});
  expect_refused("values = 3", "valuez = 3", {"small.toml, line 6:", "'valuez'", "distance-min"});
  expect_refused("rule =", "role =", {"small.toml, line 35:", "'role'", "learning_rates"});
  expect_refused("model.width = [4, 12]", "model.widht = [4, 12]\nmodel.width = 4", {"line 29:", "'widht'"});
  expect_refused("model.width = [4, 12]", "modell.width = [4, 12]", {"line 29:", "'modell'", "optimiser"});
  expect_refused("data.random_targets", "data.random_target", {"line 40:", "'random_target'"});
  expect_refused("name = \"random targets\"", "label = \"random targets\"", {"line 37", "control.0.name", "missing"});
  expect_refused("[scale.quick]", "[scal.quick]", {"'scal'"});
}

TEST(Preset, ValuesThatDoNotFitNameTheirPlace) {
  expect_refused("window = 4", "window = 0", {"line 14: tf.window is 0", "full"});
  expect_refused("batch = 2", "batch = true", {"line 19: optimiser.batch is true", "from 1 to"});
  expect_refused("batch = 2", "batch = 2.0", {"line 19: optimiser.batch"});
  expect_refused("batch = 2", "batch = inf", {"line 19", "finite"});
  expect_refused("batch = 2", "batch = ", {"small.toml, line 19"});
  expect_refused("rows = 8", "rows = 8\nevery = -1", {"line 23: evaluation.every is -1"});
  expect_refused("seeds = \"0..3\"", "seeds = \"3..0\"", {"line 2: seeds is \"3..0\""});
  expect_refused("seeds = \"0..3\"", "seeds = []", {"line 2: seeds"});
  expect_refused("seeds = \"0..3\"", "seeds = [1, 2, 1]", {"line 2: seeds"});
  expect_refused("seeds = [100, 101]", "seeds = [3]", {"line 33: calibration.seeds", "without 3"});
  expect_refused("seeds = [7]", "seeds = [101]", {"line 41: control.0.seeds", "without 101"});
  expect_refused("steps = 6", "steps = 6\nlearning_rate = 0.1", {"line 18: optimiser.learning_rate", "calibrated"});
  expect_refused("model.layers = \"SSM\"", "model.layers = \"SSM,TF\"", {"line 39: control.0.where"});
  expect_refused("\"selective_copy\"", "\"selective\"", {"line 4:", "selective"});
  expect_refused("distance-min = 1", "distance-min = 13", {"small.toml, point TF d=4", "distance"});
  expect_refused("[\"TF\", \"SSM\"]", "[\"TF\", \"SMS\"]", {"line 28:", "SMS"});
  expect_refused("[4, 12]", "[]", {"line 29", "model.width", "no values"});
  expect_refused("steps = 4", "steps = 1", {"point TF d=4", "warm-up"});
  EXPECT_NE(refusal(fixture::kSmall, "fast").find("allowed are: published, quick"), std::string::npos);
}

TEST(Preset, EveryCombinationOnceInTheOrderWritten) {
  const Preset preset = fixture::small();
  std::vector<std::string> labels;
  for (const Point& point : preset.points) labels.push_back(label(point));
  EXPECT_EQ(labels, (std::vector<std::string>{"TF d=4", "TF d=12", "SSM d=4", "SSM d=12", "SSM d=4 (random targets)"}));
  const Point& control = preset.points.back();
  EXPECT_EQ(control.calibrated_by, 2u);
  EXPECT_TRUE(control.final_run.data.random_targets);
  EXPECT_EQ(control.seeds, std::vector<std::uint64_t>{7});
  EXPECT_FALSE(control.calibration_run.data.random_targets) << "it takes the rate that its subject takes";
  EXPECT_EQ(identity(control.calibration({0.01}, 100)), identity(preset.points[2].calibration({0.01}, 100)));
  EXPECT_TRUE(control.calibration_run.data.calibration);
  EXPECT_EQ(control.calibration_run.optimiser.steps, 4);
  EXPECT_EQ(control.final_run.optimiser.steps, 6);
}

TEST(Preset, AnyKeyMayBeAnAxisAndOverlapsCountOnce) {
  const std::string grid = R"([[grid]]
model = { layers = "SSM,TF", width = 8 }
tf.heads = [1, 2]
ssm.state = [1, 2, 3]
optimiser.decay_policy = ["all", "matrices"]
task.values = [3, 4]
evaluation.lengths = [[12], [12, 20]]

[[grid]]
model = { layers = "SSM,TF", width = 8 }
tf.heads = [2, 4]
ssm.state = 3
optimiser.decay_policy = "all"
task.values = 3
evaluation.lengths = [[12]]
)";
  std::string text = fixture::kSmall;
  text = text.substr(0, text.find("[[grid]]")) + grid;
  const Preset preset = parse_preset(text, "axes.toml", "published");
  ASSERT_EQ(preset.points.size(), 2u * 3 * 2 * 2 * 2 + 1);
  std::set<std::string> identities;
  for (const Point& point : preset.points) identities.insert(identity(point.final_run));
  EXPECT_EQ(identities.size(), preset.points.size());
  const Point& last = preset.points[47];
  EXPECT_EQ(std::get<models::TransformerBlock>(last.final_run.architecture.layers[1]).heads, 2);
  EXPECT_EQ(std::get<models::SsmBlock>(last.final_run.architecture.layers[0]).state_size, 3);
  EXPECT_EQ(last.final_run.data.options.at("values"), "4");
  EXPECT_EQ(last.final_run.evaluation.lengths, (std::vector<std::int64_t>{12, 20}));
  EXPECT_EQ(last.final_run.architecture.vocabulary, 9);
}

const std::string kSettings = R"(
[[calibration.setting]]
name = "wide rotary"
where = { model.layers = ["TF", "SSM,TF"], model.width = 12 }
set = { tf.rotary_fraction = 1.0 }

[[calibration.setting]]
name = "gelu"
set = { tf.activation = "gelu" }
)";

std::string with_settings(const std::string& settings = kSettings) {
  return replaced(fixture::kSmall, "[[control]]", settings.substr(1) + "\n[[control]]");
}

TEST(Preset, ACalibrationMayChooseAmongSettings) {
  const Preset preset = parse_preset(with_settings(), "small.toml", "published");
  std::vector<std::vector<std::string>> names;
  for (const Point& point : preset.points) {
    names.emplace_back();
    for (const Alternative& alternative : point.alternatives) names.back().push_back(alternative.name);
  }
  EXPECT_EQ(names, (std::vector<std::vector<std::string>>{{"gelu"}, {"wide rotary", "gelu"}, {}, {}, {}}))
      << "SSM has no attention, so that nothing of it changes";
  const Point& point = preset.points[1];
  EXPECT_EQ(point.choices().size(), 9u);
  const auto block = [](const RunConfiguration& run) {
    return std::get<models::TransformerBlock>(run.architecture.layers[0]);
  };
  EXPECT_EQ(block(point.final({0.01, 1}, 0)).rotary_width, 12);
  EXPECT_EQ(block(point.calibration({0.01, 2}, 100)).activation, models::Activation::gelu);
  EXPECT_TRUE(point.calibration({0.01, 2}, 100).data.calibration);
  EXPECT_EQ(point.calibration({0.01, 2}, 100).optimiser.steps, 4);
  EXPECT_EQ(setting_name(point, 0), "");
  EXPECT_EQ(setting_name(point, 2), "gelu");
}

TEST(Preset, SettingsThatDoNotFitAreRefused) {
  const auto message = [](const std::string& from, const std::string& to) {
    return refusal(with_settings(replaced(kSettings, from, to)));
  };
  EXPECT_NE(message("tf.rotary_fraction = 1.0", "tf.mlp = false").find("leaves the number of parameters alone"),
            std::string::npos);
  EXPECT_NE(message("model.width = 12", "model.width = 13").find("at least one point"), std::string::npos);
  EXPECT_NE(message("name = \"gelu\"", "label = \"gelu\"").find("calibration.setting.1.name"), std::string::npos);
  EXPECT_NE(message("tf.activation", "tf.activatio").find("'activatio'"), std::string::npos);
}

TEST(Preset, AnAxisOfLearningRatesIsNotCalibrated) {
  const std::string text = replaced(fixture::kSmall, "[calibration]",
                                    "[[grid]]\nmodel = { layers = \"TF\", width = 4 }\n"
                                    "optimiser.learning_rate = [0.5, 0.001]\n\n[calibration]");
  const Preset preset = parse_preset(text, "small.toml", "published");
  ASSERT_EQ(preset.points.size(), 7u);
  EXPECT_FALSE(preset.points[3].rates.empty());
  for (const std::size_t i : {4u, 5u}) {
    EXPECT_TRUE(preset.points[i].rates.empty() && preset.points[i].choices().empty());
    EXPECT_EQ(preset.points[i].uncalibrated().rate, i == 4 ? 0.5 : 0.001) << "the default is a rate as well";
  }
}

TEST(Preset, AScaleLaysItsKeysOverTheRest) {
  const Preset quick = fixture::small("quick");
  ASSERT_EQ(quick.points.size(), 5u);
  EXPECT_EQ(quick.points[0].seeds, std::vector<std::uint64_t>{0});
  EXPECT_EQ(quick.points[0].rates.size(), 3u);
  // The same runs, so that what one scale has trained the other need not.
  const Preset published = fixture::small();
  EXPECT_EQ(identity(quick.points[3].final({0.01}, 0)), identity(published.points[3].final({0.01}, 0)));
}

std::size_t final_runs(const Preset& preset) {
  std::size_t count = 0;
  for (const Point& point : preset.points) count += point.control.empty() ? point.seeds.size() : 0;
  return count;
}

std::size_t calibration_runs(const Preset& preset) {
  std::size_t count = 0;
  for (const Point& point : preset.points)
    count += point.control.empty() ? point.rates.size() * point.calibration_seeds.size() : 0;
  return count;
}

TEST(BuiltinPreset, Fig6IsThePublishedProtocol) {
  const Preset preset = load_preset("fig6", "published");
  EXPECT_EQ(final_runs(preset), 264u);
  EXPECT_EQ(calibration_runs(preset), 432u);
  EXPECT_EQ(preset.points.size(), 25u) << "24 and a control";
  for (const Point& point : preset.points) {
    EXPECT_EQ(point.final_run.optimiser.steps, 4000);
    EXPECT_EQ(point.calibration_run.optimiser.steps, 1000);
    EXPECT_EQ(point.final_run.evaluation.rows, 1024);
    EXPECT_EQ(point.final_run.data.options.at("published-edges"), "1");
  }
}

TEST(BuiltinPreset, Fig4HasAllWidthsOfThePaper) {
  const Preset preset = load_preset("fig4", "published");
  EXPECT_EQ(final_runs(preset), 28u * 11);
  EXPECT_EQ(calibration_runs(preset), 28u * 18);
  const auto has = [&](const std::string& layers, std::int64_t parameters) {
    return std::ranges::any_of(
        preset.points, [&](const Point& point) { return point.layers == layers && point.parameters == parameters; });
  };
  // Where an independent reproduction first saw 0.9.
  EXPECT_TRUE(has("TF,TF", 18240));
  EXPECT_TRUE(has("SSM,SSM", 21056));
}

// Published counts of instantiated models.
TEST(BuiltinPreset, ParameterCountsAreThePublishedOnes) {
  using Row = std::map<std::pair<std::string, int>, std::int64_t>;
  const Row recall = {{{"TF,TF", 4}, 396},     {{"TF,TF", 8}, 1304},    {{"TF,TF", 12}, 2724},  {{"TF,TF", 20}, 7100},
                      {{"SSM,TF", 4}, 780},    {{"SSM,TF", 12}, 3684},  {{"SSM,TF", 16}, 5808}, {{"SSM,TF", 24}, 11496},
                      {{"TF,SSM", 8}, 2008},   {{"TF,SSM", 20}, 8460},  {{"SSM,SSM", 4}, 1164}, {{"SSM,SSM", 12}, 4644},
                      {{"SSM,SSM", 20}, 9820}, {{"SSM,SSM", 24}, 12936}};
  const Row copying = {{{"TF,TF", 16}, 5024}, {{"TF,TF", 24}, 10608},  {{"SSM,TF", 4}, 872},
                       {{"SSM,TF", 8}, 2192}, {{"SSM,SSM", 16}, 7328}, {{"SSM,SSM", 24}, 13488}};
  for (const auto& [name, expected] : {std::pair("fig6", recall), std::pair("fig4", copying)}) {
    std::size_t found = 0;
    for (const Point& point : load_preset(name, "published").points) {
      const auto row = expected.find({point.layers, point.width});
      if (!point.control.empty() || row == expected.end()) continue;
      EXPECT_EQ(point.parameters, row->second) << name << " " << label(point);
      ++found;
    }
    EXPECT_EQ(found, expected.size()) << name;
  }
}

TEST(BuiltinPreset, LargeModelsHaveTwelveLayersAndTheirParameters) {
  for (const auto& [name, wanted] :
       {std::pair("large-1e6", 1'000'000), std::pair("large-1e7", 10'000'000), std::pair("large-1e8", 100'000'000)}) {
    for (const char* scale : {"published", "mixed", "quick"}) {
      const Preset preset = load_preset(name, scale);
      std::vector<std::string> kinds;
      for (const Point& point : preset.points) {
        kinds.push_back(point.axes["model.layers"]);
        EXPECT_NEAR(static_cast<double>(point.parameters), wanted, 0.05 * wanted) << name << " " << label(point);
        EXPECT_EQ(point.final_run.architecture.layers.size(), 12U);
        for (const models::Block& block : point.final_run.architecture.layers) {
          const auto* transformer = std::get_if<models::TransformerBlock>(&block);
          if (transformer == nullptr) continue;
          EXPECT_NEAR(point.width / transformer->heads, 64, 16) << name << " " << label(point);
          EXPECT_EQ(transformer->window, 128);
        }
        EXPECT_EQ(point.final_run.optimiser.decay, Decay::cosine);
      }
      EXPECT_EQ(kinds, (std::vector<std::string>{"TF*12", "SSM*12", "(SSM,TF)*6", "(TF,SSM)*6", "(SSM*5,TF)*2"}));
    }
    EXPECT_EQ(load_preset(name, "mixed").points[0].final_run.format, NumberFormat::bfloat16);
  }
}

TEST(BuiltinPreset, AllScalesExpandAndFilesAreTheSame) {
  for (const std::string& name : preset_names())
    for (const std::string scale : {"published", "quick"}) {
      const Preset preset = load_preset(name, scale);
      EXPECT_EQ(preset.name, name);
      const Preset file = load_preset(HYSEQ_SOURCE_DIR "/trainers/presets/" + name + ".toml", scale);
      ASSERT_EQ(file.points.size(), preset.points.size());
      for (std::size_t i = 0; i < file.points.size(); ++i)
        EXPECT_EQ(identity(file.points[i].final_run), identity(preset.points[i].final_run));
    }
  EXPECT_THROW((void)load_preset("fig99", "published"), InputError);
  EXPECT_THROW((void)load_preset("/no/such/file.toml", "published"), InputError);
}

}  // namespace
}  // namespace hyseq::trainers
