#include "trainers/train.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>

#include "kernels/base/error.hpp"
#include "kernels/base/hdf5_file.hpp"
#include "kernels/engine.hpp"
#include "models/lowering.hpp"
#include "models/model_file.hpp"
#include "tests/trainers/small_run.hpp"
#include "trainers/data.hpp"
#include "trainers/schedule.hpp"

namespace hyseq::trainers {
namespace {

namespace fs = std::filesystem;
using results::RunRecord;

std::vector<RunRecord> train(const std::vector<RunConfiguration>& runs, const TrainingOptions& options = {}) {
  return train_cohort(runs, options);
}

/// The weights that a run left.
kernels::ParameterValues weights(const std::string& folder, const RunRecord& record) {
  return models::read_model_file(folder + "/" + record.id + ".h5").parameters;
}

/// Runs that differ in what members of a cohort may differ in.
std::vector<RunConfiguration> some_runs(std::size_t count) {
  std::vector<RunConfiguration> runs;
  for (std::size_t r = 0; r < count; ++r) runs.push_back(small_run(r / 2, r % 2 == 0 ? 0.01 : 0.03));
  return runs;
}

std::size_t cohort_size() {
  const RunConfiguration run = small_run();
  return std::min<std::size_t>(16, kernels::find_engine(run.engine).cohort_size(run.format));
}

TEST(Train, TheRecordSaysWhatWasDone) {
  const RunConfiguration run = small_run();
  const RunRecord record = train({run}).at(0);
  EXPECT_EQ(record.id, identity(run));
  EXPECT_EQ(record.configuration, to_json(run));
  EXPECT_EQ(record.seed, 1u);
  EXPECT_EQ(record.parameters, static_cast<std::int64_t>(models::lower(run.architecture).parameter_count()));
  EXPECT_EQ(record.steps, 12);
  EXPECT_EQ(record.diverged_at, -1);
  EXPECT_EQ(record.empty_batches, 0);
  EXPECT_FALSE(record.version.empty());
  EXPECT_FALSE(record.machine.empty());
  EXPECT_GT(record.seconds, 0);
  std::vector<std::int64_t> steps;
  for (const results::CurvePoint& point : record.curve) {
    steps.push_back(point.step);
    EXPECT_EQ(point.learning_rate, learning_rate(run.optimiser, point.step));
    EXPECT_NEAR(point.loss, std::log(8), 0.3);
    EXPECT_GT(point.gradient_norm, 0);
    // Those of the step's rows.
    const tasks::Batch batch = DataSource(run).training(1, point.step).batch;
    EXPECT_EQ(point.positions.valid, std::ranges::count_if(batch.target, [](std::int32_t t) { return t < 5; }));
  }
  EXPECT_EQ(steps, (std::vector<std::int64_t>{0, 4, 8, 11}));
  std::vector<std::string> names;
  for (const results::Evaluation& evaluation : record.evaluations) {
    names.push_back(evaluation.name);
    EXPECT_GT(evaluation.positions.valid, 0);
    EXPECT_EQ(evaluation.rows, 70);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"step 5", "step 10", "final", "length 13"}));
  EXPECT_EQ(results::find_evaluation(record, "step 10")->step, 10);
  EXPECT_EQ(results::find_evaluation(record, "final")->length, 9);
  EXPECT_EQ(results::find_evaluation(record, "length 13")->length, 13);
}

TEST(Train, LearnsAnEasyTask) {
  RunConfiguration run = small_run(1, 0.03);
  run.architecture.width = 8;
  run.data.options["distance-count"] = "1";
  run.architecture.vocabulary = 7;
  run.optimiser.steps = 300;
  run.dropout = {0, 0, 0, 0};
  run.evaluation = {100, {}, 0};
  const RunRecord record = train({run}).at(0);
  EXPECT_GT(results::find_evaluation(record, "final")->positions.accuracy(), 0.9);
  run.data.random_targets = true;
  const RunRecord control = train({run}).at(0);
  EXPECT_LT(results::find_evaluation(control, "final")->positions.accuracy(), 0.5);
}

