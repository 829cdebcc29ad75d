// Windows that a task needs: total windows against the pair of inputs that defeats anything smaller.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "proofs_check/receptive_field/defeating_pair.hpp"
#include "results/certificate.hpp"

namespace hyseq::proofs_check {

/// One task in one reading.
struct WindowCase {
  std::string task;     // "selective_copy, distances 0..3"
  std::size_t missing;  // tokens at the start that the answer never needs: the field is length - missing
  std::size_t least;    // shortest length with a pair
  Labeller labeller;
  std::function<DefeatingPair(std::size_t)> pair;  // by length; empty where undefined counts as an answer
  /// Tokens at every position of the complete domain of a length, and the longest such length.
  std::function<std::vector<std::vector<std::int32_t>>(std::size_t)> domain;
  std::size_t longest_domain;
  bool undefined_counts = false;
};

/// For every length up to `longest` the pair is confirmed, and on complete domains the number of last tokens that
/// decide the answer is `length - missing`. Figures: per task and length the receptive field needed, and the total
/// windows of 1 to 4 layers in both readings of a window.
[[nodiscard]] results::Check window_check(const std::vector<WindowCase>& cases, std::size_t longest);

[[nodiscard]] WindowCase selective_copy_windows(const tasks::SelectiveCopyShape& shape, std::size_t longest_domain);
[[nodiscard]] WindowCase decode_recall_windows(int bits, std::size_t longest_domain);
[[nodiscard]] WindowCase decode_recall_last_windows(int bits, std::size_t longest_domain);
/// The same inputs where "undefined" has to be answered too: then position 0 counts. Without pairs.
[[nodiscard]] WindowCase decode_recall_last_windows_undefined(int bits, std::size_t longest_domain);

}  // namespace hyseq::proofs_check
