// Good codes where they cannot be enumerated: linear codes by their parity checks, sums of shorter codes, and the
// alternation of vector quantisation (nearest words, then most frequent letters; Lloyd 1982) from many starts. Every
// code's errors are counted exactly; only whether a better one exists stays open, and `sphere_errors` bounds that.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "proofs_check/lower_bounds/hamming.hpp"

namespace hyseq::proofs_check {

struct ScoredCode {
  Code code;
  std::uint64_t errors = 0;  // wrong letters over all M^N inputs
};

/// A linear code of `checks` parity checks over the field of M elements (M prime): hill climbing over the columns of
/// the parity-check matrix, whose syndromes give the distance of every coset. M^(N - checks) words.
[[nodiscard]] ScoredCode search_linear(const HammingSpace& space, int checks, std::uint64_t seed, int restarts);

/// Grows the code by furthest inputs or drops random words, until it has `states` words, all different.
void fit(const HammingSpace& space, Code& code, std::uint64_t states, RandomStream& random);

/// The alternation until it rests, from the given code; words that coincide move to the inputs furthest away.
[[nodiscard]] ScoredCode alternate(const HammingSpace& space, Code code, RandomStream& random);

struct SearchEffort {
  int linear_restarts = 6;
  int random_starts = 24;
  int disturbances = 120;  // of the best code: a few words move, then the alternation again
  int threads = 1;
};

/// The best codes found for one M, for every length up to `longest`: one word, repetition and all words; linear codes
/// with up to 512 cosets where M is prime; and one of every (length, states) wanted. Reproducible from the seed on any
/// number of threads.
class CodeBook {
 public:
  CodeBook(int letters, int longest, std::vector<std::pair<int, std::uint64_t>> wanted, std::uint64_t seed,
           const SearchEffort& effort);

  [[nodiscard]] const std::map<std::pair<int, std::uint64_t>, ScoredCode>& codes() const { return codes_; }
  [[nodiscard]] std::uint64_t encoders_tried() const { return tried_; }

 private:
  void add_known_families();  // one word, repetition, all words
  void search_all_linear(std::uint64_t seed, const SearchEffort& effort);
  [[nodiscard]] std::optional<ScoredCode> best_sum(const HammingSpace& space, std::uint64_t states) const;
  [[nodiscard]] ScoredCode improve(const HammingSpace& space, std::uint64_t states, std::uint64_t seed,
                                   const SearchEffort& effort, std::uint64_t& tried) const;
  void keep(int length, ScoredCode code);

  int letters_;
  int longest_;
  std::map<std::pair<int, std::uint64_t>, ScoredCode> codes_;  // (length, states)
  std::uint64_t tried_ = 0;
};

}  // namespace hyseq::proofs_check