TEST(Train, ARunDoesNotDependOnItsCohort) {
  const TemporaryFolder folder;
  const std::vector<RunConfiguration> runs = some_runs(cohort_size());
  std::vector<RunConfiguration> reversed(runs.rbegin(), runs.rend());
  TrainingOptions options;
  options.model_folder = folder.path("together");
  const std::vector<RunRecord> together = train(runs, options);
  options.model_folder = folder.path("reversed");
  const std::vector<RunRecord> other_way = train(reversed, options);
  options.model_folder = folder.path("alone");
  for (const std::size_t r : {std::size_t{0}, runs.size() / 2, runs.size() - 1}) {
    const RunRecord alone = train({runs[r]}, options).at(0);
    EXPECT_EQ(results::outcome_json(together[r]), results::outcome_json(alone)) << r;
    EXPECT_EQ(results::outcome_json(other_way[runs.size() - 1 - r]), results::outcome_json(alone)) << r;
    EXPECT_EQ(weights(folder.path("together"), alone), weights(folder.path("alone"), alone));
    EXPECT_EQ(weights(folder.path("reversed"), alone), weights(folder.path("alone"), alone));
  }
}

TEST(Train, ARunDoesNotDependOnThreadsAndRepeats) {
  const TemporaryFolder folder;
  const std::vector<RunConfiguration> runs = some_runs(std::min<std::size_t>(3, cohort_size()));
  TrainingOptions options;
  std::vector<RunRecord> first;
  for (const std::size_t threads : {1U, 2U, 4U, 1U, 2U, 4U}) {
    options.threads = threads;
    options.model_folder = folder.path(std::to_string(threads));
    const std::vector<RunRecord> records = train(runs, options);
    if (first.empty()) first = records;
    for (std::size_t r = 0; r < runs.size(); ++r) {
      EXPECT_EQ(results::outcome_json(records[r]), results::outcome_json(first[r])) << threads << " threads";
      EXPECT_EQ(weights(options.model_folder, records[r]), weights(folder.path("1"), records[r]));
    }
  }
}

TEST(Train, SettingsReachTheTraining) {
  const RunConfiguration plain = small_run();
  const auto final_loss = [](const RunConfiguration& run) {
    return results::find_evaluation(train({run}).at(0), "final")->loss;
  };
  const double loss = final_loss(plain);
  const auto differs = [&](const char* what, const std::function<void(RunConfiguration&)>& change) {
    RunConfiguration run = plain;
    change(run);
    EXPECT_NE(final_loss(run), loss) << what;
  };
  using Run = RunConfiguration;
  differs("dropout embedding", [](Run& r) { r.dropout.embedding = 0.3; });
  differs("dropout probabilities", [](Run& r) { r.dropout.probabilities = 0.3; });
  differs("dropout attention", [](Run& r) { r.dropout.attention = 0.3; });
  differs("dropout mlp", [](Run& r) { r.dropout.mlp = 0.3; });
  differs("scale", [](Run& r) { r.initialisation.scale = 0.1; });
  differs("random step", [](Run& r) { r.initialisation.random_step = true; });
  differs("rate", [](Run& r) { r.optimiser.learning_rate = 0.02; });
  differs("warmup", [](Run& r) { r.optimiser.warmup = 1; });
  differs("decay", [](Run& r) { r.optimiser.decay = Decay::cosine; });
  differs("beta1", [](Run& r) { r.optimiser.beta1 = 0.5; });
  differs("beta2", [](Run& r) { r.optimiser.beta2 = 0.9; });
  differs("epsilon", [](Run& r) { r.optimiser.epsilon = 1e-2; });
  differs("weight decay", [](Run& r) { r.optimiser.weight_decay = 1; });
  differs("decay policy", [](Run& r) { r.optimiser.decay_policy = DecayPolicy::matrices; });
  differs("clip", [](Run& r) { r.optimiser.clip = 1e-9; });
  differs("context", [](Run& r) { r.data.context = 30; });
  differs("random targets", [](Run& r) { r.data.random_targets = true; });
}

