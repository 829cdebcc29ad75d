// Runs a preset: worker threads take cohorts from the board, train them and store every run as soon as its cohort ends.
//
// Several processes on one store (also with the same preset) share the work: a run that one has claimed is left to it,
// and taken over where that process dies. Results depend on neither threads nor processes nor interruptions.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "results/run_store.hpp"
#include "trainers/sweep/board.hpp"
#include "trainers/sweep/plan.hpp"
#include "trainers/sweep/preset.hpp"
#include "trainers/train.hpp"

namespace hyseq::trainers {

struct SweepProgress {
  BoardTotals totals;
  std::size_t trained = 0;  // runs finished here
  std::size_t in_hand = 0;  // runs being trained here
  double seconds = 0;       // since the start
  double member_steps = 0;  // a second, of all threads
  double seconds_left = 0;  // estimated
};

using TrainCohort =
    std::function<std::vector<results::RunRecord>(std::span<const RunConfiguration>, const TrainingOptions&)>;

struct SweepOptions {
  std::size_t threads = 1;
  std::size_t shard = 0;  // 0-based
  std::size_t shards = 1;
  std::optional<std::size_t> limit;  // most runs to train
  const std::atomic<bool>* stop = nullptr;
  double checkpoint_seconds = 300;  // between checkpoints of a cohort in hand; 0: only where it is stopped
  /// Called from the thread that called run_sweep, every `report_every` seconds and at the end.
  std::function<void(const SweepProgress&)> report;
  double report_every = 1;
  TrainCohort train = train_cohort;
  CohortSize cohort_size = engine_cohort_size;
};

/// What a sweep would do; reads the store and changes nothing. seconds_left is for `threads` threads.
[[nodiscard]] SweepProgress plan_sweep(const Preset& preset, const results::RunStore& store,
                                       const SweepOptions& options);

/// Trains what is missing, or `limit` runs of it. Where `stop` becomes true, all threads end at their next step and
/// `Interrupted` is thrown: finished runs are stored, those in hand leave checkpoints in <store>/checkpoints, from
/// which the next sweep goes on where it forms the same cohort; nothing is half-written. Errors of a thread
/// (InputError, EnvironmentError) stop the others and are thrown on.
SweepProgress run_sweep(const Preset& preset, const results::RunStore& store, const SweepOptions& options);

}  // namespace hyseq::trainers
