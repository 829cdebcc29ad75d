// hyseq train and eval, end to end.
#include <csignal>
#include <filesystem>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels/base/hdf5_file.hpp"
#include "tests/cli/program.hpp"

namespace hyseq::cli {
namespace {

using Json = nlohmann::json;

class TrainCommand : public Program {
 protected:
  /// A run of a second or less on any engine.
  static constexpr const char* kSmall =
      "train SSM,TF --task selective_copy --values 3 --distance-min 1 --distance-count 2 --width 4 --state 2 "
      "--rotary-fraction 0.5 --steps 6 --batch 2 --length 7..9 --eval-rows 20 --curve-every 2 ";

  [[nodiscard]] std::string stored() const { return "--store '" + path("store") + "' "; }

  [[nodiscard]] Json train(const std::string& more) const {
    const Outcome outcome = run(kSmall + stored() + more + " --json -");
    EXPECT_EQ(outcome.code, 0) << outcome.error;
    return outcome.code == 0 ? Json::parse(outcome.out) : Json{};
  }
};

TEST_F(TrainCommand, TrainsAllCombinationsOnceAndKeepsThem) {
  const Json first = train("--learning-rate 0.01,0.03 --seeds 3..4 --threads 2 --eval-lengths 12");
  EXPECT_EQ(first["trained"], 4);
  ASSERT_EQ(first["runs"].size(), 4U);
  std::vector<std::pair<double, int>> combinations;
  for (const Json& run : first["runs"]) {
    combinations.emplace_back(run["configuration"]["optimiser"]["learning_rate"], run["seed"]);
    EXPECT_EQ(run["steps"], 6);
    EXPECT_EQ(run["evaluations"][0]["name"], "final");
    EXPECT_EQ(run["evaluations"][1]["name"], "length 12");
    EXPECT_EQ(run["configuration"]["data"]["options"]["values"], "3");
  }
  EXPECT_EQ(combinations, (std::vector<std::pair<double, int>>{{0.01, 3}, {0.01, 4}, {0.03, 3}, {0.03, 4}}));
  const Json again = train("--learning-rate 0.01,0.03 --seeds 3..5 --threads 1 --eval-lengths 12");
  EXPECT_EQ(again["trained"], 2);
  EXPECT_EQ(again["runs"][0], first["runs"][0]);
  EXPECT_EQ(again["runs"].size(), 6U);
  EXPECT_TRUE(std::filesystem::is_empty(path("store/checkpoints")));
}

TEST_F(TrainCommand, EveryOptionReachesTheConfiguration) {
  const Json plain = train("");
  const auto identity = [](const Json& json) { return json["runs"][0]["id"]; };
  for (const char* option : {"--number-share 0.3",
                             "--kernel 2",
                             "--window 3",
                             "--residual sequential",
                             "--activation gelu",
                             "--seed 9",
                             "--learning-rate 0.5",
                             "--warmup 2",
                             "--decay cosine",
                             "--weight-decay 0",
                             "--decay-policy matrices",
                             "--clip 0",
                             "--context 30",
                             "--random-targets",
                             "--calibration",
                             "--dropout-embedding 0.5",
                             "--dropout-probabilities 0.5",
                             "--dropout-attention 0.5",
                             "--dropout-mlp 0.5",
                             "--initial-scale 0.1",
                             "--random-step",
                             "--eval-every 3",
                             "--number double --engine reference"}) {
    EXPECT_NE(identity(train(option)), identity(plain)) << option;
  }
}

TEST_F(TrainCommand, WeightsOfARunAreEvaluatedWithWhatItWasTrainedOn) {
  const Json trained = train("--seed 5");
  const std::string id = trained["runs"][0]["id"];
  const Outcome outcome = run("eval --model " + id.substr(0, 8) + " " + stored() + "--rows 20 --json -");
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  const Json evaluated = Json::parse(outcome.out);
  EXPECT_EQ(evaluated["task"], "selective_copy");
  EXPECT_EQ(evaluated["seed"], 5);
  const Json& found = evaluated["evaluations"][0];
  const Json& expected = trained["runs"][0]["evaluations"][0];
  EXPECT_EQ(found["length"], 9);
  EXPECT_EQ(found["positions"]["valid"], expected["positions"]["valid"]);
  EXPECT_NEAR(found["loss"].get<double>(), expected["loss"].get<double>(), 1e-5);
  EXPECT_EQ(found["slices"][0]["by"], "distance");

  const std::string file = path("store/models/" + id + ".h5");
  const Outcome lengths = run("eval --model '" + file +
                              "' --task selective_copy --values 3 --distance-min 1 --distance-count 2 --lengths "
                              "7..11 --length-step 2 --rows 5 --json -");
  ASSERT_EQ(lengths.code, 0) << lengths.error;
  const Json all = Json::parse(lengths.out)["evaluations"];
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[2]["length"], 11);
  EXPECT_EQ(all[2]["rows"], 5);
  EXPECT_EQ(run("eval --model '" + file +
                "' --task selective_copy --values 3 --distance-min 1 --distance-count 2 "
                "--lengths 9 --rows 5")
                .code,
            0);
  expect_refused("eval --model '" + file + "' --task mkar --lengths 9", {"vocabulary"});
  expect_refused("eval --model '" + file + "' --task selective_copy --values 3 --distance-min 1 --distance-count 2",
                 {"--lengths is missing"});
  expect_refused("eval --model ffff " + stored(), {"'ffff'", "neither"});
}

TEST_F(TrainCommand, TrainsOnADataFile) {
  ASSERT_EQ(run("tasks sample mkar --values 4 --length 12 --rows 16 --seed 1 --output '" + path("rows.h5") + "'").code,
            0);
  const std::string command =
      "train TF --task '" + path("rows.h5") + "' --width 4 --rotary-fraction 0.5 --steps 3 " + stored() + "--json -";
  const Outcome outcome = run(command);
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  const Json record = Json::parse(outcome.out)["runs"][0];
  EXPECT_EQ(record["configuration"]["architecture"]["vocabulary"], 7);
  EXPECT_EQ(record["evaluations"][0]["rows"], 4);
  EXPECT_EQ(record["evaluations"][0]["length"], 12);
  expect_refused(command + " --length 9", {"--length is given"});
}

TEST_F(TrainCommand, InterruptEndsCleanlyAndGoesOn) {
  std::string command = kSmall + stored() + "--checkpoint-every 5";
  command.replace(command.find("--steps 6"), 9, "--steps 2000000");
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const std::string shell = "exec '" HYSEQ_PROGRAM "' " + command + " >/dev/null 2>'" + path("stderr") + "'";
    execl("/bin/sh", "sh", "-c", shell.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  const std::filesystem::path checkpoints = path("store/checkpoints");
  for (int i = 0; i < 2000 && !(std::filesystem::exists(checkpoints) && !std::filesystem::is_empty(checkpoints)); ++i)
    usleep(5000);
  kill(child, SIGTERM);
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 130);
  EXPECT_TRUE(std::filesystem::is_empty(path("store/runs")));
  std::size_t whole = 0;
  for (const auto& entry : std::filesystem::directory_iterator(checkpoints)) {
    EXPECT_GE(Hdf5Reader(entry.path().string()).integer_attribute("step"), 5);
    ++whole;
  }
  EXPECT_EQ(whole, 1U);
  EXPECT_TRUE(std::filesystem::is_empty(path("store/claims")));
}

TEST_F(TrainCommand, RefusalsAreOneSentence) {
  const std::string small = kSmall + stored();
  expect_refused(small + "--checkpoint-seconds -1", {"--checkpoint-seconds is '-1'"});
  expect_refused("train --task mkar --width 4", {"architecture is missing"});
  expect_refused("train TF --width 4 --store x", {"--task is missing"});
  expect_refused("train TF --task copying --width 4 --store x", {"copying", "selective_copy"});
  expect_refused("train TF --task /nonexistent.h5 --width 4 --store x", {"/nonexistent.h5"});
  expect_refused("train TF --task mkar --store x", {"--width is missing"});
  expect_refused("train TF --task mkar --width 8", {"--store is missing"});
  expect_refused(small + "--learning-rate 0.1,x", {"--learning-rate is 'x'"});
  expect_refused(small + "--seeds 4..3", {"--seeds is '4..3'"});
  expect_refused(small + "--seeds 1..2 --seed 3", {"--seeds or --seed"});
  expect_refused(small + "--warmup 7", {"--warmup is '7'", "0 to 6"});
  expect_refused(small + "--context 5", {"context is 5"});
  expect_refused(small + "--bits 3", {"--bits"});
  expect_refused(small + "--engine fast", {"engine", "fast"});
  expect_refused(small + "--decay slow", {"--decay is 'slow'"});
  expect_refused(small + "--eval-lengths 1", {"length is 1"});
}

}  // namespace
}  // namespace hyseq::cli
