// hyseq sweep, collect and store on training runs, end to end: kills, interruptions, processes side by side.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <nlohmann/json.hpp>

#include "kernels/base/hdf5_file.hpp"
#include "tests/cli/program.hpp"

namespace hyseq::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// 2 points, 2 rates on 2 seeds, 3 final seeds: 8 + 6 runs of `steps` steps (calibration: half).
std::string preset(int steps) {
  return R"(seeds = "0..2"
[task]
name = "selective_copy"
values = 3
distance-min = 1
distance-count = 2
[data]
length = 12
[optimiser]
warmup = 1
batch = 2
steps = )" +
         std::to_string(steps) + R"(
[evaluation]
rows = 8
[run]
engine = "auto"
[[grid]]
model.layers = ["SSM,TF", "TF"]
model.width = 4
[calibration]
learning_rates = [1e-3, 1e-2]
seeds = [10, 11]
steps = )" +
         std::to_string(steps / 2) + "\n";
}
constexpr std::size_t kRuns = 14;

class SweepCommand : public Program {
 protected:
  void SetUp() override {
    Program::SetUp();
    write_preset(20);
  }

  void write_preset(int steps) const { std::ofstream(path("tiny.toml")) << preset(steps); }

  [[nodiscard]] std::string sweep(const std::string& store, const std::string& more = "") const {
    return "sweep '" + path("tiny.toml") + "' --store '" + path(store) + "' " + more;
  }

  [[nodiscard]] Json sweep_json(const std::string& store, const std::string& more = "") const {
    const Outcome outcome = run(sweep(store, more + " --json -"));
    EXPECT_EQ(outcome.code, 0) << outcome.error;
    return Json::parse(outcome.out);
  }

  /// Ids of the finished runs and when their files were written.
  [[nodiscard]] std::map<std::string, fs::file_time_type> finished(const std::string& store) const {
    std::map<std::string, fs::file_time_type> runs;
    const fs::path folder = fs::path(path(store)) / "runs";
    if (fs::is_directory(folder))
      for (const auto& entry : fs::directory_iterator(folder))
        if (entry.path().extension() == ".h5") runs[entry.path().stem().string()] = entry.last_write_time();
    return runs;
  }

  /// The program without a shell in between, so that a signal reaches it.
  [[nodiscard]] pid_t start(const std::string& store, const std::string& threads = "2") const {
    const std::string file = path("tiny.toml");
    const std::string folder = path(store);
    const pid_t child = fork();
    if (child == 0) {
      const int nothing = open("/dev/null", O_RDWR);
      for (const int stream : {0, 1, 2}) dup2(nothing, stream);
      execl(HYSEQ_PROGRAM, "hyseq", "sweep", file.c_str(), "--store", folder.c_str(), "--threads", threads.c_str(),
            "--checkpoint-seconds", "0.02", nullptr);
      _exit(127);
    }
    return child;
  }
};

