// A small preset, and a trainer that needs no time: its outcomes are a function of the configuration alone.
#pragma once

#include <atomic>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include <unistd.h>

#include "trainers/sweep/preset.hpp"
#include "trainers/train.hpp"

namespace hyseq::trainers::fixture {

/// Four points (two of them 3 times as wide), three rates on two seeds, four final seeds, one control.
inline const std::string kSmall = R"(title = "small"
seeds = "0..3"

[task]
name = "selective_copy"
values = 3
distance-min = 1
distance-count = 2

[data]
length = 12

[tf]
window = 4

[optimiser]
steps = 6
warmup = 2
batch = 2

[evaluation]
rows = 8

[run]
engine = "auto"

[[grid]]
model.layers = ["TF", "SSM"]
model.width = [4, 12]

[calibration]
learning_rates = [1e-3, 1e-2, 1e-1]
seeds = [100, 101]
steps = 4
rule = "accuracy, then loss"

[[control]]
name = "random targets"
where = { model.layers = "SSM", model.width = 4 }
set = { data.random_targets = true }
seeds = [7]

[scale.quick]
seeds = [0]
)";

inline Preset small(const std::string& scale = "published") { return parse_preset(kSmall, "small.toml", scale); }

/// Narrow models like 0.01 best, wide ones 0.001; the largest rate diverges.
inline results::RunRecord outcome(const RunConfiguration& run) {
  results::RunRecord record;
  record.id = identity(run);
  record.configuration = to_json(run);
  record.seed = run.seed;
  record.steps = run.optimiser.steps;
  const double best = run.architecture.width < 8 ? 0.01 : 0.001;
  const double distance = std::abs(std::log10(run.optimiser.learning_rate / best));
  results::Evaluation evaluation;
  evaluation.name = "final";
  evaluation.rows = run.evaluation.rows;
  evaluation.positions = {1000,
                          900 - static_cast<std::int64_t>(200 * distance) + static_cast<std::int64_t>(run.seed % 5)};
  evaluation.loss = 1 + distance;
  if (run.optimiser.learning_rate > 0.05) {
    record.diverged_at = 1;
    evaluation.positions.correct = 999;  // must not win all the same
  }
  record.evaluations.push_back(evaluation);
  record.seconds = 0.001;
  return record;
}

/// Counts how often each run is trained.
class Trainer {
 public:
  std::vector<results::RunRecord> operator()(std::span<const RunConfiguration> runs, const TrainingOptions& options) {
    if (before) before(runs);
    std::vector<results::RunRecord> records;
    for (const RunConfiguration& run : runs) records.push_back(outcome(run));
    if (options.stop != nullptr && *options.stop) throw Interrupted();
    if (options.progress) options.progress(runs.front().optimiser.steps);
    const std::lock_guard lock(mutex_);
    for (const results::RunRecord& record : records) ++times[record.id];
    cohorts.push_back(runs.size());
    return records;
  }

  std::function<void(std::span<const RunConfiguration>)> before;
  std::map<std::string, int> times;
  std::vector<std::size_t> cohorts;

 private:
  std::mutex mutex_;
};

class TemporaryFolder {
 public:
  TemporaryFolder() {
    static std::atomic<int> number = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("hyseq-sweep-" + std::to_string(getpid()) + "-" + std::to_string(number++));
    std::filesystem::create_directories(path_);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace hyseq::trainers::fixture
