#include "trainers/sweep/sweep.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/base/error.hpp"
#include "kernels/engine.hpp"
#include "tests/trainers_sweep/fixture.hpp"
#include "trainers/sweep/points.hpp"

namespace hyseq::trainers {
namespace {

using fixture::TemporaryFolder;
using fixture::Trainer;

constexpr std::size_t kCalibrationRuns = 4 * 3 * 2;
constexpr std::size_t kRuns = kCalibrationRuns + 4 * 4 + 1;

class SweepTest : public testing::Test {
 protected:
  SweepTest() {
    options_.train = [this](std::span<const RunConfiguration> runs, const TrainingOptions& training) {
      return trainer_(runs, training);
    };
    options_.cohort_size = [](const RunConfiguration&) { return std::size_t{4}; };
  }

  SweepProgress run() { return run_sweep(preset_, store_, options_); }

  TemporaryFolder folder_;
  Preset preset_ = fixture::small();
  results::RunStore store_{folder_.path()};
  Trainer trainer_;
  SweepOptions options_;
};

std::vector<std::string> files_below(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) names.push_back(entry.path().filename().string());
  return names;
}

/// What a store has, by the run's id, without what only says where and how.
std::map<std::string, nlohmann::ordered_json> outcomes_in(const results::RunStore& store) {
  std::map<std::string, nlohmann::ordered_json> outcomes;
  for (const results::RunRecord& record : store.load_all()) outcomes[record.id] = results::outcome_json(record);
  return outcomes;
}

std::map<std::string, nlohmann::ordered_json> outcomes_of_sweep(const Preset& preset, const SweepOptions& options) {
  const TemporaryFolder folder;
  const results::RunStore store(folder.path());
  (void)run_sweep(preset, store, options);
  return outcomes_in(store);
}

/// The runs in which two stores differ.
std::string differing(const std::map<std::string, nlohmann::ordered_json>& a,
                      const std::map<std::string, nlohmann::ordered_json>& b) {
  std::string text = a.size() == b.size() ? "" : "different numbers of runs; ";
  for (const auto& [id, outcome] : a) {
    const auto other = b.find(id);
    if (other == b.end())
      text += id + " is missing; ";
    else if (outcome != other->second)
      text += id + ": " + nlohmann::ordered_json::diff(outcome, other->second).dump().substr(0, 300) + "; ";
  }
  return text;
}

TEST_F(SweepTest, TrainsEveryRunOnceWithTheChosenRates) {
  const SweepProgress end = run();
  EXPECT_EQ(end.trained, kRuns);
  EXPECT_EQ(end.totals.runs, kRuns);
  EXPECT_EQ(end.totals.stored, kRuns);
  EXPECT_EQ(end.totals.calibration_runs, kCalibrationRuns);
  EXPECT_EQ(end.totals.cohorts, 0u);
  EXPECT_EQ(store_.ids().size(), kRuns);
  for (const auto& [id, times] : trainer_.times) EXPECT_EQ(times, 1);
  // 6 runs of a calibration on 4 lanes are 3 + 3.
  EXPECT_EQ(std::ranges::count(trainer_.cohorts, 3u), 8);
  EXPECT_EQ(std::ranges::count(trainer_.cohorts, 4u), 4);
  for (const PointSummary& point : summarise(preset_, store_)) {
    ASSERT_TRUE(point.choice) << label(point.point);
    EXPECT_EQ(point.choice->rate, point.point.width < 8 ? 0.01 : 0.001) << label(point.point);
    EXPECT_EQ(point.missing, 0u);
    ASSERT_EQ(point.runs.size(), point.point.seeds.size());
    for (const PointRun& finished : point.runs) {
      const RunConfiguration trained = configuration_from_json(store_.load(finished.id).configuration);
      EXPECT_EQ(trained.seed, finished.seed);
      EXPECT_EQ(trained.optimiser.learning_rate, point.choice->rate);
      EXPECT_EQ(trained.data.random_targets, !point.point.control.empty());
      EXPECT_FALSE(trained.data.calibration);
    }
  }
  EXPECT_EQ(files_below(folder_.path()).size(), kRuns) << "no claim and no temporary file stays behind";
}

TEST_F(SweepTest, TrainsTheSettingThatTheCalibrationChose) {
  std::string text = fixture::kSmall;
  text.insert(text.find("[[control]]"),
              "[[calibration.setting]]\nname = \"gelu\"\nset = { tf.activation = \"gelu\" }\n\n");
  text.replace(text.find("layers = \"SSM\", model.width = 4 }"), 33, "layers = \"TF\", model.width = 4 } ");
  preset_ = parse_preset(text, "small.toml", "published");
  options_.train = [&](std::span<const RunConfiguration> runs, const TrainingOptions& training) {
    std::vector<results::RunRecord> records = trainer_(runs, training);
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const auto* block = std::get_if<models::TransformerBlock>(&runs[i].architecture.layers[0]);
      const bool gelu = block != nullptr && block->activation == models::Activation::gelu;
      // Narrow models get better by it, wide ones worse.
      if (gelu) records[i].evaluations.back().positions.correct += runs[i].architecture.width < 8 ? 10 : -10;
    }
    return records;
  };
  (void)run();
  for (const auto& [id, times] : trainer_.times) EXPECT_EQ(times, 1);
  for (const PointSummary& point : summarise(preset_, store_)) {
    ASSERT_TRUE(point.choice) << label(point.point);
    const bool chosen = point.point.layers == "TF" && point.point.width == 4;
    EXPECT_EQ(setting_name(point.point, point.choice->setting), chosen ? "gelu" : "") << label(point.point);
    EXPECT_EQ(point.missing, 0u);
    for (const PointRun& finished : point.runs) {
      const RunConfiguration trained = configuration_from_json(store_.load(finished.id).configuration);
      EXPECT_EQ(trained.data.random_targets, !point.point.control.empty());
      if (chosen) {
        EXPECT_EQ(std::get<models::TransformerBlock>(trained.architecture.layers[0]).activation,
                  models::Activation::gelu)
            << "controls too";
      }
    }
  }
}

