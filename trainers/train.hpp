// Trains the runs of one cohort and evaluates them.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "kernels/program.hpp"
#include "results/run_record.hpp"
#include "trainers/configuration.hpp"
#include "trainers/evaluation.hpp"

namespace hyseq::trainers {

struct TrainingOptions {
  std::size_t threads = 1;                                // of the engine, for this cohort
  const std::atomic<bool>* stop = nullptr;                // checked between steps
  std::function<void(std::int64_t steps_done)> progress;  // called after every step, from the calling thread
  std::string checkpoint_folder;                          // "" for none: <folder>/<run id>.h5; made where missing
  std::int64_t checkpoint_every = 0;                      // steps; 0: not by steps
  double checkpoint_seconds = 0;                          // 0: not by time. A stop writes a checkpoint in any case
  std::string model_folder;  // "" for none: the final weights as model file <run id>.h5; made where missing
  /// Called with the final weights of every configuration, in their order, where a caller wants them without a file.
  std::function<void(std::size_t run, const kernels::ParameterValues& weights)> weights;
};

/// The configurations share one cohort_key and number at most Engine::cohort_size. They resume from their checkpoints
/// where all of them have one of the same step, else start from the beginning. Records come in the order of the
/// configurations; a run's record (but for where, how and how long) does not depend on which others are beside it, on
/// threads or on being resumed.
///
/// A run whose loss or gradient norm is not finite has diverged: it keeps the parameters that it had before that step,
/// takes part in no later one, and is evaluated at the end like the others.
///
/// Throws Interrupted where `stop` becomes true, after writing checkpoints where these are wanted; InputError;
/// EnvironmentError.
[[nodiscard]] std::vector<results::RunRecord> train_cohort(std::span<const RunConfiguration> configurations,
                                                           const TrainingOptions& options);

/// Removes the checkpoints of runs whose records are stored.
void discard_checkpoints(std::span<const RunConfiguration> configurations, const TrainingOptions& options);

}  // namespace hyseq::trainers
