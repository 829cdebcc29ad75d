// What gradient descent makes of a construction: whether it stays solved, and how much noise on its weights training
// finds its way back from, beside training from drawn weights.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "results/run_record.hpp"
#include "trainers/configuration.hpp"

namespace hyseq::proofs_check {

struct BasinRequest {
  /// Task, lengths, dropout, optimiser (but for the rate), evaluation, engine. Architecture and start come from the
  /// file.
  trainers::RunConfiguration run;
  std::string model_file;      // as export_model writes it
  std::vector<double> noises;  // see trainers::InitialisationConfiguration::noise; 0 is the construction itself
  std::vector<double> rates;
  std::vector<std::uint64_t> seeds;
  bool drawn = true;                              // also from drawn weights, the same architecture, rates and seeds
  std::size_t threads = 1;                        // cohorts side by side; nothing depends on it
  const std::atomic<bool>* stop = nullptr;        // throws trainers::Interrupted
  std::function<void(double fraction)> progress;  // after each group of runs, from any thread, one at a time
};

struct BasinPoint {
  bool drawn = false;
  double noise = 0;
  double rate = 0;
  std::uint64_t seed = 0;
  results::Counts before;  // of the run's evaluation rows, the same in front of the first step and behind the last
  results::Counts after;
  double loss_before = 0;
  double loss_after = 0;
  bool diverged = false;
};

/// One point for every start (noises, then drawn), rate and seed, in that order. InputError where the file and the run
/// do not fit together.
[[nodiscard]] std::vector<BasinPoint> measure_basin(const BasinRequest& request);

}  // namespace hyseq::proofs_check
