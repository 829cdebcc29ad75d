// The recurrent states of the copying construction, bit by bit.
#pragma once

#include <cstdint>
#include <string>

#include "constructions/trainable/selective_copy.hpp"
#include "kernels/base/number_format.hpp"

namespace hyseq::proofs_check {

struct StateResult {
  std::uint64_t reachable_states = 0;
  std::uint64_t promised_states = 0;  // the start and one for each number
  std::uint64_t transitions = 0;      // (state, token) pairs, all of them
  bool closed = false;                // no more states than promised were met
  std::string failure;                // the first transition that is not the intended one

  [[nodiscard]] bool passed() const { return closed && failure.empty() && reachable_states == promised_states; }
};

/// From the start, every answer token is applied through the whole model in the reference engine, until no new state of
/// the scan appears. Intended: a number leads to a state of its own, whatever was there before, and every other token
/// leaves every bit. The convolution must weigh nothing but the token itself, which is checked on the weights, so that
/// the state and the token decide. If all this holds, so it does after any sequence of any length.
[[nodiscard]] StateResult check_states(const constructions::TrainableCopyConstruction& construction,
                                       NumberFormat format);

}  // namespace hyseq::proofs_check