int wait_for(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

TEST_F(SweepCommand, TrainsOnceCollectsAndLists) {
  const Json plan = sweep_json("store", "--dry-run");
  EXPECT_EQ(plan["runs"]["total"], kRuns);
  EXPECT_EQ(plan["runs"]["calibration"], 8);
  EXPECT_EQ(plan["runs"]["stored"], 0);
  EXPECT_GE(plan["cohorts_left"], 4);
  EXPECT_GT(plan["seconds_left"], 0);
  EXPECT_FALSE(fs::exists(path("store")));

  const Json first = sweep_json("store");
  EXPECT_EQ(first["runs"]["trained"], kRuns);
  EXPECT_EQ(first["points"].size(), 2u);
  for (const Json& point : first["points"]) {
    EXPECT_TRUE(point["learning_rate"].is_number());
    EXPECT_EQ(point["runs"].size(), 3u);
    EXPECT_GE(point["accuracy"], 0);
  }
  const auto before = finished("store");
  EXPECT_EQ(before.size(), kRuns);
  EXPECT_EQ(sweep_json("store")["runs"]["trained"], 0);
  EXPECT_EQ(finished("store"), before);

  const Outcome collect = run("collect --store '" + path("store") + "' --store '" + path("store") + "' --output '" +
                              path("all.h5") + "' --csv '" + path("all.csv") + "'");
  EXPECT_EQ(collect.code, 0) << collect.error;
  EXPECT_NE(collect.out.find("14 runs"), std::string::npos) << collect.out;
  EXPECT_TRUE(fs::exists(path("all.h5")));
  EXPECT_EQ(read("all.csv").substr(0, 10), "id,layers,");

  const Outcome list = run("store list --store '" + path("store") + "' --json -");
  EXPECT_EQ(Json::parse(list.out)["runs"].size(), kRuns);
  const std::string id = before.begin()->first;
  const Outcome show = run("store show " + id.substr(0, 12) + " --store '" + path("store") + "'");
  EXPECT_EQ(show.code, 0) << show.error;
  EXPECT_NE(show.out.find(id), std::string::npos);
  EXPECT_NE(run("store list --store '" + path("store") + "'").out.find("14 training runs"), std::string::npos);
}

TEST_F(SweepCommand, ShardsAreDisjointAndComplete) {
  std::size_t trained = 0;
  for (const std::string shard : {"1/2", "2/2"}) {
    const Json outcome = sweep_json("store" + shard.substr(0, 1), "--shard " + shard);
    EXPECT_EQ(outcome["points"].size(), 1u);
    trained += outcome["runs"]["trained"].get<std::size_t>();
  }
  EXPECT_EQ(trained, kRuns);
  const Outcome collect = run("collect --store '" + path("store1") + "' --store '" + path("store2") + "' --output '" +
                              path("all.h5") + "'");
  EXPECT_NE(collect.out.find("14 runs"), std::string::npos) << collect.out;
}

TEST_F(SweepCommand, ALimitIsKept) {
  EXPECT_EQ(sweep_json("store", "--limit 3")["runs"]["trained"], 3);
  EXPECT_EQ(finished("store").size(), 3u);
}

TEST_F(SweepCommand, BadInputIsRefused) {
  const std::string store = " --store '" + path("store") + "'";
  expect_refused("sweep" + store, {"preset"});
  expect_refused("sweep fig99" + store, {"fig99", "fig4", "fig6"});
  expect_refused("sweep fig4", {"--store is missing"});
  expect_refused("sweep fig4 --scale fast" + store, {"fast", "published, quick"});
  expect_refused(sweep("store", "--shard 0/2"), {"shard", "1 to 2"});
  expect_refused(sweep("store", "--shard 3/2"), {"shard", "1 to 2"});
  expect_refused(sweep("store", "--shard 3"), {"i/n"});
  expect_refused(sweep("store", "--limit 0"), {"--limit"});
  std::ofstream(path("tiny.toml")) << preset(20) << "stps = 3\n";
  expect_refused(sweep("store"), {"tiny.toml, line 24", "'stps'"});
  expect_refused("collect --output x.h5", {"--store is missing"});
  expect_refused("collect --store '" + path("nowhere") + "' --output '" + path("x.h5") + "'", {"nowhere"});
  EXPECT_FALSE(fs::exists(path("store")));
}

// 20 kills at random moments; no finished run is trained again and every file can be read.
TEST_F(SweepCommand, SurvivesKillsAtAnyMoment) {
  write_preset(400);
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_EQ(wait_for(start("whole")), 0);
  const std::chrono::duration<double> whole = std::chrono::steady_clock::now() - begin;

  std::mt19937 random(20);
  std::uniform_real_distribution<double> moment(0, 0.6 * whole.count());
  std::map<std::string, fs::file_time_type> known;
  std::size_t killed = 0;
  std::size_t stores = 0;
  for (int kill_number = 0; kill_number < 20; ++kill_number) {
    const std::string store = "killed" + std::to_string(stores);
    const pid_t child = start(store);
    std::this_thread::sleep_for(std::chrono::duration<double>(moment(random)));
    kill(child, SIGKILL);
    const bool ended = wait_for(child) == 0;
    killed += ended ? 0U : 1U;
    const auto now = finished(store);
    for (const auto& [id, time] : known) {
      ASSERT_EQ(now.count(id), 1u) << "a finished run is lost";
      ASSERT_EQ(now.at(id), time) << "a finished run was trained again";
    }
    known = now;
    if (fs::exists(path(store))) {
      const Outcome list = run("store list --store '" + path(store) + "'");
      ASSERT_EQ(list.code, 0) << "a finished run cannot be read: " << list.error;
    }
    if (known.size() == kRuns) {  // nothing left to kill: go on with an empty store
      ++stores;
      known.clear();
    }
  }
  EXPECT_GE(killed, 10u);
  const std::string last = "killed" + std::to_string(stores);
  ASSERT_EQ(wait_for(start(last)), 0);
  const auto end = finished(last);
  for (const auto& [id, time] : known) EXPECT_EQ(end.at(id), time);
  std::set<std::string> ids;
  for (const auto& [id, time] : end) ids.insert(id);
  std::set<std::string> expected;
  for (const auto& [id, time] : finished("whole")) expected.insert(id);
  EXPECT_EQ(ids, expected);
  for (const auto& entry : fs::directory_iterator(fs::path(path(last)) / "runs"))
    EXPECT_EQ(entry.path().extension(), ".h5") << "half a file is left behind";
  EXPECT_EQ(sweep_json(last)["points"], sweep_json("whole")["points"]);
  for (const auto& entry : fs::directory_iterator(fs::path(path(last)) / "checkpoints"))
    EXPECT_NE(entry.path().extension(), ".h5") << "a checkpoint of a finished run is left behind";
}

TEST_F(SweepCommand, TwoProcessesShareOneStore) {
  write_preset(300);
  const pid_t first = start("store", "1");
  const pid_t second = start("store", "1");
  std::map<std::string, fs::file_time_type> seen;
  bool rewritten = false;
  for (int i = 0; i < 200 && seen.size() < kRuns; ++i) {
    for (const auto& [id, time] : finished("store")) rewritten |= seen.try_emplace(id, time).first->second != time;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_EQ(wait_for(first), 0);
  EXPECT_EQ(wait_for(second), 0);
  for (const auto& [id, time] : finished("store")) rewritten |= seen.try_emplace(id, time).first->second != time;
  EXPECT_EQ(seen.size(), kRuns);
  EXPECT_FALSE(rewritten) << "a run was trained by both";
  // Alone, the same outcomes.
  const Json shared = sweep_json("store");
  EXPECT_EQ(shared["runs"]["trained"], 0);
  EXPECT_EQ(shared["points"], sweep_json("alone")["points"]);
}

TEST_F(SweepCommand, ASignalEndsItAtOnceWithNothingHalfWritten) {
  write_preset(100000000);  // would run for days
  for (const int signal : {SIGTERM, SIGINT}) {
    const pid_t child = start("store");
    std::this_thread::sleep_for(std::chrono::milliseconds(700));
    const auto begin = std::chrono::steady_clock::now();
    kill(child, signal);
    EXPECT_EQ(wait_for(child), 130);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
    std::size_t checkpoints = 0;
    for (const auto& entry : fs::recursive_directory_iterator(path("store"))) {
      if (entry.is_directory()) continue;
      ASSERT_EQ(entry.path().parent_path().filename(), "checkpoints") << entry.path();
      EXPECT_GE(Hdf5Reader(entry.path().string()).integer_attribute("step"), 1);
      ++checkpoints;
    }
    EXPECT_GE(checkpoints, 1u);
  }
}

}  // namespace
}  // namespace hyseq::cli
