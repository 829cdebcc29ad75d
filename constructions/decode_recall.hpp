// Theorem 4.6 (Cooper, Diakonikolas, Ma, Sala 2026, arXiv 2603.08859): a Mamba layer and two attention layers solve
// associative recall with decoding.
//
// Tokens 0 .. W-1 (W = 2^b) are words, W and W+1 the bits 0 and 1. A register holds the last b bits; the answer is the
// token after the latest occurrence of the word that the register spells.
//
// The SSM layer is the register, the first attention layer gives every position its previous token, the second looks
// for the latest position whose previous token is the register's word and copies the token there.
#pragma once

#include "constructions/construction.hpp"

namespace hyseq::constructions {

struct DecodeRecallSpec {
  int bits = 5;
  int length = 0;  // faithful: context and query bits; 0 means just the window and the first candidate
  int window = 0;  // of the second attention; 0 means recall_window(bits)
  Level level = Level::faithful;
  Fault fault = Fault::none;

  void validate() const;
  [[nodiscard]] int words() const { return 1 << bits; }
};

/// Least number K of candidate words with 1 - (1 - 2^-b)^K >= 0.99, exactly.
[[nodiscard]] int recall_slots(int bits);
/// The attention window that sees K candidates: K + b.
[[nodiscard]] int recall_window(int bits);

struct DecodeRecallConstruction : Construction {
  DecodeRecallSpec spec;            // with length and window filled in
  double recency = 0;               // gamma: least difference of score between a position and the one before
  double recency_range = 0;         // difference of recency score over the window
  double recency_size = 0;          // largest |recency score|
  double match = 0;                 // beta: faithful, per code bit; streaming, of (s - c)^2
  double previous_match = 0;        // of the first attention layer
  double lambda = 0;                // streaming
  double centre = 0;                // streaming: middle of the register's range, s0
  std::vector<double> word_value;   // streaming: c_w - s0, rounded to few bits
  std::vector<double> word_square;  // streaming: its square
};

/// faithful: width 3 ceil(log2(W+2)) + 2 ceil(log2 L) + 1;  streaming: ceil(log2(W+2)) + 8.
[[nodiscard]] DecodeRecallConstruction build(const DecodeRecallSpec& spec);

}  // namespace hyseq::constructions
