// Rows by thread, by grouping, by stream and by length; packing.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "tests/tasks/support.hpp"

namespace hyseq::tasks {
namespace {

/// Defaults that make rows long enough to be all different by chance.
std::vector<std::unique_ptr<Task>> all_tasks() {
  std::vector<std::unique_ptr<Task>> tasks;
  for (const TaskInfo& info : catalogue()) tasks.push_back(make_task(info.name));
  return tasks;
}

TEST(Batches, AreTheSameForEveryNumberOfThreads) {
  for (const auto& task : all_tasks()) {
    const Batch alone = sample_rows(*task, kTraining, 0, 1000, {40, 50}, 1);
    for (const std::size_t threads : {2UL, 4UL, 8UL, 2000UL}) {
      const Batch batch = sample_rows(*task, kTraining, 0, 1000, {40, 50}, threads);
      EXPECT_EQ(batch.input, alone.input) << task->name() << ", " << threads << " threads";
      EXPECT_EQ(batch.target, alone.target) << task->name() << ", " << threads << " threads";
    }
    std::set<Tokens> rows;
    for (std::size_t row = 0; row < 1000; ++row) {
      const auto begin = alone.input.begin() + static_cast<std::ptrdiff_t>(row * 50);
      rows.emplace(begin, begin + 50);
    }
    EXPECT_EQ(rows.size(), 1000U) << task->name() << ": no row is drawn twice";
  }
}

TEST(Batches, AreTheSameForEveryGrouping) {
  for (const auto& task : all_tasks()) {
    const Batch whole = sample_rows(*task, kTraining, 10, 30, {40, 50});
    Tokens joined;
    for (std::uint64_t first = 10; first < 40; first += 6) {
      const Batch part = sample_rows(*task, kTraining, first, 6, {40, 50});
      joined.insert(joined.end(), part.input.begin(), part.input.end());
    }
    EXPECT_EQ(joined, whole.input) << task->name();
  }
}

TEST(Batches, TheFirstRowsNeverChange) {
  // Stored results name their data by seed and row; these values were written down when the format was fixed.
  const auto task = make_task("selective_copy");
  const Batch batch = sample_rows(*task, {0, Purpose::training_data}, 0, 1, {12, 12});
  EXPECT_EQ(batch.input, (Tokens{15, 29, 0, 0, 20, 15, 28, 22, 27, 15, 29, 14}));
}

TEST(Batches, StreamsAndSeedsShareNoRow) {
  for (const auto& task : all_tasks()) {
    std::set<Tokens> rows;
    for (const std::uint64_t seed : {1ULL, 2ULL, 1ULL << 33}) {
      for (const Purpose purpose :
           {Purpose::training_data, Purpose::calibration_data, Purpose::evaluation_data, Purpose::verification}) {
        const Batch batch = sample_rows(*task, {seed, purpose}, 0, 100, {60, 60});
        for (std::size_t row = 0; row < 100; ++row) {
          const auto begin = batch.input.begin() + static_cast<std::ptrdiff_t>(row * 60);
          rows.emplace(begin, begin + 60);
        }
      }
    }
    EXPECT_EQ(rows.size(), 3U * 4 * 100) << task->name();
  }
}

TEST(Batches, LengthsAreUniformAndTheRestIsNull) {
  const auto task = make_task("mkar");
  const std::int32_t null = task->vocabulary().null();
  const Batch batch = sample_rows(*task, kTraining, 0, 9000, {21, 29});
  ASSERT_EQ(batch.length, 29U);
  std::vector<std::uint64_t> lengths(9);
  for (std::size_t row = 0; row < batch.rows; ++row) {
    const auto begin = batch.input.begin() + static_cast<std::ptrdiff_t>(row * 29);
    const Tokens input(begin, begin + 29);
    const auto length = std::ranges::find(input, null) - input.begin();
    EXPECT_EQ(std::ranges::count(input, null), 29 - length);
    ++lengths.at(static_cast<std::size_t>(length - 21));
    const Tokens shown(input.begin(), input.begin() + length);
    const auto target = batch.target.begin() + static_cast<std::ptrdiff_t>(row * 29);
    EXPECT_EQ(label(*task, shown), Tokens(target, target + length));
    EXPECT_EQ(std::count(target + length, target + 29, null), 29 - length);
  }
  expect_uniform(lengths, "lengths");
}

TEST(Batches, RefuseBadRequests) {
  const auto task = make_task("selective_copy");
  EXPECT_NE(input_error([&] {
              (void)sample_rows(*task, kTraining, 0, 1, {9, 20});
            }).find("length is 9"),
            std::string::npos);
  EXPECT_NE(input_error([&] { (void)sample_rows(*task, kTraining, 0, 1, {20, 19}); }).find("20"), std::string::npos);
  EXPECT_NE(input_error([&] {
              (void)sample_rows(*task, kTraining, 0, 1, {20, 20}, 0);
            }).find("threads"),
            std::string::npos);
  EXPECT_NE(input_error([&] {
              (void)sample_packed(*task, kTraining, 0, 1, 21, {10, 20});
            }).find("22"),
            std::string::npos);
  const Tokens input{0, 1, 2, 99};
  const std::string text = input_error([&] { (void)label_rows(*task, input, 2, 2, 2); });
  EXPECT_NE(text.find("row 1"), std::string::npos) << text;
}

TEST(Packing, ExamplesStandBetweenTheirMarksAndAreLabelledAlone) {
  for (const auto& task : all_tasks()) {
    const Vocabulary& vocabulary = task->vocabulary();
    const PackedBatch packed = sample_packed(*task, kTraining, 0, 50, 200, {40, 50}, 2);
    std::size_t examples = 0;
    for (std::size_t row = 0; row < 50; ++row) {
      std::size_t i = row * 200;
      const std::size_t end = i + 200;
      std::int32_t segment = 0;
      for (; i < end && packed.segment[i] >= 0; ++segment, ++examples) {
        ASSERT_EQ(packed.batch.input[i], vocabulary.bos());
        Tokens input;
        Tokens target;
        const std::size_t begin = i;
        for (; packed.batch.input[i] != vocabulary.eos(); ++i) {
          ASSERT_EQ(packed.segment[i], segment);
          if (i == begin) continue;
          input.push_back(packed.batch.input[i]);
          target.push_back(packed.batch.target[i]);
        }
        EXPECT_EQ(packed.segment[i], segment);
        EXPECT_EQ(packed.batch.target[begin], vocabulary.null());
        EXPECT_EQ(packed.batch.target[i], vocabulary.null());
        EXPECT_EQ(label(*task, input), target) << task->name();
        EXPECT_TRUE(input.size() >= 40 && input.size() <= 50);
        ++i;
      }
      EXPECT_GE(segment, 3);
      for (; i < end; ++i) {
        ASSERT_EQ(packed.segment[i], -1);
        ASSERT_EQ(packed.batch.input[i], vocabulary.null());
        ASSERT_EQ(packed.batch.target[i], vocabulary.null());
      }
    }
    EXPECT_GE(examples, 150U);
    const PackedBatch again = sample_packed(*task, kTraining, 0, 50, 200, {40, 50}, 7);
    EXPECT_EQ(again.batch.input, packed.batch.input);
    EXPECT_EQ(again.segment, packed.segment);
  }
}

}  // namespace
}  // namespace hyseq::tasks
