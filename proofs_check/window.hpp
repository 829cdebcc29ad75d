// Theorem 4.6's probability: how many candidate words the attention must see for 99%, exactly and through the weights.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "constructions/decode_recall.hpp"
#include "kernels/base/number_format.hpp"
#include "proofs_check/domain.hpp"

namespace hyseq::proofs_check {

/// Success with K slots: the query word, uniform among W = 2^b, is among K uniform candidates: 1 - ((W-1)/W)^K.
struct ExactSuccess {
  int slots = 0;
  std::string fraction;  // "127/128", or "1 - (1023/1024)^4714" where the digits would run on
  double decimal = 0;
};

struct WindowResult {
  ExactSuccess first;     // least K with success >= 99/100, decided in integers
  ExactSuccess one_less;  // K - 1, below
  ExactSuccess one_more;
  int attention_window = 0;  // K + b
  bool exhaustive = false;   // every input of length K + 1 + b, else random contexts with every query
  std::uint64_t inputs = 0;
  std::uint64_t present = 0;  // inputs whose query word is among the candidates: those with an answer
  std::uint64_t correct = 0;  // answered right, through the weights
  double measured = 0;        // correct / inputs
  double standard_error = 0;  // over contexts; 0 where exhaustive
  std::optional<Counterexample> counterexample;

  /// The weights are right on all inputs that have an answer, and the measured success is the exact one: equal where
  /// exhaustive, within five standard errors where sampled.
  [[nodiscard]] bool passed() const;
};

[[nodiscard]] ExactSuccess exact_success(int bits, int slots);
/// K decided by integers alone.
[[nodiscard]] int exact_slots(int bits);

/// At least `inputs` inputs (all W queries for every random context), or all of them where there are no more than that.
[[nodiscard]] WindowResult check_window(int bits, NumberFormat format, std::uint64_t inputs, std::uint64_t seed,
                                        int threads);

}  // namespace hyseq::proofs_check
