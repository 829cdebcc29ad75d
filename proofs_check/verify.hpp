// `hyseq verify`: one theorem's construction, the checks asked for, and a verdict.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "constructions/decode_recall.hpp"
#include "constructions/selective_copy.hpp"
#include "kernels/base/number_format.hpp"
#include "models/model_file.hpp"
#include "results/certificate.hpp"

namespace hyseq::proofs_check {

/// The checks by name. `all` runs every one that applies; the domain only where it has at most 10^7 sequences.
[[nodiscard]] const std::vector<std::string>& check_names();

struct VerifyRequest {
  NumberFormat number = NumberFormat::float32;
  std::set<std::string> checks;  // of check_names(); empty means all
  int domain_length = 7;         // streaming level: length of the sequences of the complete domain
  std::size_t stream_length = 1000000;
  std::uint64_t window_inputs = 1000000;
  std::uint64_t seed = 1;
  int threads = 1;
  /// A line of progress: the check's name and the fraction done (1 when it has ended).
  std::function<void(const std::string&, double)> progress;
};

/// The construction with an example and its right answers, as a model file that `hyseq run` reads.
[[nodiscard]] models::ModelFile export_model(const constructions::SelectiveCopySpec& spec);
[[nodiscard]] models::ModelFile export_model(const constructions::DecodeRecallSpec& spec);

/// InputError for parameters out of range; a margin that fails is a verdict "not shown", not an error.
[[nodiscard]] results::Certificate verify(const constructions::SelectiveCopySpec& spec, const VerifyRequest& request);
[[nodiscard]] results::Certificate verify(const constructions::DecodeRecallSpec& spec, const VerifyRequest& request);

}  // namespace hyseq::proofs_check
