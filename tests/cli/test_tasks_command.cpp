#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "kernels/base/hdf5_file.hpp"
#include "tasks/batch.hpp"
#include "tasks/registry.hpp"
#include "tests/cli/program.hpp"

namespace hyseq::cli {
namespace {

class TasksCommand : public Program {};

TEST_F(TasksCommand, HelpIsEverywhere) {
  EXPECT_NE(run("--help").out.find("tasks"), std::string::npos);
  for (const std::string arguments :
       {"--help", "tasks --help", "tasks list --help", "tasks show --help", "tasks sample --help", "tasks label --help",
        "tasks show mkar --help", "tasks sample mkar --rows 3 --help", "tasks label mkar -h"}) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 0) << arguments;
    EXPECT_TRUE(outcome.out.starts_with("usage: hyseq")) << outcome.out;
    EXPECT_EQ(outcome.error, "") << arguments;
  }
  for (const tasks::TaskInfo& task : tasks::catalogue()) {
    const Outcome outcome = run("tasks sample " + task.name + " --help");
    for (const tasks::OptionInfo& option : task.options) {
      EXPECT_NE(outcome.out.find("--" + option.name), std::string::npos) << task.name;
      EXPECT_NE(outcome.out.find("(=" + option.default_value + ")"), std::string::npos) << task.name;
    }
  }
}

TEST_F(TasksCommand, ListNamesEveryTask) {
  const Outcome text = run("tasks list");
  const Outcome json = run("tasks list --json -");
  EXPECT_EQ(text.code, 0);
  const auto list = nlohmann::json::parse(json.out).at("tasks");
  ASSERT_EQ(list.size(), tasks::catalogue().size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    EXPECT_EQ(list[i].at("name"), tasks::catalogue()[i].name);
    EXPECT_NE(text.out.find(tasks::catalogue()[i].name), std::string::npos);
  }
}

TEST_F(TasksCommand, ShowAlignsInputAndTarget) {
  for (const tasks::TaskInfo& task : tasks::catalogue()) {
    const Outcome outcome = run("tasks show " + task.name + " --rows 4", "COLUMNS=70");
    ASSERT_EQ(outcome.code, 0) << outcome.error;
    std::istringstream lines(outcome.out);
    std::string line;
    std::getline(lines, line);  // the heading
    std::size_t rows = 0;
    std::size_t tokens = 0;
    std::size_t width = 0;
    while (std::getline(lines, line)) {
      EXPECT_LE(line.size(), 70U) << line;
      if (line.starts_with("row")) ++rows;
      if (line.starts_with("position")) {
        width = line.size();
        std::istringstream words(line.substr(8));
        for (std::string word; words >> word;) ++tokens;
      }
      if (line.starts_with("input") || line.starts_with("target")) {
        EXPECT_EQ(line.size(), width) << line;
      }
    }
    EXPECT_EQ(rows, 4U) << task.name;
    EXPECT_EQ(tokens, 4U * 40) << task.name;
  }
  const Outcome copy = run("tasks show selective_copy --rows 1 --length 30");
  EXPECT_NE(copy.out.find(" #5"), std::string::npos) << copy.out;
  EXPECT_NE(copy.out.find(" V"), std::string::npos) << copy.out;
}

TEST_F(TasksCommand, SampleWritesWhatTheLibraryDraws) {
  const std::string file = path("data.h5");
  const Outcome outcome =
      run("tasks sample decode_recall --bits 3 --bit-share 0.3 --length 50 --rows 20 --seed 7 "
          "--stream evaluation --first-row 5 --threads 2 --output '" +
          file + "'");
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  const auto task = tasks::make_task("decode_recall", {{"bits", "3"}, {"bit-share", "0.3"}});
  const tasks::Batch batch = tasks::sample_rows(*task, {7, Purpose::evaluation_data}, 5, 20, {50, 50});
  const Hdf5Reader reader(file);
  EXPECT_EQ(reader.read_integers("input").shape, (std::vector<std::size_t>{20, 50}));
  EXPECT_EQ(reader.read_integers("input").values, batch.input);
  EXPECT_EQ(reader.read_integers("target").values, batch.target);
  EXPECT_EQ(reader.text_attribute("task"), "decode_recall");
  EXPECT_EQ(reader.text_attribute("kind"), "random");
  EXPECT_EQ(reader.text_attribute("stream"), "evaluation");
  EXPECT_EQ(reader.real_attribute("p"), 0.3);
  const std::vector<std::pair<std::string, std::int64_t>> integers = {
      {"format", 1}, {"rows", 20}, {"L", 50},    {"seed", 7}, {"vocab", 13},   {"values", 8},
      {"bos", 10},   {"eos", 11},  {"null", 12}, {"bits", 3}, {"first_row", 5}};
  for (const auto& [name, value] : integers) EXPECT_EQ(reader.integer_attribute(name), value) << name;
}

TEST_F(TasksCommand, SampledFilesAreTheSameForEveryNumberOfThreads) {
  for (const std::string threads : {"1", "2", "8"}) {
    const Outcome outcome = run("tasks sample selective_copy --length 20..30 --rows 1000 --seed 3 --threads " +
                                threads + " --output '" + path(threads + ".h5") + "'");
    ASSERT_EQ(outcome.code, 0) << outcome.error;
  }
  const auto input = [&](const std::string& name) { return Hdf5Reader(path(name)).read_integers("input").values; };
  EXPECT_EQ(input("1.h5"), input("2.h5"));
  EXPECT_EQ(input("1.h5"), input("8.h5"));
}

