#include "results/run_store.hpp"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <thread>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels/base/error.hpp"
#include "kernels/base/hdf5_file.hpp"
#include "tests/results/fixture.hpp"

namespace hyseq::results {
namespace {

namespace fs = std::filesystem;

RunRecord run(const std::string& id) {
  RunRecord record;
  record.id = id;
  record.configuration = {{"architecture", {{"width", 8}, {"layers", {{{"block", "SSM"}}, {{"block", "TF"}}}}}},
                          {"data", {{"task", "selective_copy"}}},
                          {"optimiser", {{"learning_rate", 0.0031622776601683794}}},
                          {"engine", "lanes"}};
  record.seed = std::numeric_limits<std::uint64_t>::max();
  record.parameters = 2192;
  record.steps = 17;
  record.diverged_at = 17;
  record.empty_batches = 3;
  record.curve = {{0, 0, 3.5261, 0.25, {712, 20}},
                  {17, 1.0 / 3, std::numeric_limits<double>::infinity(), std::nan(""), {712, 0}}};
  Evaluation final{"final", 17, 100, 1024, std::nan(""), {std::int64_t{1} << 40, 7}, {1024, 1}, {}};
  final.slices = {{"distance", "5", {500, 4}}, {"distance", "6", {499, 3}}, {"key", "8-15, \"late\"", {1, 1}}};
  record.evaluations = {final, {"length 200", 17, 200, 10, 2.5, {10, 5}, {10, 0}, {}}};
  record.version = "0.1.0";
  record.instructions = "avx2";
  record.machine = "a processor, 2 threads";
  record.seconds = 1.5;
  return record;
}

std::string id_of(int number) {
  const std::string digits = std::to_string(number);
  return std::string(32 - digits.size(), '0') + digits;
}

std::string error_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(RunStore, RoundTripKeepsEverything) {
  const fixture::TemporaryFolder folder;
  const RunStore store(folder.path("new/store"));
  EXPECT_TRUE(store.ids().empty());
  EXPECT_FALSE(store.contains(id_of(1)));
  const RunRecord saved = run(id_of(1));
  store.save(saved);
  EXPECT_TRUE(store.contains(id_of(1)));
  const RunRecord loaded = store.load(id_of(1));
  EXPECT_EQ(to_json(loaded), to_json(saved));
  // JSON has no infinities; the store has.
  EXPECT_TRUE(std::isinf(loaded.curve.at(1).loss));
  EXPECT_TRUE(std::isnan(loaded.curve.at(1).gradient_norm));
  EXPECT_TRUE(std::isnan(loaded.evaluations.at(0).loss));
  EXPECT_EQ(loaded.seed, saved.seed);
  EXPECT_EQ(loaded.evaluations.at(0).positions.valid, std::int64_t{1} << 40);
}

TEST(RunStore, ARunWithoutCurveOrEvaluationsIsARun) {
  const fixture::TemporaryFolder folder;
  const RunStore store(folder.path());
  RunRecord bare;
  bare.id = id_of(2);
  store.save(bare);
  EXPECT_EQ(to_json(store.load(id_of(2))), to_json(bare));
}

TEST(RunStore, AConfigurationOf100KilobytesIsStored) {
  const fixture::TemporaryFolder folder;
  const RunStore store(folder.path());
  RunRecord record = run(id_of(3));
  record.configuration["note"] = std::string(100 * 1024, 'x');
  store.save(record);
  EXPECT_EQ(store.load(id_of(3)).configuration, record.configuration);
}

TEST(RunStore, EightWorkersFinishingTogetherAreAllStored) {
  const fixture::TemporaryFolder folder;
  const RunStore store(folder.path());
  {
    std::vector<std::jthread> workers;
    for (int worker = 0; worker < 8; ++worker)
      workers.emplace_back([&store, worker] {
        for (int i = 0; i < 5; ++i) {
          RunRecord record = run(id_of(100 * worker + i));
          record.configuration["note"] = std::string(100 * 1024, 'x');
          store.save(record);
        }
      });
  }
  const std::vector<RunRecord> all = store.load_all();
  ASSERT_EQ(all.size(), 40u);
  EXPECT_EQ(all.front().id, id_of(0));
  EXPECT_EQ(all.back().id, id_of(704));
}

TEST(RunStore, AProcessKilledAtAnyMomentLeavesOnlyReadableRuns) {
  const fixture::TemporaryFolder folder;
  const RunStore store(folder.path());
  store.prepare();
  // Moments spread over several files, however long one takes here.
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 3; ++i) store.save(run(id_of(i)));
  const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
  const auto longest = static_cast<std::uint_fast32_t>(3 * time.count()) + 1000;
  std::mt19937 random(7);
  int begin = 3;
  for (int kill_number = 0; kill_number < 20; ++kill_number) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      for (int i = begin;; ++i) {
        const auto claim = store.claim(id_of(i));
        store.save(run(id_of(i)));
      }
    }
    usleep(static_cast<useconds_t>(random() % longest));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    const std::vector<RunRecord> all = store.load_all();
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(all[i].id, id_of(static_cast<int>(i)));  // without a gap
      EXPECT_EQ(all[i].curve.size(), 2u);
    }
    begin = static_cast<int>(all.size());
    // The killed process's claim is gone, and taking it clears what was half-written.
    EXPECT_TRUE(store.claim(id_of(begin)).has_value());
  }
  EXPECT_GT(begin, 3);
  for (const auto& entry : fs::directory_iterator(folder.path("runs"))) EXPECT_EQ(entry.path().extension(), ".h5");
}

