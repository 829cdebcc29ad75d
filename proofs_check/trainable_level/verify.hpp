// Certificates of the constructions in standard blocks (level "trainable"): what the weights that training starts from
// are known to do, and how narrow a model has to be.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "constructions/trainable/decode_recall.hpp"
#include "constructions/trainable/deep_recall.hpp"
#include "constructions/trainable/selective_copy.hpp"
#include "kernels/base/number_format.hpp"
#include "models/model_file.hpp"
#include "results/certificate.hpp"

namespace hyseq::proofs_check {

/// positions  random sequences of the task, every position, through the `lanes` engine
/// domain     complete domains: all sequences over small vocabularies, and families over the whole one
/// carry      the recurrent states reachable bit by bit (copying), or streams far longer than the window (recall)
/// widths     the same construction at every width downwards, until there is none
/// controls   faults, each of which the random positions have to catch
/// basin      4.3, only where it is named: what training makes of the weights, with noise on them and without
[[nodiscard]] const std::vector<std::string>& trainable_check_names();

/// Of the check "basin". Noise is relative (trainers::InitialisationConfiguration::noise), rates are peak rates.
struct BasinScale {
  std::vector<double> noises{0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1};  // ascending from 0
  std::vector<double> rates{1e-4, 3e-4, 1e-3, 3e-3, 1e-2};            // ascending
  std::vector<double> dropouts{0, 0.1};                               // of attention and MLP outputs
  double kept_rate = 1e-3;  // the claim: at rates up to this one the construction without noise stays solved
  int seeds = 8;            // from TrainableRequest::seed on
  std::int64_t steps = 1000;
  std::int64_t rows = 256;  // held-out sequences
};

struct TrainableRequest {
  NumberFormat number = NumberFormat::float32;  // float32 or float64
  std::set<std::string> checks;                 // of trainable_check_names(); empty means all but basin
  std::uint64_t answers = 10000000;             // random positions with an answer
  /// Copying: of the random sequences. Recall takes its window + 1, the longest with a promise for every position.
  std::size_t length = 100;
  double share = 0.2;  // of number or bit tokens in random sequences
  std::uint64_t width_answers = 1000000;
  std::size_t stream_length = 100000;
  BasinScale basin;
  std::uint64_t seed = 1;
  int threads = 1;
  std::function<void(const std::string&, double)> progress;
};

/// InputError for parameters out of range, an unknown check or another number format.
[[nodiscard]] results::Certificate verify(const constructions::TrainableCopySpec& spec,
                                          const TrainableRequest& request);
[[nodiscard]] results::Certificate verify(const constructions::TrainableRecallSpec& spec,
                                          const TrainableRequest& request);

[[nodiscard]] results::Certificate verify(const constructions::DeepRecallSpec& spec, const TrainableRequest& request);

/// The construction as a model file that `hyseq run` reads and training can start from, with one sequence of the task.
[[nodiscard]] models::ModelFile export_model(const constructions::TrainableCopySpec& spec);
[[nodiscard]] models::ModelFile export_model(const constructions::TrainableRecallSpec& spec);
[[nodiscard]] models::ModelFile export_model(const constructions::DeepRecallSpec& spec);

}  // namespace hyseq::proofs_check
