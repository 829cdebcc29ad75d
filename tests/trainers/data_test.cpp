#include "trainers/data.hpp"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "kernels/base/error.hpp"
#include "kernels/base/hdf5_file.hpp"
#include "tasks/registry.hpp"
#include "tests/trainers/small_run.hpp"

namespace hyseq::trainers {
namespace {

using Tokens = std::vector<std::int32_t>;

Tokens row(const tasks::Batch& batch, std::size_t number) {
  const auto begin = batch.input.begin() + static_cast<std::ptrdiff_t>(number * batch.length);
  return {begin, begin + static_cast<std::ptrdiff_t>(batch.length)};
}

/// Another allowed value of every option.
std::string other_value(const std::string& task, const std::string& option) {
  if (option == "published-edges") return "0";
  if (option == "random-filler") return "1";
  if (option == "bit-share") return task == "decode_recall" ? "0.6" : "0.3";
  if (option.ends_with("share")) return "0.55";
  if (option == "depth") return "0.25";
  if (option == "gap-exponent") return "0.9";
  if (option == "bits") return "2";
  if (option == "vocabulary") return "32";
  return "3";
}

TEST(Data, EveryTaskOptionReachesTheRows) {
  std::size_t options = 0;
  for (const tasks::TaskInfo& task : tasks::catalogue()) {
    RunConfiguration run = small_run();
    run.data.task = task.name;
    run.data.options = {};
    run.data.lengths = {100, 100};
    run.optimiser.batch = 20;
    const tasks::PackedBatch plain = DataSource(run).training(1, 0);
    for (const tasks::OptionInfo& option : task.options) {
      run.data.options = {{option.name, other_value(task.name, option.name)}};
      const tasks::PackedBatch changed = DataSource(run).training(1, 0);
      EXPECT_TRUE(changed.batch.input != plain.batch.input || changed.batch.target != plain.batch.target)
          << task.name << " " << option.name;
      ++options;
    }
  }
  EXPECT_GT(options, 20u);
}

TEST(Data, EverySettingOfTheRunReachesTheRows) {
  const RunConfiguration plain = small_run();
  const Tokens rows = DataSource(plain).training(1, 0).batch.input;
  EXPECT_EQ(DataSource(plain).training(1, 0).batch.input, rows);
  EXPECT_NE(DataSource(plain).training(2, 0).batch.input, rows);
  EXPECT_NE(DataSource(plain).training(1, 1).batch.input, rows);
  RunConfiguration run = plain;
  run.data.calibration = true;
  EXPECT_NE(DataSource(run).training(1, 0).batch.input, rows);
  run = plain;
  run.data.lengths = {9, 9};
  EXPECT_NE(DataSource(run).training(1, 0).batch.input, rows);
  run = plain;
  run.data.context = 40;
  EXPECT_EQ(DataSource(run).time(), 40u);
  EXPECT_NE(DataSource(run).training(1, 0).batch.input, rows);
  run = plain;
  run.data.random_targets = true;
  EXPECT_NE(DataSource(run).training(1, 0).batch.target, DataSource(plain).training(1, 0).batch.target);
}

TEST(Data, RowsAreNumberedThroughTheSteps) {
  RunConfiguration pairs = small_run();
  RunConfiguration single = pairs;
  single.optimiser.batch = 1;
  const DataSource two(pairs);
  const DataSource one(single);
  for (std::int64_t step = 0; step < 3; ++step) {
    const tasks::Batch batch = two.training(5, step).batch;
    for (std::int64_t r = 0; r < 2; ++r)
      EXPECT_EQ(row(batch, static_cast<std::size_t>(r)), one.training(5, 2 * step + r).batch.input);
  }
}

TEST(Data, TrainingCalibrationAndEvaluationShareNoRow) {
  RunConfiguration run = small_run();
  run.data.lengths = {40, 40};
  RunConfiguration calibration = run;
  calibration.data.calibration = true;
  const DataSource data(run);
  const DataSource separate(calibration);
  std::set<Tokens> rows;
  for (std::int64_t step = 0; step < 50; ++step) {
    for (const DataSource* source : {&data, &separate}) {
      const tasks::Batch batch = source->training(1, step).batch;
      rows.insert(row(batch, 0));
      rows.insert(row(batch, 1));
    }
  }
  const tasks::Batch held_out = data.evaluation(1, 40, 0, 100).batch;
  for (std::size_t r = 0; r < 100; ++r) rows.insert(row(held_out, r));
  EXPECT_EQ(rows.size(), 300u);
}

TEST(Data, EvaluationRowsDoNotDependOnTheChunk) {
  const DataSource data(small_run());
  const tasks::Batch all = data.evaluation(1, 9, 0, 10).batch;
  EXPECT_EQ(row(all, 7), row(data.evaluation(1, 9, 7, 1).batch, 0));
}

TEST(Data, PackedRowsOfAllSeedsShareTheirSegments) {
  RunConfiguration run = small_run();
  run.data.context = 60;
  const DataSource data(run);
  std::set<Tokens> layouts;
  for (std::int64_t step = 0; step < 5; ++step) {
    const tasks::PackedBatch first = data.training(1, step);
    const tasks::PackedBatch second = data.training(2, step);
    EXPECT_EQ(first.segment, second.segment);
    EXPECT_NE(first.batch.input, second.batch.input);
    layouts.insert(first.segment);
  }
  EXPECT_EQ(layouts.size(), 5u);  // and lengths are drawn anew
}

TEST(Data, PackedTrainingIsEvaluatedBetweenTheSameMarks) {
  RunConfiguration run = small_run();
  run.data.context = 40;
  const DataSource data(run);
  EXPECT_EQ(data.evaluation_begin(), 1u);
  EXPECT_EQ(data.evaluation_time(13), 15u);
  const tasks::PackedBatch rows = data.evaluation(1, 13, 0, 3);
  EXPECT_TRUE(rows.segment.empty());
  for (std::size_t r = 0; r < 3; ++r) {
    const Tokens tokens = row(rows.batch, r);
    EXPECT_EQ(tokens.front(), data.task()->vocabulary().bos());
    EXPECT_EQ(tokens.back(), data.task()->vocabulary().eos());
  }
}

TEST(Data, RandomTargetsAreUniformValuesWhereThereWasATarget) {
  RunConfiguration run = small_run();
  run.data.lengths = {100, 100};
  run.optimiser.batch = 200;
  const tasks::Batch plain = DataSource(run).training(1, 0).batch;
  run.data.random_targets = true;
  const DataSource data(run);
  const tasks::Batch control = data.training(1, 0).batch;
  EXPECT_EQ(control.input, plain.input);
  std::vector<double> counts(3);
  double valid = 0;
  double agree = 0;
  for (std::size_t i = 0; i < plain.target.size(); ++i) {
    if (plain.target[i] >= data.valid_below()) {
      EXPECT_EQ(control.target[i], plain.target[i]);
      continue;
    }
    ASSERT_GE(control.target[i], 0);
    ASSERT_LT(control.target[i], 3);
    ++counts[static_cast<std::size_t>(control.target[i])];
    agree += control.target[i] == plain.target[i] ? 1 : 0;
    ++valid;
  }
  ASSERT_GT(valid, 10000);
  for (const double count : counts) EXPECT_NEAR(count / valid, 1.0 / 3, 5 * std::sqrt(2.0 / 9 / valid));
  EXPECT_LT(agree / valid, 0.35);
  EXPECT_NE(data.evaluation(1, 100, 0, 200).batch.target, control.target);
}

class DataFile : public testing::Test {
 protected:
  /// Row r is r, r+1, ... modulo 6; its targets are the token itself, none at the end.
  void write(std::size_t rows, const std::function<void(Hdf5Writer&)>& more = {}) const {
    Hdf5Writer file(path());
    Array<std::int32_t> input{{rows, 4}, {}};
    Array<std::int32_t> target{{rows, 4}, {}};
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t t = 0; t < 4; ++t) {
        input.values.push_back(static_cast<std::int32_t>((r + t) % 6));
        target.values.push_back(t == 3 ? -1 : input.values.back());
      }
    }
    file.write("input", input);
    file.write("target", target);
    if (more) more(file);
    file.commit();
  }
  [[nodiscard]] std::string path() const { return folder_.path("rows.h5"); }
  [[nodiscard]] RunConfiguration configuration() const {
    RunConfiguration run = small_run();
    const FileDescription file = describe_file(path());
    run.data = file.data;
    run.architecture.vocabulary = file.vocabulary;
    run.evaluation = {2, {}, 0};
    return run;
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(DataFile, RowsAreTakenInTurnAndTheLastAreHeldOut) {
  write(5);
  const RunConfiguration run = configuration();
  EXPECT_NO_THROW(validate(run));
  EXPECT_EQ(run.architecture.vocabulary, 6);
  const DataSource data(run);
  EXPECT_EQ(data.time(), 4u);
  EXPECT_EQ(data.valid_below(), 6);
  EXPECT_EQ(data.task(), nullptr);
  std::vector<std::int32_t> first;
  for (std::int64_t step = 0; step < 3; ++step) {
    const tasks::Batch batch = data.training(static_cast<std::uint64_t>(step), step).batch;
    for (std::size_t r = 0; r < 2; ++r) first.push_back(row(batch, r)[0]);
  }
  EXPECT_EQ(first, (std::vector<std::int32_t>{0, 1, 2, 0, 1, 2}));
  const tasks::Batch held_out = data.evaluation(9, 4, 0, 2).batch;
  EXPECT_EQ(held_out.input, (Tokens{3, 4, 5, 0, 4, 5, 0, 1}));
  EXPECT_EQ(held_out.target, (Tokens{3, 4, 5, -1, 4, 5, 0, -1}));
}

TEST_F(DataFile, AttributesAndSegmentsAreUsed) {
  write(5, [](Hdf5Writer& file) {
    file.attribute("vocab", 9);
    file.attribute("bos", 4);
    file.attribute("values", 3);
    file.write("segment", Array<std::int32_t>{{5, 4}, std::vector<std::int32_t>(20, 0)});
  });
  RunConfiguration run = configuration();
  run.data.random_targets = true;
  const DataSource data(run);
  EXPECT_EQ(data.vocabulary(), 9);
  EXPECT_EQ(data.valid_below(), 4);
  EXPECT_EQ(data.training(0, 0).segment.size(), 8u);
  EXPECT_EQ(data.evaluation(0, 4, 0, 2).segment.size(), 8u);
  for (const std::int32_t target : data.training(0, 0).batch.target) EXPECT_TRUE(target < 3 || target >= 4);
}

TEST_F(DataFile, WhatDoesNotFitIsRefused) {
  write(5);
  RunConfiguration run = configuration();
  write(6);
  EXPECT_THROW(DataSource{run}, InputError);  // another content
  run = configuration();
  run.evaluation.rows = 6;
  EXPECT_THROW(DataSource{run}, InputError);  // nothing left for training
  run = configuration();
  run.architecture.vocabulary = 5;
  EXPECT_THROW(DataSource{run}, InputError);
  run = configuration();
  run.data.context = 20;
  EXPECT_THROW(validate(run), InputError);
  run = configuration();
  run.evaluation.lengths = {5};
  EXPECT_THROW(validate(run), InputError);
  run = configuration();
  run.data.calibration = true;
  EXPECT_THROW(validate(run), InputError);
  write(5, [](Hdf5Writer& file) { file.attribute("vocab", 5); });
  EXPECT_THROW((void)describe_file(path()), InputError);
  EXPECT_THROW((void)describe_file("/nonexistent.h5"), InputError);
}

TEST_F(DataFile, TheHashIsThatOfTheContent) {
  write(5);
  const std::string hash = describe_file(path()).data.file_hash;
  write(5);
  EXPECT_EQ(describe_file(path()).data.file_hash, hash);
  write(5, [](Hdf5Writer& file) { file.attribute("values", 3); });
  EXPECT_NE(describe_file(path()).data.file_hash, hash);
}

}  // namespace
}  // namespace hyseq::trainers