TEST_F(SweepTest, NothingIsTrainedTwice) {
  (void)run();
  EXPECT_EQ(run().trained, 0u);
  // A scale that asks for fewer of the same runs finds them all.
  preset_ = fixture::small("quick");
  EXPECT_EQ(run().trained, 0u);
  EXPECT_EQ(trainer_.times.size(), kRuns);
}

TEST_F(SweepTest, ALimitTakesSoManyAndTheRestFollows) {
  options_.limit = 5;
  options_.threads = 3;
  std::size_t trained = 0;
  for (int round = 0; trained < kRuns && round < 20; ++round) {
    const std::size_t now = run().trained;
    EXPECT_EQ(now, std::min<std::size_t>(5, kRuns - trained));
    trained += now;
    EXPECT_EQ(store_.ids().size(), trained);
  }
  for (const auto& [id, times] : trainer_.times) EXPECT_EQ(times, 1);
}

TEST_F(SweepTest, OutcomesDoNotDependOnThreads) {
  const auto with_threads = [&](std::size_t threads) {
    options_.threads = threads;
    return outcomes_of_sweep(preset_, options_);
  };
  const auto one = with_threads(1);
  EXPECT_EQ(one.size(), kRuns);
  EXPECT_EQ(differing(one, with_threads(2)), "");
  EXPECT_EQ(differing(one, with_threads(4)), "");
}

TEST_F(SweepTest, ADryRunCountsAndLeavesNoTrace) {
  const SweepProgress plan = plan_sweep(preset_, store_, options_);
  EXPECT_EQ(plan.totals.runs, kRuns);
  EXPECT_EQ(plan.totals.stored, 0u);
  EXPECT_EQ(plan.totals.cohorts, 4u * 2 + 4 + 1);
  EXPECT_GT(plan.seconds_left, 0);
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
  options_.limit = 7;
  (void)run();
  EXPECT_EQ(plan_sweep(preset_, store_, options_).totals.stored, 7u);
}

TEST_F(SweepTest, ShardsTogetherTrainEverythingOnce) {
  options_.shards = 3;
  std::size_t trained = 0;
  for (options_.shard = 0; options_.shard < 3; ++options_.shard) trained += run().trained;
  EXPECT_EQ(trained, kRuns);
  for (const auto& [id, times] : trainer_.times) EXPECT_EQ(times, 1);
  options_.shard = 0;
  options_.shards = 1;
  EXPECT_EQ(run().trained, 0u);
}

TEST_F(SweepTest, TheLongestWorkComesFirst) {
  std::vector<std::pair<bool, int>> order;  // calibration?, width
  trainer_.before = [&](std::span<const RunConfiguration> runs) {
    order.emplace_back(runs.front().data.calibration, runs.front().architecture.width);
  };
  (void)run();
  ASSERT_EQ(order.size(), 13u);
  EXPECT_EQ(order.front(), std::pair(true, 12));
  EXPECT_EQ(order.back().second, 4);
}

