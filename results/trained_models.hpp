// What the runs of a store say about accuracy and working memory: one entry per model and setting of a task. A pure
// function of run records.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "results/run_record.hpp"

namespace hyseq::results {

/// The task and sizes that a model was trained on.
struct TaskSizes {
  std::string task;   // "selective_copy", "decode_recall", "decode_recall_last"
  double values = 0;  // value tokens M; words W of recall
  int nearest = 0;    // selective copying: distances nearest .. nearest + distances - 1
  int distances = 0;
  double number_share = 0;  // selective copying
  std::int64_t length = 0;

  [[nodiscard]] bool operator==(const TaskSizes&) const = default;
};

struct TrainedModel {
  TaskSizes sizes;
  std::string layers;  // "SSM,TF"
  int width = 0;
  std::int64_t parameters = 0;
  double memory_bits = 0;     // held between two tokens of a row, all layers, in the format that it was trained in
  double state_bits = 0;      // of them in recurrent states and convolution tails
  double window = 0;          // sum of min(W, length) over the attention layers, in tokens
  std::vector<Counts> seeds;  // evaluation "final"; a run that diverged before one got nothing right

  /// Mean over the seeds.
  [[nodiscard]] double accuracy() const;
};

/// Runs that differ in their seed alone are one entry; of several entries with equal sizes, layers, memory and
/// parameters (other rates or settings) the one with the best mean stays. Left out: calibrations, random targets, data
/// files, packed rows, rows of several lengths, tasks other than the three. In the order of task, sizes, layers,
/// memory. InputError where a configuration cannot be read.
[[nodiscard]] std::vector<TrainedModel> trained_models(const std::vector<RunRecord>& runs);

}  // namespace hyseq::results
