#include "trainers/slices.hpp"

#include <map>

#include <gtest/gtest.h>

#include "tasks/registry.hpp"

namespace hyseq::trainers {
namespace {

using Tokens = std::vector<std::int32_t>;
using Names = std::vector<std::string>;

/// The slice of every position by name, "" for none.
Names classify(const std::string& task_name, const tasks::OptionMap& options, const std::string& by,
               const Tokens& input) {
  const auto task = tasks::make_task(task_name, options);
  for (const Slicing& slicing : slicings(*task)) {
    if (slicing.by != by) continue;
    Tokens number(input.size());
    slicing.classify(input, number);
    Names names;
    for (const std::int32_t n : number) names.push_back(n < 0 ? "" : slicing.name(n));
    return names;
  }
  ADD_FAILURE() << task_name << " has no slices by " << by;
  return {};
}

// The inputs are the examples of the tasks' headers.

TEST(Slices, SelectiveCopyByTheDistanceThatGoverns) {
  // V3 V1 #2 V0 #3 V2, distances from 2
  const Tokens input = {3, 1, 26, 0, 27, 2};
  for (const char* task : {"selective_copy", "selective_copy_mixed"})
    EXPECT_EQ(classify(task, {{"distance-min", "2"}}, "distance", input), (Names{"", "", "2", "2", "3", "3"}));
}

TEST(Slices, MkarByDistanceAndEarlierOccurrences) {
  const Tokens input = {0, 1, 2, 0, 1, 1, 2, 0, 1, 2, 0};
  // Answers: at 6 from 3, at 7 from 4, at 8 from 5, at 9 (1 2: at 1..2 and 5..6) from 7, at 10 from 8.
  EXPECT_EQ(classify("mkar", {}, "distance", input),
            (Names{"", "", "", "", "", "", "2-3", "2-3", "2-3", "2-3", "2-3"}));
  EXPECT_EQ(classify("mkar", {}, "key", input), (Names{"", "", "", "", "", "", "1", "1", "1", "2-3", "2-3"}));
  const Names all_edges = classify("mkar", {{"published-edges", "0"}}, "key", input);
  EXPECT_EQ(all_edges[4], "1");    // 0 1 stood at 0..1
  EXPECT_EQ(all_edges[8], "2-3");  // and at 3..4
}

TEST(Slices, DecodeRecallByDistance) {
  // V2 V3 #1 #0 V2 V1 #1, two bits
  EXPECT_EQ(classify("decode_recall", {{"bits", "2"}}, "distance", {2, 3, 5, 4, 2, 1, 5}),
            (Names{"", "", "", "2-3", "2-3", "0", "0"}));
  // V2 V0 V2 V1 V2 #1 #0
  EXPECT_EQ(classify("decode_recall_last", {{"bits", "2"}}, "distance", {2, 0, 2, 1, 2, 5, 4}),
            (Names{"", "", "", "", "", "", "2-3"}));
}

TEST(Slices, NeedlesByDepth) {
  // V7 #0 V3 V9 #1
  EXPECT_EQ(classify("needle", {}, "depth", {7, 100, 3, 9, 101}), Names(5, "0.2-0.3"));
  EXPECT_EQ(classify("needle", {}, "depth", {7, 3, 9}), Names(3, ""));
  // K0 V5 K1 V2 V9 V0 V4 K1
  const Tokens grid = {100, 5, 101, 2, 9, 0, 4, 101};
  const tasks::OptionMap two = {{"needles", "2"}};
  EXPECT_EQ(classify("needle_grid", two, "distance", grid), (Names{"", "", "", "", "", "", "", "4-7"}));
  EXPECT_EQ(classify("needle_grid", two, "depth", grid), (Names{"", "", "", "", "", "", "", "0.3-0.4"}));
}

TEST(Slices, MqarByPairAndDistance) {
  // V3 V6 V1 V4 V1 V0 V3 V0 V0
  const tasks::OptionMap options = {{"vocabulary", "8"}, {"pairs", "2"}};
  const Tokens input = {3, 6, 1, 4, 1, 0, 3, 0, 0};
  EXPECT_EQ(classify("mqar", options, "key", input), (Names{"", "", "", "", "1", "", "0", "", ""}));
  EXPECT_EQ(classify("mqar", options, "distance", input), (Names{"", "", "", "", "1", "", "4-7", "", ""}));
}

TEST(Slices, EveryTaskHasSlicesForItsTargets) {
  for (const tasks::TaskInfo& info : tasks::catalogue()) {
    const auto task = tasks::make_task(info.name);
    Tokens input(100);
    Tokens target(100);
    RandomStream stream({1, Purpose::verification}, 0);
    task->sample(stream, input);
    task->label(input, target);
    const std::vector<Slicing> all = slicings(*task);
    EXPECT_FALSE(all.empty()) << info.name;
    for (const Slicing& slicing : all) {
      Tokens number(input.size());
      slicing.classify(input, number);
      for (std::size_t t = 0; t < input.size(); ++t) {
        if (target[t] < task->vocabulary().bos()) {
          EXPECT_GE(number[t], 0) << info.name << " by " << slicing.by << " at " << t;
        }
      }
    }
  }
}

}  // namespace
}  // namespace hyseq::trainers