TEST(Train, ADivergedMemberIsRecordedAndLeavesTheOthersAlone) {
  if (cohort_size() < 3) GTEST_SKIP() << "the engine trains one run at a time";
  const TemporaryFolder folder;
  TrainingOptions options;
  options.model_folder = folder.path("beside");
  const std::vector<RunConfiguration> runs = {small_run(1), small_run(1, 1e30), small_run(2)};
  const std::vector<RunRecord> records = train(runs, options);
  const RunRecord& diverged = records[1];
  EXPECT_GE(diverged.diverged_at, 1);  // the first step has rate 0
  EXPECT_EQ(diverged.steps, diverged.diverged_at);
  const results::CurvePoint& last = diverged.curve.back();
  EXPECT_EQ(last.step, diverged.diverged_at);
  EXPECT_FALSE(std::isfinite(last.loss) && std::isfinite(last.gradient_norm));
  EXPECT_NE(results::find_evaluation(diverged, "final"), nullptr);
  EXPECT_EQ(results::find_evaluation(diverged, "step 10"), nullptr);
  EXPECT_EQ(results::find_evaluation(diverged, "final")->step, diverged.steps);
  options.model_folder = folder.path("alone");
  for (const std::size_t r : {0U, 1U, 2U}) {
    const RunRecord alone = train({runs[r]}, options).at(0);
    EXPECT_EQ(results::outcome_json(records[r]), results::outcome_json(alone)) << r;
    if (r != 1) {
      EXPECT_EQ(weights(folder.path("beside"), alone), weights(folder.path("alone"), alone));
    }
  }
  EXPECT_EQ(records[0].diverged_at, -1);
  EXPECT_EQ(records[2].diverged_at, -1);
}

TEST(Train, ResumesBitForBit) {
  const TemporaryFolder folder;
  std::vector<RunConfiguration> runs = {small_run(1), small_run(2), small_run(1, 1e30)};
  runs.resize(std::min(runs.size(), cohort_size()));
  TrainingOptions options;
  options.model_folder = folder.path("whole");
  const std::vector<RunRecord> whole = train(runs, options);

  options.model_folder = folder.path("resumed");
  options.checkpoint_folder = folder.path("checkpoints");
  for (const std::int64_t stop_at : {std::int64_t{1}, std::int64_t{7}, std::int64_t{11}}) {
    for (const std::int64_t every : {std::int64_t{0}, std::int64_t{3}}) {
      std::atomic<bool> stop = false;
      options.checkpoint_every = every;
      options.stop = &stop;
      options.progress = [&](std::int64_t done) { stop = done >= stop_at; };
      EXPECT_THROW((void)train(runs, options), Interrupted);
      for (const RunConfiguration& run : runs)
        EXPECT_TRUE(fs::exists(folder.path("checkpoints/" + identity(run) + ".h5")));
      options.stop = nullptr;
      std::int64_t first_done = 0;
      options.progress = [&](std::int64_t done) { first_done = first_done == 0 ? done : first_done; };
      const std::vector<RunRecord> resumed = train(runs, options);
      EXPECT_EQ(first_done, stop_at + 1);
      for (std::size_t r = 0; r < runs.size(); ++r) {
        EXPECT_EQ(results::outcome_json(resumed[r]), results::outcome_json(whole[r])) << stop_at << " run " << r;
        if (whole[r].diverged_at < 0) {
          EXPECT_EQ(weights(folder.path("resumed"), whole[r]), weights(folder.path("whole"), whole[r]));
        }
      }
      discard_checkpoints(runs, options);
      EXPECT_TRUE(fs::is_empty(folder.path("checkpoints")));
    }
  }
}

TEST(Train, CheckpointsOfDifferentStepsAreNotMixed) {
  if (cohort_size() < 2) GTEST_SKIP() << "the engine trains one run at a time";
  const TemporaryFolder folder;
  TrainingOptions options;
  options.checkpoint_folder = folder.path();
  std::atomic<bool> stop = false;
  options.stop = &stop;
  for (const std::uint64_t seed : {1U, 2U}) {
    stop = false;
    options.progress = [&](std::int64_t done) { stop = done >= static_cast<std::int64_t>(3 * seed); };
    EXPECT_THROW((void)train({small_run(seed)}, options), Interrupted);
  }
  stop = false;
  options.progress = {};
  const std::vector<RunRecord> together = train({small_run(1), small_run(2)}, options);
  EXPECT_EQ(results::outcome_json(together[1]), results::outcome_json(train({small_run(2)}, {}).at(0)));
}

