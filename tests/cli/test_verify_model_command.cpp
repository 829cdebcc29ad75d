// hyseq verify --model, end to end: constructions, trained runs, refusals, what it prints and keeps.
#include <filesystem>

#include <nlohmann/json.hpp>

#include "tests/cli/program.hpp"

namespace hyseq::cli {
namespace {

using Json = nlohmann::json;

class VerifyModelCommand : public Program {
 protected:
  /// A model file of the construction with these options.
  [[nodiscard]] std::string exported(const std::string& construction) const {
    const std::string file = path("model.h5");
    EXPECT_EQ(run("verify " + construction + " --check margins --export '" + file + "'").code, 0);
    return "--model '" + file + "' ";
  }

  [[nodiscard]] Json searched(const std::string& arguments, int code) const {
    const Outcome outcome = run("verify " + arguments + " --threads 1 --json -");
    EXPECT_EQ(outcome.code, code) << arguments << "\n" << outcome.error;
    return Json::parse(outcome.out, nullptr, false);
  }
};

const char* const kCopy = "--task selective_copy --values 3 --distance-min 0 --distance-count 3 ";

TEST_F(VerifyModelCommand, a_construction_is_certified_for_the_lengths_gone_through) {
  const std::string model = exported("4.3 --level streaming --vocabulary 6 --distances 3");
  const Json json = searched(model + kCopy + "--length 12 --inputs 2000 --store '" + path("store") + "'", 0);
  ASSERT_TRUE(json.is_object());
  EXPECT_EQ(json["theorem"], "model");
  EXPECT_EQ(json["level"], "selective_copy");
  EXPECT_EQ(json["number"], "float");
  EXPECT_EQ(json["parameters"]["values"], 3);
  EXPECT_EQ(json["parameters"]["length"], 12);
  EXPECT_EQ(json["parameters"]["layers"], "SSM,TF");
  EXPECT_EQ(json["verdict"], "certified");
  const std::string scope = json["scope"];
  EXPECT_NE(scope.find("1,554 sequences of up to 4 tokens"), std::string::npos) << scope;
  ASSERT_EQ(json["checks"].size(), 3U);
  EXPECT_EQ(json["checks"][0]["name"], "exhaustive");
  EXPECT_EQ(json["checks"][0]["right_up_to"], 4);
  EXPECT_EQ(json["checks"][1]["name"], "guided");
  EXPECT_GE(json["checks"][1]["sequences"], 2000);
  EXPECT_EQ(json["checks"][2]["name"], "controls");
  for (const Json& control : json["checks"][2]["controls"]) EXPECT_EQ(control["caught"], true);
  const Outcome listed = run("store list --store '" + path("store") + "'");
  EXPECT_EQ(listed.code, 0) << listed.error;
  EXPECT_NE(listed.out.find("model"), std::string::npos) << listed.out;
  const Outcome report = run("report --store '" + path("store") + "' --output '" + path("report.html") + "'");
  EXPECT_EQ(report.code, 0) << report.error;
}

/// A window of 6 tokens keeps its promise up to 7 tokens: a word, its follower, and six more.
TEST_F(VerifyModelCommand, a_failure_is_told_with_tokens_position_and_answers) {
  const std::string model = exported("4.6 --level streaming --bits 1 --window 6");
  const std::string task = "--task decode_recall --bits 1 ";
  EXPECT_EQ(searched(model + task + "--length 7 --inputs 30000", 0)["verdict"], "certified");
  const Json json = searched(model + task + "--length 20 --inputs 6000", 1);
  EXPECT_EQ(json["verdict"], "not shown");
  const Json& failure = json["checks"][1]["failure"];
  EXPECT_EQ(failure["length"], 8);
  EXPECT_EQ(failure["position"], 7);
  EXPECT_EQ(failure["names"].size(), 8U);
  EXPECT_EQ(failure["locally_minimal"], true);
  EXPECT_EQ(failure["shortest"], false) << "7 tokens are out of reach of 6000 sequences";
  EXPECT_NE(failure["expected"], failure["answered"]);
  EXPECT_LT(failure["margin"], 0);
  const Outcome text = run("verify " + model + task + "--length 20 --inputs 6000 --threads 2");
  EXPECT_EQ(text.code, 1);
  EXPECT_EQ(text.out.find("Stored model, decode_recall, float"), 0U) << text.out;
  EXPECT_NE(text.out.find("counterexample: " + json["checks"][1]["counterexample"].get<std::string>()),
            std::string::npos)
      << text.out;
}

TEST_F(VerifyModelCommand, without_a_target_there_is_neither_a_failure_nor_a_pass) {
  const std::string model = exported("4.6 --level streaming --bits 1 --window 6");
  const std::string command = "verify " + model + "--task decode_recall --bits 1 --length 7 --inputs 4 --threads 1";
  const Outcome outcome = run(command);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.out.find("open   exhaustive: Nothing was checked: none of the 4 sequences of up to 1 token has a "
                             "target"),
            std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("passed guided"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find("FAILED"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find("counterexample:"), std::string::npos) << outcome.out;
  const Json json = Json::parse(run(command + " --json -").out);
  EXPECT_EQ(json["checks"][0]["passed"], false);
  EXPECT_EQ(json["checks"][0]["empty"], true);
}

TEST_F(VerifyModelCommand, the_faithful_construction_of_recall_is_asked_what_it_promises) {
  const std::string model = exported("4.6 --level faithful --bits 1 --length 9 --window 9");
  const std::string question = model + "--task decode_recall_last --bits 1 --length 9 --inputs 100000 --positions ";
  const Json json = searched(question + "query", 0);
  EXPECT_EQ(json["verdict"], "certified");
  EXPECT_EQ(json["parameters"]["positions"], "query");
  EXPECT_EQ(json["checks"][0]["sequences"], 512);
  EXPECT_EQ(searched(question + "last --seconds 5", 1)["verdict"], "not shown") << "bits in the context";
}

TEST_F(VerifyModelCommand, a_stored_run_brings_its_task) {
  const std::string store = " --store '" + path("store") + "' ";
  ASSERT_EQ(run("train SSM,TF --task selective_copy --values 3 --distance-min 1 --distance-count 2 --width 4 --state 2 "
                "--rotary-fraction 0.5 --steps 5 --batch 2 --length 8 --eval-rows 4 --seeds 0 --learning-rate 0.01" +
                store)
                .code,
            0);
  std::string id;
  for (const auto& entry : std::filesystem::directory_iterator(path("store") + "/models"))
    id = entry.path().stem().string();
  ASSERT_GE(id.size(), 8U);
  const Json json = searched("--model " + id.substr(0, 8) + store + "--length 8 --seconds 20", 1);
  EXPECT_EQ(json["level"], "selective_copy");
  EXPECT_EQ(json["parameters"]["values"], 3);
  EXPECT_EQ(json["checks"][0]["failure"]["shortest"], true);
  EXPECT_LE(json["checks"][0]["failure"]["length"], 3);
}

TEST_F(VerifyModelCommand, an_interruption_ends_it) {
  const std::string model = exported("4.3 --level streaming --vocabulary 6 --distances 3");
  const Outcome outcome =
      run("verify " + model + kCopy + "--length 40 --seconds 300", "timeout -s INT --preserve-status 1");
  EXPECT_EQ(outcome.code, 130);
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.error.find("interrupted"), std::string::npos) << outcome.error;
}

TEST_F(VerifyModelCommand, refuses_in_one_sentence) {
  const std::string model = exported("4.3 --level streaming --vocabulary 6 --distances 3");
  expect_refused("verify " + model + "--length 4", {"--task is missing"});
  expect_refused("verify --task needle --length 4", {"--model is missing"});
  expect_refused("verify --model /nonexistent.h5 --task needle --length 4", {"/nonexistent.h5"});
  expect_refused("verify " + model + kCopy, {"--length is missing"});
  expect_refused("verify " + model + kCopy + "--length 0", {"--length is '0'", "1 to 65536"});
  expect_refused("verify " + model + kCopy + "--length 2", {"length is 2", "3 or more"});
  expect_refused("verify " + model + kCopy + "--length 4 --seconds 0", {"--seconds is '0'"});
  expect_refused("verify " + model + kCopy + "--length 4 --seconds nan", {"--seconds is 'nan'"});
  expect_refused("verify " + model + kCopy + "--length 4 --inputs 0", {"--inputs is '0'"});
  expect_refused("verify " + model + kCopy + "--length 4 --positions first",
                 {"--positions is 'first'", "every, last, query"});
  expect_refused("verify " + model + kCopy + "--length 4 --positions query", {"'query'", "decode_recall_last alone"});
  expect_refused("verify " + model + kCopy + "--length 4 --engine fast", {"fast"});
  expect_refused("verify " + model + kCopy + "--length 4 --engine lanes --number half", {"half", "lanes", "float"});
  expect_refused("verify " + model + "--task selective_copy --length 12", {"vocabulary has 6 tokens", "31 tokens"});
  expect_refused("verify " + model + "--task rows.h5 --length 4", {"rows.h5", "hyseq tasks list"});
  expect_refused("verify " + model + "--task copying --length 4", {"copying", "selective_copy"});
  expect_refused("verify " + model + kCopy + "--length 4 --bits 2", {"--bits"});
  expect_refused("verify 4.3 " + model + kCopy + "--length 4", {"more arguments"});
  EXPECT_EQ(run("verify " + model + "--help").code, 0);
}

}  // namespace
}  // namespace hyseq::cli
