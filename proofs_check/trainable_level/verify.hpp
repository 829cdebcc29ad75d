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
[[nodiscard]] const std::vector<std::string>& trainable_check_names();

struct TrainableRequest {
  NumberFormat number = NumberFormat::float32;  // float32 or float64
  std::set<std::string> checks;                 // of trainable_check_names(); empty means all
  std::uint64_t answers = 10000000;             // random positions with an answer
  /// Copying: of the random sequences. Recall takes its window + 1, the longest with a promise for every position.
  std::size_t length = 100;
  double share = 0.2;  // of number or bit tokens in random sequences
  std::uint64_t width_answers = 1000000;
  std::size_t stream_length = 100000;
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