TEST_F(SweepTest, FinalRunsDoNotWaitForOtherPoints) {
  // One final cohort must be able to run while another point's calibration is still held up.
  std::promise<void> final_seen;
  std::atomic<bool> seen = false;
  std::atomic<bool> held = false;
  trainer_.before = [&](std::span<const RunConfiguration> runs) {
    const RunConfiguration& first = runs.front();
    if (!first.data.calibration) {
      if (!seen.exchange(true)) final_seen.set_value();
    } else if (first.architecture.width == 12 && first.optimiser.learning_rate < 0.002 && !held.exchange(true)) {
      EXPECT_EQ(final_seen.get_future().wait_for(std::chrono::seconds(20)), std::future_status::ready);
    }
  };
  options_.threads = 2;
  EXPECT_EQ(run().trained, kRuns);
}

TEST_F(SweepTest, RunsThatOthersClaimedAreLeftToThem) {
  store_.prepare();
  const RunConfiguration other = preset_.points[1].calibration({0.01}, 101);
  auto claim = store_.claim(identity(other));
  ASSERT_TRUE(claim.has_value());
  auto ending = std::async(std::launch::async, [&] { return run(); });
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  EXPECT_EQ(ending.wait_for(std::chrono::seconds(0)), std::future_status::timeout) << "it waits for the other's run";
  store_.save(fixture::outcome(other));
  claim.reset();
  EXPECT_EQ(ending.get().trained, kRuns - 1);
  EXPECT_EQ(trainer_.times.count(identity(other)), 0u);
}

TEST_F(SweepTest, RunsOfAProcessThatDiedAreTakenOver) {
  store_.prepare();
  auto claim = store_.claim(identity(preset_.points[1].calibration({0.01}, 101)));
  auto ending = std::async(std::launch::async, [&] { return run(); });
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  claim.reset();  // without a result
  EXPECT_EQ(ending.get().trained, kRuns);
}

TEST_F(SweepTest, AStopKeepsWhatIsFinished) {
  std::atomic<bool> stop = false;
  options_.stop = &stop;
  options_.threads = 2;
  std::atomic<int> cohorts = 0;
  options_.train = [&](std::span<const RunConfiguration> runs, const TrainingOptions& training) {
    if (++cohorts >= 4) {
      stop = true;
      while (!*training.stop) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      throw Interrupted();
    }
    return trainer_(runs, training);
  };
  EXPECT_THROW((void)run(), Interrupted);
  EXPECT_EQ(store_.ids().size(), trainer_.times.size());
  EXPECT_GE(store_.ids().size(), 2u * 3);
  EXPECT_EQ(files_below(folder_.path()).size(), store_.ids().size());
  stop = false;
  cohorts = -1000;
  (void)run();
  EXPECT_EQ(store_.ids().size(), kRuns);
  for (const auto& [id, times] : trainer_.times) EXPECT_EQ(times, 1);
}

TEST_F(SweepTest, AnErrorInOneThreadEndsAllAndIsPassedOn) {
  options_.threads = 3;
  std::atomic<int> cohorts = 0;
  options_.train = [&](std::span<const RunConfiguration> runs, const TrainingOptions& training) {
    if (++cohorts == 3) throw EnvironmentError("the disk is full");
    return trainer_(runs, training);
  };
  try {
    (void)run();
    FAIL() << "nothing was thrown";
  } catch (const EnvironmentError& error) {
    EXPECT_STREQ(error.what(), "the disk is full");
  }
  EXPECT_LT(store_.ids().size(), kRuns);
}

TEST_F(SweepTest, AnEngineForOneModelGivesItAllThreads) {
  options_.threads = 6;
  options_.cohort_size = [](const RunConfiguration&) { return std::size_t{1}; };
  std::set<std::size_t> seen;
  options_.train = [&](std::span<const RunConfiguration> runs, const TrainingOptions& training) {
    seen.insert(training.threads);
    return trainer_(runs, training);
  };
  EXPECT_EQ(run().trained, kRuns);
  EXPECT_EQ(seen, std::set<std::size_t>{6});
}

