// Theorem 3.3 as printed: "if u -> (F(u, v_1), .., F(u, v_q)) is injective on V^m, there is a distribution under which
// every k-layer SSM that is right with probability 1/2 has sum log|S_i| >= Omega(m log|V| - q log|Y|)". An injection
// into Y^q needs |V|^m <= |Y|^q, so the right side is never positive; and for |Y| = 2 the machine with one state, which
// holds nothing, is right with probability 1/2 (docs/lower-bounds.md, section 2).
#pragma once

#include <cstdint>
#include <string>

namespace hyseq::proofs_check {

/// The printed right side over the grid |V|, |Y| in 2..16, m in 1..16, q in 1..64; its sign is that of |V|^m - |Y|^q,
/// compared as integers.
struct PrintedGrid {
  std::uint64_t points = 0;
  std::uint64_t counted = 0;   // points with an injection, or all of them where the assumption is left out
  std::uint64_t negative = 0;  // of those, the right side negative ..
  std::uint64_t zero = 0;      // .. exactly zero: |V|^m = |Y|^q
  std::uint64_t positive = 0;  // .. positive: what the theorem would need to say anything
  std::string positive_at;     // the first such point

  [[nodiscard]] bool never_positive() const { return counted > 0 && positive == 0; }
};

/// `assume_injective` false is the negative control: without its assumption the printed bound does become positive.
[[nodiscard]] PrintedGrid printed_grid(bool assume_injective = true);

/// All injective maps from n inputs to answers^q answer tables, one by one, for one (n, answers, q).
struct InjectiveMaps {
  std::uint64_t inputs = 0;
  std::uint64_t answers = 0;
  std::uint64_t queries = 0;
  std::uint64_t maps = 0;          // injective ones; 0 is the pigeonhole principle at work
  std::uint64_t promised = 0;      // answers^q (answers^q - 1) ..: n factors
  std::uint64_t positive = 0;      // of them with n > answers^q, where the printed bound would be positive
  std::uint64_t at_chance = 0;     // of them with a one-state machine right on at least 1 of `answers` answers
  std::uint64_t bound_broken = 0;  // of them whose one-state machine would break the corrected bound
  /// Worst over the maps of the best one-state machine: right answers among n q.
  std::uint64_t least_right = 0;

  [[nodiscard]] bool passed() const {
    return maps == promised && positive == 0 && at_chance == maps && bound_broken == 0;
  }
};

/// A machine with one state gives one answer per question, the most frequent one. InputError above 10^7 maps.
[[nodiscard]] InjectiveMaps injective_maps(std::uint64_t inputs, std::uint64_t answers, std::uint64_t queries);

}  // namespace hyseq::proofs_check
