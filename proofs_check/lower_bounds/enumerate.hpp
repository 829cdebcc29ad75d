// The best encoders of K states by enumeration: every way to sort the inputs into K states, or every set of K words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "proofs_check/lower_bounds/rate.hpp"

namespace hyseq::proofs_check {

/// F as a table: the answer to question v after input u, answers[u q + v] < |Y|.
struct QueryTable {
  std::string name;
  MemoryProblem problem;
  std::vector<std::uint8_t> answers;
};

/// F(u, i) = u_i on M^N.
[[nodiscard]] QueryTable copying_table(int values, int length);
/// F(u, v) = <u, v> mod 2 on 2^m for the 2^m - 1 vectors v other than zero: injective and far from tight.
[[nodiscard]] QueryTable inner_products_table(int length);

/// Encoders with exactly K states.
struct BestEncoder {
  std::uint64_t states = 0;
  std::uint64_t encoders = 0;      // looked at
  std::uint64_t errors = 0;        // of the best: wrong answers among inputs x questions
  std::uint64_t allowed_from = 0;  // fewest errors that the bound allows
  std::uint64_t violations = 0;    // encoders with fewer
};

struct Enumeration {
  std::string name;
  std::string method;  // "partitions" or "codes"
  MemoryProblem problem;
  std::vector<BestEncoder> best;  // by K from 1
  std::uint64_t encoders = 0;
  std::uint64_t violations = 0;
  std::string counterexample;  // the first encoder below the bound, in words

  [[nodiscard]] std::uint64_t asked() const { return problem.inputs() * problem.queries; }
};

/// Deliberate lies of an encoder or of the bound, for the negative controls.
struct Misreport {
  std::uint64_t states_hidden = 0;     // the encoder says that it has this many fewer
  std::uint64_t errors_hidden = 0;     // or that it errs this much less
  std::uint64_t questions_peeked = 0;  // the decoder sees this many answers past the state
  std::uint64_t bound_answers = 0;     // |Y| in the bound's own formula, where it is not the problem's
};

/// Every partition of the inputs into K cells, one per renaming of the states, with the best answer per cell and
/// question. InputError above 10 inputs (115,975 partitions).
[[nodiscard]] Enumeration enumerate_partitions(const QueryTable& table, const Misreport& misreport = {});

/// Every set of at most `most_states` words of M^N with its nearest-word encoder. Translations keep distances, so with
/// `fix_zero` only sets with the word 0 are listed. InputError above 256 words.
[[nodiscard]] Enumeration enumerate_codes(int letters, int length, std::uint64_t most_states, bool fix_zero);

}  // namespace hyseq::proofs_check
