// Options: each one reaches the data, and what is wrong is refused in one sentence with the value and the allowed
// range.
#include <map>

#include <gtest/gtest.h>

#include "tests/tasks/support.hpp"

namespace hyseq::tasks {
namespace {

/// Another value for every option of every task; the test fails when a new option has no entry here.
const std::map<std::string, OptionMap> kOthers = {
    {"selective_copy", {{"values", "25"}, {"distance-min", "4"}, {"distance-count", "4"}, {"number-share", "0.25"}}},
    {"selective_copy_mixed",
     {{"values", "25"},
      {"distance-min", "4"},
      {"distance-count", "4"},
      {"sparse-share", "0.2"},
      {"number-share", "0.3"}}},
    {"mkar", {{"values", "7"}, {"key-length", "1"}, {"published-edges", "0"}}},
    {"decode_recall", {{"bits", "4"}, {"bit-share", "0.3"}}},
    {"decode_recall_last", {{"bits", "4"}, {"bit-share", "0.1"}}},
    {"needle", {{"values", "99"}}},
    {"needle_grid", {{"values", "99"}, {"needles", "2"}, {"depth", "0.6"}}},
    {"mqar", {{"vocabulary", "100"}, {"pairs", "9"}, {"gap-exponent", "0.9"}, {"random-filler", "1"}}},
};

TEST(Options, EveryOneChangesTheData) {
  for (const TaskInfo& info : catalogue()) {
    const auto plain_task = make_task(info.name);
    const Batch plain = sample_rows(*plain_task, kTraining, 0, 200, {60, 60});
    for (const OptionInfo& option : info.options) {
      const std::string other = kOthers.at(info.name).at(option.name);
      const auto other_task = make_task(info.name, {{option.name, other}});
      const Batch changed = sample_rows(*other_task, kTraining, 0, 200, {60, 60});
      EXPECT_TRUE(plain.input != changed.input || plain.target != changed.target) << info.name << " " << option.name;
      // The default, written out, is the default.
      const auto same_task = make_task(info.name, {{option.name, option.default_value}});
      EXPECT_EQ(sample_rows(*same_task, kTraining, 0, 200, {60, 60}).input, plain.input) << info.name;
    }
    EXPECT_EQ(info.options.size(), kOthers.at(info.name).size()) << info.name;
    // Each option is stored under exactly one parameter.
    EXPECT_EQ(plain_task->parameters().size(), info.options.size()) << info.name;
  }
}

TEST(Options, UnknownNamesAreRefused) {
  EXPECT_NE(input_error([] { (void)make_task("parity"); }).find("'parity'"), std::string::npos);
  for (const TaskInfo& info : catalogue()) {
    const std::string text = input_error([&] { (void)make_task(info.name, {{"colour", "1"}}); });
    EXPECT_NE(text.find("'colour'"), std::string::npos);
    for (const OptionInfo& option : info.options) EXPECT_NE(text.find(option.name), std::string::npos) << text;
  }
}

TEST(Options, BadValuesAreNamedWithTheirRange) {
  const auto refused = [](const std::string& task, const OptionMap& options, const std::vector<std::string>& parts) {
    const std::string text = input_error([&] { (void)make_task(task, options); });
    for (const std::string& part : parts) EXPECT_NE(text.find(part), std::string::npos) << text << " lacks " << part;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  };
  for (const std::string bad : {"-0.1", "1.1", "nan", "inf", "half", "", "0.2x", " 0.2", "1e999"}) {
    refused("selective_copy", {{"number-share", bad}}, {"number-share", "'" + bad + "'", "0 to 1"});
    refused("decode_recall", {{"bit-share", bad}}, {"bit-share", "'" + bad + "'", "0 to 1"});
  }
  for (const std::string bad : {"0", "-1", "1.5", "2e1", "x", "", "99999999999999999999"}) {
    refused("decode_recall", {{"bits", bad}}, {"bits", "'" + bad + "'", "1 to 24"});
    refused("decode_recall_last", {{"bits", bad}}, {"bits", "'" + bad + "'", "1 to 24"});
    refused("mkar", {{"key-length", bad}}, {"key-length", "'" + bad + "'"});
    refused("selective_copy", {{"distance-count", bad}}, {"distance-count", "'" + bad + "'"});
    for (const TaskInfo& info : catalogue()) {
      const std::string size = info.name == "mqar" ? "vocabulary" : "values";
      if (kOthers.at(info.name).contains(size)) refused(info.name, {{size, bad}}, {size, "'" + bad + "'"});
    }
  }
  refused("selective_copy", {{"distance-min", "-1"}}, {"distance-min", "'-1'", "0 to 1000000"});
  refused("mkar", {{"published-edges", "False"}}, {"published-edges", "'False'", "0 to 1"});
  refused("mqar", {{"vocabulary", "16"}, {"pairs", "8"}}, {"pairs is 8", "1 to 7"});  // 8 keys from a pool of 7
  EXPECT_NE(make_task("mqar", {{"vocabulary", "16"}, {"pairs", "7"}}), nullptr);
}

TEST(Options, LengthsThatCannotHoldTheTaskAreRefused) {
  const auto shortest = [](const std::string& name, const OptionMap& options, std::size_t length) {
    const auto task = make_task(name, options);
    EXPECT_NO_THROW((void)sample_rows(*task, kTraining, 0, 20, {length, length})) << name;
    const std::string text = input_error([&] { task->check_length(length - 1); });
    EXPECT_NE(text.find(std::to_string(length - 1)), std::string::npos) << text;
    EXPECT_NE(text.find(name), std::string::npos) << text;
    Tokens input(length - 1);
    RandomStream stream(kTraining, 0);
    EXPECT_THROW(task->sample(stream, input), InputError) << name;
  };
  shortest("selective_copy", {}, 10);
  shortest("selective_copy_mixed", {{"distance-count", "1"}}, 6);
  shortest("mkar", {{"key-length", "3"}}, 4);
  shortest("decode_recall", {}, 2);
  shortest("decode_recall_last", {}, 7);
  shortest("needle", {}, 2);
  shortest("needle_grid", {}, 4);
  shortest("needle_grid", {{"needles", "3"}, {"depth", "1"}}, 8);
  shortest("needle_grid", {{"needles", "5"}, {"depth", "0"}}, 12);
  shortest("mqar", {}, 32);
  EXPECT_NE(input_error([] {
              make_task("needle_grid", {{"needles", "32"}})->check_length(64);
            }).find("1 to 31"),
            std::string::npos);
}

TEST(Vocabularies, NameTheirTokens) {
  const auto names = [](const std::string& name, const OptionMap& options) {
    const auto task = make_task(name, options);
    std::string text;
    for (std::int32_t id = 0; id < task->vocabulary().size(); ++id) text += task->vocabulary().name(id) + " ";
    EXPECT_THROW((void)task->vocabulary().name(task->vocabulary().size()), InputError);
    EXPECT_THROW((void)task->vocabulary().name(-1), InputError);
    return text;
  };
  EXPECT_EQ(names("selective_copy", {{"values", "2"}, {"distance-count", "2"}}), "V0 V1 #5 #6 <bos> <eos> <null> ");
  EXPECT_EQ(names("mkar", {{"values", "2"}}), "V0 V1 <bos> <eos> <null> ");
  EXPECT_EQ(names("decode_recall", {{"bits", "1"}}), "V0 V1 #0 #1 <bos> <eos> <null> ");
  EXPECT_EQ(names("needle", {{"values", "1"}}), "V0 #0 #1 <bos> <eos> <null> ");
  EXPECT_EQ(names("needle_grid", {{"values", "1"}, {"needles", "2"}}), "V0 K0 K1 <bos> <eos> <null> ");
  EXPECT_EQ(names("mqar", {{"vocabulary", "4"}, {"pairs", "1"}}), "V0 V1 V2 V3 <bos> <eos> <null> ");
}

}  // namespace
}  // namespace hyseq::tasks
