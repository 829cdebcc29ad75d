// Theorem 3.3 in its corrected form (docs/lower-bounds.md, section 3):
//
//   log2 K  >=  m log2|V| - q h(eps),      h(eps) = H2(eps) + eps log2(|Y| - 1)
//
// for a machine with K states that reads u, uniform on V^m, and then answers q questions of |Y| possible answers with
// average error eps. The decision is exact: with eps a fraction the inequality is one between integers.
#pragma once

#include <cstdint>

#include "kernels/base/numbers/interval_functions.hpp"

namespace hyseq::proofs_check {

using ExactInterval = numbers::Interval<numbers::ExactReal>;

/// The sizes of u -> (F(u, v_1), .., F(u, v_q)), an injective map on V^m. All at least 1, |Y| at least 2.
struct MemoryProblem {
  std::uint64_t values = 2;   // |V|
  std::uint64_t length = 1;   // m
  std::uint64_t answers = 2;  // |Y|
  std::uint64_t queries = 1;  // q

  /// |V|^m; InputError at 2^40 and beyond, where the counts of a check would not be exact any more.
  [[nodiscard]] std::uint64_t inputs() const;
};

/// Copying N values: F(u, i) = u_i.
[[nodiscard]] inline MemoryProblem copying_problem(std::uint64_t values, std::uint64_t length) {
  return {values, length, values, length};
}

/// What a machine does on `weight` inputs, each u equally often: K states, and `errors` wrong among weight x q answers.
struct Performance {
  std::uint64_t states = 1;
  std::uint64_t weight = 1;
  std::uint64_t errors = 0;
};

/// H2 and h in bits, for curves; 0 log 0 is 0. 0 <= eps <= 1.
[[nodiscard]] double binary_entropy(double eps);
[[nodiscard]] double fano_entropy(double eps, double answers);
/// R(eps) = log2|Y| - h(eps): bits per answer where the map is a bijection (rate-distortion function of a uniform
/// source under Hamming distortion, Shannon 1959).
[[nodiscard]] double rate(double eps, double answers);
/// The eps in [0, 1 - 1/|Y|] with R(eps) = bits, for 0 <= bits <= log2|Y|.
[[nodiscard]] double error_at_rate(double bits, double answers);

/// Encloses log2 K - m log2|V| + q h(eps), in bits.
[[nodiscard]] ExactInterval slack_bits(const MemoryProblem& problem, const Performance& performance);

/// Whether the bound holds, exactly: by the enclosure where that decides, else by `allowed_in_integers`.
[[nodiscard]] bool allowed(const MemoryProblem& problem, const Performance& performance);

/// With D = weight q answers in all, e of them wrong, the bound reads
///   K^weight D^D (|Y| - 1)^e  >=  |V|^(m weight) e^e (D - e)^(D - e).
[[nodiscard]] bool allowed_in_integers(const MemoryProblem& problem, const Performance& performance);

/// The fewest errors that the bound allows a machine of K states: what `allowed` first accepts from 0 upwards. Up to an
/// error of 1 - 1/|Y| it accepts everything from there on. One more than all answers where it accepts nothing.
[[nodiscard]] std::uint64_t least_errors(const MemoryProblem& problem, std::uint64_t states, std::uint64_t weight);

}  // namespace hyseq::proofs_check
