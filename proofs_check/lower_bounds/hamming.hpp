// Words of N letters out of M, the Hamming distance, and codes: K words, the answers that the K states of an encoder
// stand for. For uniform u the best encoder of a code takes u to a nearest word of it, and the best word of a set of
// inputs is the most frequent letter at each position.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/base/random.hpp"

namespace hyseq::proofs_check {

using Word = std::uint32_t;  // its letters are its digits in base M, least significant first
using Code = std::vector<Word>;

/// An encoder's nearest words: how far each input is from its word, and which word that is.
struct Nearest {
  std::vector<std::uint8_t> distance;  // [M^N]
  std::vector<std::uint32_t> owner;    // [M^N], index into the code

  [[nodiscard]] std::uint64_t errors() const;
};

class HammingSpace {
 public:
  /// 2 <= M <= 36, 1 <= N, M^N <= 2^22 (InputError).
  HammingSpace(int letters, int length);

  [[nodiscard]] int letters() const { return letters_; }
  [[nodiscard]] int length() const { return length_; }
  [[nodiscard]] std::uint32_t size() const { return size_; }  // M^N
  [[nodiscard]] std::uint32_t place(int position) const { return places_[static_cast<std::size_t>(position)]; }
  [[nodiscard]] int letter(Word word, int position) const {
    return static_cast<int>(word / place(position) % static_cast<std::uint32_t>(letters_));
  }
  [[nodiscard]] int distance(Word a, Word b) const;

  /// Exact: the distance is a sum over positions, so one pass per position finds the nearest word of every input.
  /// `random`, where given, breaks ties and orders the passes.
  [[nodiscard]] Nearest nearest(const Code& code, RandomStream* random = nullptr) const;
  /// Wrong letters of the best encoder with these words, over all M^N inputs.
  [[nodiscard]] std::uint64_t errors(const Code& code) const { return nearest(code).errors(); }

 private:
  int letters_;
  int length_;
  std::uint32_t size_ = 1;
  std::vector<std::uint32_t> places_;  // M^position
};

/// No K words do better: a word has C(N, w) (M-1)^w others at distance w, so at most K times that many inputs are w
/// away from their nearest word, and the errors are fewest if the near places are all taken. Equality for perfect
/// codes.
[[nodiscard]] std::uint64_t sphere_errors(int letters, int length, std::uint64_t states);

}  // namespace hyseq::proofs_check