TEST(Train, ADamagedCheckpointIsNamed) {
  const TemporaryFolder folder;
  TrainingOptions options;
  options.checkpoint_folder = folder.path();
  const std::string path = folder.path(identity(small_run()) + ".h5");
  {
    Hdf5Writer file(path);
    file.attribute("format", "something else");
    file.commit();
  }
  try {
    (void)train({small_run()}, options);
    ADD_FAILURE() << "it was taken";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(path), std::string::npos);
  }
}

/// Without a single target every gradient is zero, and what is left of the update is the decay.
class WithoutTargets : public testing::Test {
 protected:
  void SetUp() override {
    Hdf5Writer file(folder_.path("rows.h5"));
    file.write("input", Array<std::int32_t>{{4, 5}, std::vector<std::int32_t>(20, 2)});
    file.write("target", Array<std::int32_t>{{4, 5}, std::vector<std::int32_t>(20, -1)});
    file.commit();
  }
  [[nodiscard]] RunConfiguration configuration(DecayPolicy policy) const {
    RunConfiguration run = small_run();
    const FileDescription file = describe_file(folder_.path("rows.h5"));
    run.data = file.data;
    run.architecture.vocabulary = file.vocabulary;
    run.evaluation = {1, {}, 0};
    run.optimiser.decay_policy = policy;
    run.optimiser.weight_decay = 0.5;
    run.initialisation.random_step = true;
    return run;
  }
  [[nodiscard]] kernels::ParameterValues trained(const RunConfiguration& run) {
    TrainingOptions options;
    options.model_folder = folder_.path("models");
    record_ = train({run}, options).at(0);
    return weights(options.model_folder, record_);
  }
  RunRecord record_;

 private:
  TemporaryFolder folder_;
};

TEST_F(WithoutTargets, StepsAreCountedAndNothingIsNaN) {
  (void)trained(configuration(DecayPolicy::all));
  EXPECT_EQ(record_.empty_batches, 12);
  EXPECT_EQ(record_.steps, 12);
  EXPECT_EQ(record_.diverged_at, -1);
  for (const results::CurvePoint& point : record_.curve) {
    EXPECT_EQ(point.loss, 0);
    EXPECT_EQ(point.gradient_norm, 0);
    EXPECT_EQ(point.positions.valid, 0);
  }
  EXPECT_EQ(record_.evaluations.at(0).positions.valid, 0);
  EXPECT_EQ(record_.evaluations.at(0).sequences.valid, 0);
  EXPECT_EQ(record_.evaluations.at(0).loss, 0);
}

TEST_F(WithoutTargets, TheDecayPolicyDecidesWhatShrinks) {
  for (const DecayPolicy policy : {DecayPolicy::all, DecayPolicy::matrices}) {
    const RunConfiguration run = configuration(policy);
    double factor = 1;
    for (std::int64_t s = 0; s < 12; ++s) factor *= 1 - learning_rate(run.optimiser, s) * 0.5;
    const kernels::Program program = models::lower(run.architecture);
    const kernels::ParameterValues before = models::initialise(program, run.seed, run.initialisation);
    const kernels::ParameterValues after = trained(run);
    for (std::size_t p = 0; p < program.parameters.size(); ++p) {
      const std::string& name = program.parameters[p].name;
      const bool matrix = name == "embedding" || (name.ends_with(".weight") && name.find("norm") == std::string::npos &&
                                                  name.find("conv") == std::string::npos);
      const double expected = policy == DecayPolicy::all || matrix ? factor : 1;
      for (std::size_t i = 0; i < before[p].size(); ++i)
        EXPECT_NEAR(after[p][i], before[p][i] * expected, 1e-5 * std::abs(before[p][i])) << name;
    }
  }
}

TEST(Train, WhatDoesNotFitIsRefused) {
  const auto refused = [](const std::vector<RunConfiguration>& runs, const std::string& part) {
    try {
      (void)train(runs);
      ADD_FAILURE() << part << " was not refused";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  refused({}, "no run");
  RunConfiguration longer = small_run();
  longer.optimiser.steps = 13;
  refused({small_run(), longer}, "seed and learning rate alone");
  RunConfiguration short_format = small_run();
  short_format.engine = "reference";
  refused(
      std::vector<RunConfiguration>(1 + kernels::reference_engine().cohort_size(NumberFormat::float32), short_format),
      "is more than the");
  short_format.optimiser.warmup = 13;
  refused({short_format}, "warm-up is 13");
}

}  // namespace
}  // namespace hyseq::trainers
