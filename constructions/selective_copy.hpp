// Theorem 4.3 (Cooper, Diakonikolas, Ma, Sala 2026, arXiv 2603.08859): a Mamba layer, then attention, solve selective
// copying.
//
// Tokens 0 .. V-N-1 are ordinary, V-N .. V-1 are the numbers 1 .. N. With n the latest number at or before position t
// the answer is the token n-1 positions back, x_{t-(n-1)}.
//
// The SSM layer carries the latest number's query, the attention layer looks it up, the tied head decodes the token's
// code.
#pragma once

#include "constructions/construction.hpp"
#include "constructions/rotary_distance.hpp"

namespace hyseq::constructions {

struct SelectiveCopySpec {
  int vocabulary = 10;  // V, ordinary tokens and numbers
  int distances = 4;    // N, 1..V
  int length = 7;       // L >= N; the faithful level alone
  Level level = Level::faithful;
  Fault fault = Fault::none;

  /// InputError with one sentence where the numbers do not fit.
  void validate() const;
};

struct SelectiveCopyConstruction : Construction {
  SelectiveCopySpec spec;
  double temperature = 0;  // beta
  RotaryDistance rotary;   // streaming level
  Subspace query;          // what a number carries: its source's position code, or its distance's phases
};

/// faithful: width ceil(log2 V) + 2 ceil(log2 L) + 2, beta = 1 + ln(max(1, N-1)) / 2.
/// streaming: width ceil(log2 V) + 10, beta = 1.5 (ln(max(1, N-1)) + 2) / gap of the rotary phases over N positions.
[[nodiscard]] SelectiveCopyConstruction build(const SelectiveCopySpec& spec);

}  // namespace hyseq::constructions
