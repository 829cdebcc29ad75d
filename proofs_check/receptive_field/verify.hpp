// Theorem 3.7 of Cooper, Diakonikolas, Ma, Sala 2026 (arXiv 2603.08859) in its sharp form: a stack of sliding-window
// layers sees 1 + sum (W_i - 1) tokens, so that a model which is right on two inputs that share their last R tokens and
// need different answers has sum (W_i - 1) >= R. docs/residual-classes.md has the proofs.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "models/model_file.hpp"
#include "proofs_check/receptive_field/receptive_field.hpp"
#include "results/certificate.hpp"

namespace hyseq::proofs_check {

struct ReceptiveFieldRequest {
  std::uint64_t architectures = 1000;                             // random ones, 1 to 10^6
  std::vector<std::pair<std::string, models::ModelFile>> stored;  // models to be probed as well, with their names
  std::uint64_t seed = 1;
  int threads = 1;
  /// A check's name and the fraction done (1 when it has ended).
  std::function<void(const std::string&, double)> progress;
};

/// InputError for a number of architectures out of range.
[[nodiscard]] results::Certificate verify_receptive_field_3_7(const ReceptiveFieldRequest& request);

/// One stored model, on one engine.
struct StoredField {
  ReceptiveField field;
  std::size_t length = 0;        // of the sequences that were run
  bool outside_checked = false;  // false: the field is unlimited or longer than kLongestProbe
  std::uint64_t distance = 0;    // of that token from the last position
  ProbeFindings findings;

  /// As far as it can be checked: nothing outside shows, and the farthest token within reach does.
  [[nodiscard]] bool passed() const;
};

/// Longest sequence for a stored model.
inline constexpr std::uint64_t kLongestProbe = 1024;

/// A model's architecture and weights, trained or not: with attention alone the token on the edge of its field against
/// those outside; with a recurrent layer a token farther back than attention and convolutions reach.
[[nodiscard]] StoredField probe_stored(const models::ModelFile& model, const kernels::Engine& engine,
                                       NumberFormat format, std::uint64_t seed);

}  // namespace hyseq::proofs_check
