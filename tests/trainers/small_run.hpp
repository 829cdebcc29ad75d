// Runs small enough to be trained in a test, on the fastest engine of this build.
#pragma once

#include <filesystem>
#include <string>

#include <unistd.h>

#include "trainers/configuration.hpp"

namespace hyseq::trainers {

/// SSM,TF of width 4 on selective copying with 6 tokens, 12 steps of 2 rows of 9 tokens.
inline RunConfiguration small_run(std::uint64_t seed = 1, double rate = 0.01) {
  RunConfiguration run;
  run.architecture.width = 4;
  run.architecture.vocabulary = 8;
  models::TransformerBlock transformer;
  transformer.window = 4;
  transformer.rotary_width = 2;
  models::SsmBlock ssm;
  ssm.state_size = 3;
  run.architecture.layers = models::parse_layers("SSM,TF", transformer, ssm);
  run.data.task = "selective_copy";
  run.data.options = {{"values", "3"}, {"distance-min", "1"}, {"distance-count", "2"}, {"number-share", "0.4"}};
  run.data.lengths = {7, 9};
  run.optimiser.learning_rate = rate;
  run.optimiser.steps = 12;
  run.optimiser.warmup = 3;
  run.optimiser.batch = 2;
  run.evaluation.rows = 70;  // more than a chunk
  run.evaluation.lengths = {13};
  run.evaluation.every = 5;
  run.curve_every = 4;
  run.seed = seed;
  run.engine = resolve_engine("auto", run.architecture.width, run.format);
  return run;
}

/// A fresh folder that is removed with the object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    static int number = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("hyseq-trainers-" + std::to_string(getpid()) + "-" + std::to_string(number++));
    std::filesystem::create_directories(path_);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] std::string path(const std::string& name = "") const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace hyseq::trainers