TEST(RunStore, ADamagedRunIsNamed) {
  const fixture::TemporaryFolder folder;
  const RunStore store(folder.path());
  store.save(run(id_of(1)));
  std::ofstream(store.path(id_of(2))) << "not HDF5";
  EXPECT_NE(error_of([&] { (void)store.load_all(); }).find(store.path(id_of(2))), std::string::npos);
  EXPECT_NE(error_of([&] { (void)store.load(id_of(9)); }).find(store.path(id_of(9))), std::string::npos);
  {
    Hdf5Writer other(store.path(id_of(2)));
    other.attribute("format", "something else");
    other.commit();
  }
  EXPECT_NE(error_of([&] { (void)store.load(id_of(2)); }).find("not a training run"), std::string::npos);
  EXPECT_NE(error_of([&] { (void)RunStore(folder.path("none")).load_all(); }).find("none"), std::string::npos);
}

TEST(RunStore, AFolderThatCannotBeMadeIsAnEnvironmentError) {
  EXPECT_THROW(RunStore("/proc/hyseq").prepare(), EnvironmentError);
  EXPECT_THROW(RunStore("/proc/hyseq").save(run(id_of(1))), EnvironmentError);
}

TEST(Claims, OneHolderAtATimeInOneProcess) {
  const fixture::TemporaryFolder folder;
  const RunStore store(folder.path());
  store.prepare();
  auto first = store.claim(id_of(1));
  ASSERT_TRUE(first.has_value());
  EXPECT_FALSE(store.claim(id_of(1)).has_value());
  EXPECT_TRUE(store.claim(id_of(2)).has_value());
  Claim moved = std::move(*first);
  first.reset();
  EXPECT_FALSE(store.claim(id_of(1)).has_value());
  { const Claim end = std::move(moved); }
  EXPECT_TRUE(store.claim(id_of(1)).has_value());
  store.save(run(id_of(1)));
  EXPECT_FALSE(store.claim(id_of(1)).has_value());  // finished
}

TEST(Claims, ThreadsNeverHoldTheSameRunAtOnce) {
  const fixture::TemporaryFolder folder;
  const RunStore store(folder.path());
  store.prepare();
  std::atomic<int> holders = 0;
  std::atomic<int> taken = 0;
  std::atomic<bool> shared = false;
  {
    std::vector<std::jthread> workers;
    for (int worker = 0; worker < 4; ++worker)
      workers.emplace_back([&] {
        for (int i = 0; i < 300; ++i) {
          const auto claim = store.claim(id_of(1));
          if (!claim) continue;
          if (++holders > 1) shared = true;
          ++taken;
          --holders;
        }
      });
  }
  EXPECT_FALSE(shared);
  EXPECT_GE(taken, 300 / 4);
}

TEST(Collect, JoinsStoresAndWritesATable) {
  const fixture::TemporaryFolder folder;
  const RunStore first(folder.path("first"));
  const RunStore second(folder.path("second"));
  first.save(run(id_of(1)));
  first.save(run(id_of(2)));
  second.save(run(id_of(2)));
  second.save(run(id_of(3)));
  const std::string output = folder.path("all.h5");
  const std::string table = folder.path("all.csv");
  EXPECT_EQ(collect({first.folder(), second.folder()}, output, table), 3u);
  const Hdf5Reader file(output);
  EXPECT_EQ(file.integer_attribute("runs"), 3);
  EXPECT_EQ(file.groups("runs"), (std::vector<std::string>{id_of(1), id_of(2), id_of(3)}));
  const std::string text = fixture::read_text(table);
  EXPECT_NE(text.find(",calibration,random_targets,"), std::string::npos);
  // A header, and per run two evaluations with a line for positions and one for sequences, and three slices.
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1 + 3 * 7);
  EXPECT_NE(text.find(id_of(1) +
                      ",SSM-TF,8,selective_copy,2192,18446744073709551615,0.0031622776601683794,lanes,,,17,17,final,17,"
                      "100,1024,nan,distance,5,500,4,0.008\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(",key,\"8-15, \"\"late\"\"\",1,1,1\n"), std::string::npos) << text;
  EXPECT_THROW(collect({folder.path("none")}, output, ""), InputError);
  EXPECT_THROW(collect({first.folder()}, folder.path("none/all.h5"), ""), EnvironmentError);
}

}  // namespace
}  // namespace hyseq::results
