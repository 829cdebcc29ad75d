// Complete domains: every sequence of a small domain, through the real weights.
//
// The sequences form a tree of prefixes. Walking it with the recurrent state carried along, siblings batched, each
// prefix is computed once; every sequence's last token still goes through the whole program.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "constructions/construction.hpp"
#include "kernels/base/number_format.hpp"

namespace hyseq::proofs_check {

/// A sequence on which the weights are wrong.
struct Counterexample {
  std::vector<std::int32_t> input;
  std::int32_t expected = -1;
  std::int32_t answered = -1;  // -1: a tie, or not a number

  /// "V0 #2 V1 -> expected V0, answered V1"
  [[nodiscard]] std::string text(const std::vector<std::string>& token_labels) const;
};

struct DomainSpec {
  /// Tokens allowed at each position; the length is its size.
  std::vector<std::vector<std::int32_t>> allowed;
  /// Target of the last position of a sequence, or -1 where it has none.
  std::function<std::int32_t(std::span<const std::int32_t>)> label;
  bool every_position = false;  // check every prefix as well
  int threads = 1;
  bool stop_at_first_error = false;
  /// Told the fraction done, now and then, from any thread but never from two at once.
  std::function<void(double)> progress;

  [[nodiscard]] double sequences() const;
};

struct DomainResult {
  std::uint64_t defined = 0;           // sequences whose last position has a target
  std::uint64_t undefined = 0;         // sequences whose last position has none
  std::uint64_t correct = 0;           // defined sequences answered right
  std::uint64_t prefixes_defined = 0;  // every_position: shorter prefixes with a target ...
  std::uint64_t prefixes_correct = 0;  // ... and those answered right
  double core_seconds = 0;
  std::optional<Counterexample> counterexample;  // the first in lexicographic order of those found; shortest first

  [[nodiscard]] bool all_correct() const {
    return correct == defined && prefixes_correct == prefixes_defined && defined > 0;
  }
};

[[nodiscard]] DomainResult check_domain(const constructions::Construction& construction, NumberFormat format,
                                        const DomainSpec& spec);

}  // namespace hyseq::proofs_check