TEST_F(SweepTest, CalibrationPrefersAccuracyThenLossThenTheSmallerRate) {
  const Point point = preset_.points[0];
  const auto outcome = [](double rate, double accuracy, double loss, std::size_t setting = 0) {
    ChoiceOutcome made;
    made.choice = {rate, setting};
    made.ids = {"a", "b"};
    made.finished = 2;
    made.accuracy = accuracy;
    made.loss = loss;
    return made;
  };
  std::vector<ChoiceOutcome> table{outcome(0.1, 0.5, 2), outcome(0.01, 0.6, 3), outcome(0.001, 0.6, 2.5)};
  EXPECT_EQ(chosen(point, table).value().rate, 0.001);
  table[0].accuracy = 0.61;
  EXPECT_EQ(chosen(point, table).value().rate, 0.1);
  for (ChoiceOutcome& same : table) same.accuracy = same.loss = 1;
  EXPECT_EQ(chosen(point, table).value().rate, 0.001);
  table = {outcome(0.1, 0.6, 2, 1), outcome(0.1, 0.6, 2, 0)};
  EXPECT_EQ(chosen(point, table).value().setting, 0u) << "the point as it stands";
  table[1].finished = 1;
  EXPECT_FALSE(chosen(point, table));
}

TEST_F(SweepTest, ASummaryOfAnEmptyStoreMissesEverything) {
  std::size_t missing = 0;
  for (const PointSummary& point : summarise(preset_, store_)) {
    EXPECT_FALSE(point.choice);
    for (const PointRun& run : point.runs) EXPECT_TRUE(run.id.empty());
    missing += point.missing;
  }
  EXPECT_EQ(missing, kRuns);
}

TEST_F(SweepTest, RemovesCheckpointsOfFinishedRuns) {
  (void)run();
  const std::filesystem::path checkpoints = std::filesystem::path(folder_.path()) / "checkpoints";
  std::filesystem::create_directories(checkpoints);
  for (const std::string& name : {store_.ids().front(), std::string("unknown")})
    std::ofstream(checkpoints / (name + ".h5")) << "a checkpoint";
  (void)run();
  EXPECT_EQ(files_below(checkpoints.string()), std::vector<std::string>{"unknown.h5"});
}

// The real trainer in place of the fake one, on every engine of this build that can train.
class RealSweep : public testing::TestWithParam<std::string> {};

TEST_P(RealSweep, BitEqualForOneTwoAndFourThreads) {
  std::string text = fixture::kSmall;
  text.replace(text.find("auto"), 4, GetParam());
  const Preset preset = parse_preset(text, "small.toml", "published");
  const auto with_threads = [&](std::size_t threads) {
    SweepOptions options;
    options.threads = threads;
    return outcomes_of_sweep(preset, options);
  };
  const auto one = with_threads(1);
  EXPECT_EQ(one.size(), kRuns);
  EXPECT_EQ(differing(one, with_threads(2)), "");
  EXPECT_EQ(differing(one, with_threads(4)), "");
}

TEST_P(RealSweep, GoesOnFromTheCheckpointsOfAnInterruption) {
  std::string text = fixture::kSmall;
  text.replace(text.find("auto"), 4, GetParam());
  const Preset preset = parse_preset(text, "small.toml", "published");
  const TemporaryFolder folder;
  const results::RunStore store(folder.path());
  std::atomic<bool> stop = false;
  std::int64_t stop_at = 2;
  std::int64_t first_done = 0;
  SweepOptions options;
  options.stop = &stop;
  options.train = [&](std::span<const RunConfiguration> runs, TrainingOptions training) {
    const auto report = training.progress;
    training.progress = [&, report](std::int64_t done) {
      report(done);
      if (first_done == 0) first_done = done;
      if (done != stop_at) return;
      stop = true;
      while (!*training.stop) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    };
    return train_cohort(runs, training);
  };
  EXPECT_THROW((void)run_sweep(preset, store, options), Interrupted);
  EXPECT_TRUE(store.ids().empty());
  EXPECT_FALSE(files_below(folder.path() + "/checkpoints").empty());
  stop = false;
  stop_at = 0;
  first_done = 0;
  (void)run_sweep(preset, store, options);
  EXPECT_EQ(first_done, 3);
  EXPECT_TRUE(files_below(folder.path() + "/checkpoints").empty());
  EXPECT_EQ(differing(outcomes_in(store), outcomes_of_sweep(preset, {})), "");
}

std::vector<std::string> training_engines() {
  std::vector<std::string> names;
  for (const kernels::Engine* engine : kernels::engines())
    if (engine->cohort_size(NumberFormat::float32) > 0) names.emplace_back(engine->name());
  return names;
}

INSTANTIATE_TEST_SUITE_P(Engines, RealSweep, testing::ValuesIn(training_engines()), [](const auto& instance) {
  std::string name = instance.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace hyseq::trainers