TEST_F(TasksCommand, SamplePacksExamples) {
  const std::string file = path("packed.h5");
  const Outcome outcome =
      run("tasks sample mkar --length 10..20 --context 100 --rows 5 --seed 1 --output '" + file + "'");
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  const Hdf5Reader reader(file);
  EXPECT_EQ(reader.read_integers("input").shape, (std::vector<std::size_t>{5, 100}));
  const Array<std::int32_t> segment = reader.read_integers("segment");
  EXPECT_EQ(segment.values.at(0), 0);
  EXPECT_GE(*std::max_element(segment.values.begin(), segment.values.end()), 3);
}

TEST_F(TasksCommand, LabelAgreesWithTheGoldenFiles) {
  const auto check = [&](const std::string& name, const std::string& task) {
    const std::string golden = std::string(HYSEQ_GOLDEN_DIR) + "/" + name;
    const Outcome outcome = run("tasks label " + task + " --input '" + golden + "' --output '" + path("t.h5") + "'");
    ASSERT_EQ(outcome.code, 0) << outcome.error;
    EXPECT_EQ(Hdf5Reader(path("t.h5")).read_integers("target").values,
              Hdf5Reader(golden).read_integers("target").values)
        << name;
  };
  check("tasks_selective_copy_n8_lo3_count9_p05_L128.h5",
        "selective_copy --values 8 --distance-min 3 --distance-count 9");
  check("tasks_mkar_edge_k2_alledges.h5", "mkar --values 24 --key-length 2 --published-edges 0");
  check("tasks_decode_recall_b3_L100.h5", "decode_recall --bits 3");
  check("tasks_decode_recall_last_b4_L64.h5", "decode_recall_last --bits 4");
  check("tasks_needle_n5_L65.h5", "needle --values 5");
}

TEST_F(TasksCommand, BadUsageIsOneSentence) {
  expect_refused("dance", {"'dance'", "tasks"});
  expect_refused("tasks", {"list"});
  expect_refused("tasks dance", {"dance", "show"});
  expect_refused("tasks show", {"TASK"});
  expect_refused("tasks show parity", {"'parity'", "mkar"});
  expect_refused("tasks show mkar --bits 3", {"--bits"});
  expect_refused("tasks show mkar --row 3", {"--row"});  // no abbreviations
  expect_refused("tasks show mkar --rows 1 --rows 2", {"--rows"});
  expect_refused("tasks show mkar --rows", {"--rows"});
  expect_refused("tasks show mkar --rows 0", {"--rows", "'0'"});
  expect_refused("tasks show mkar extra", {"more arguments"});
  expect_refused("tasks show mkar --seed -1", {"--seed", "'-1'"});
  expect_refused("tasks show mkar --stream test", {"'test'", "evaluation"});
  expect_refused("tasks show mkar --length 5..4", {"--length", "'5..4'"});
  expect_refused("tasks show selective_copy --length 9", {"length is 9", "10 or more"});
  expect_refused("tasks show selective_copy --number-share 1.5", {"number-share", "'1.5'", "0 to 1"});
  expect_refused("tasks show decode_recall --bits 0", {"bits", "'0'"});
  expect_refused("tasks show mqar --vocabulary 16 --pairs 8", {"pairs is 8", "1 to 7"});
  expect_refused("tasks sample mkar --length 20 --rows 3", {"--output"});
  expect_refused("tasks sample mkar --rows 3 --output x.h5", {"--length"});
  expect_refused("tasks label mkar --input none.h5 --output x.h5", {"'none.h5'"});
}

TEST_F(TasksCommand, BadInputFilesAreRefused) {
  {
    Hdf5Writer writer(path("bad.h5"));
    writer.write("input", Array<std::int32_t>{{2, 4}, {0, 1, 2, 3, 4, 5, 6, 99}});
    writer.commit();
    Hdf5Writer flat(path("flat.h5"));
    flat.write("input", Array<std::int32_t>{{4}, {0, 1, 2, 3}});
    flat.commit();
  }
  expect_refused("tasks label mkar --input '" + path("bad.h5") + "' --output '" + path("t.h5") + "'",
                 {"row 1", "position 3", "99"});
  expect_refused("tasks label mkar --input '" + path("flat.h5") + "' --output '" + path("t.h5") + "'", {"[rows, L]"});
  EXPECT_FALSE(std::filesystem::exists(path("t.h5")));
}

TEST_F(TasksCommand, AMissingFolderIsBadUsageAndAnUnwritableOutputIsTheEnvironment) {
  const std::string sample = "tasks sample mkar --length 20 --rows 3 --seed 1 --output '";
  expect_refused(sample + path("no/such/x.h5") + "'", {"--output is", "no/such", "does not exist"});
  expect_refused("tasks list --json '" + path("no/such/x.json") + "'", {"--json is", "no/such", "does not exist"});
  std::filesystem::create_directory(path("taken.h5"));
  expect_refused(sample + path("taken.h5") + "'", {"taken.h5"}, 3);
}

}  // namespace
}  // namespace hyseq::cli
