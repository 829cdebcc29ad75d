// Counter-based random numbers: Philox4x32-10 of Random123 (Salmon et al., "Parallel random numbers: as easy as 1, 2,
// 3", 2011). A value is a pure function of (seed, purpose, index, element), never of a thread, a lane or of what was
// drawn before, so that a run gives the same numbers alone, in any cohort and on any number of threads.
//
//   seed      of the run, 64 bits                       -> the key of Philox
//   purpose   what the numbers are for, 8 bits          -> the counter, together with
//   index     a row of data, a training step, 64 bits
//   element   position within the index, 56 bits of blocks of four 32-bit words
//
// Two purposes never share a counter, so the rows of training, calibration and evaluation come from disjoint streams.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>
#include <string>
#include <utility>

#include <Random123/philox.h>

#include "kernels/base/error.hpp"
#include "kernels/base/everywhere.hpp"

namespace hyseq {

/// What random numbers are for. The values are part of every stored result: never renumber them.
enum class Purpose : std::uint8_t {
  training_data = 1,
  calibration_data = 2,
  evaluation_data = 3,
  initialisation = 4,
  dropout = 5,
  verification = 6,
  resampling = 7,  // bootstrap intervals of stored results
  packing = 8,     // lengths of packed examples; common to all seeds
};

struct StreamKey {
  std::uint64_t seed = 0;
  Purpose purpose = Purpose::training_data;
};

using RandomBlock = std::array<std::uint32_t, 4>;

/// Four independent uniform 32-bit words. `block` < 2^56.
HYSEQ_EVERYWHERE inline RandomBlock random_block(StreamKey key, std::uint64_t index, std::uint64_t block) {
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
  const std::uint64_t purpose = std::uint64_t{static_cast<std::uint8_t>(key.purpose)} << 56;
  const r123::Philox4x32::ctr_type counter{{low(block), high(block | purpose), low(index), high(index)}};
  const r123::Philox4x32::key_type philox_key{{low(key.seed), high(key.seed)}};
  const r123::Philox4x32::ctr_type words = r123::Philox4x32()(counter, philox_key);
  return {words[0], words[1], words[2], words[3]};
}

/// The top 53 bits of two words as a real in [0, 1): all multiples of 2^-53, equally likely.
inline double unit_real(std::uint32_t first, std::uint32_t second) {
  return static_cast<double>((std::uint64_t{first} << 32 | second) >> 11) * 0x1p-53;
}

/// Uniform in [0, 1) and standard normal (Box-Muller), as functions of the element.
inline double uniform_real(StreamKey key, std::uint64_t index, std::uint64_t element) {
  const RandomBlock words = random_block(key, index, element);
  return unit_real(words[0], words[1]);
}
inline double normal_real(StreamKey key, std::uint64_t index, std::uint64_t element) {
  const RandomBlock words = random_block(key, index, element);
  const double radius = std::sqrt(-2.0 * std::log(1.0 - unit_real(words[0], words[1])));  // the argument is in (0, 1]
  return radius * std::cos(2.0 * std::numbers::pi * unit_real(words[2], words[3]));
}

/// A coin with exactly the probability that a double holds: an endless binary fraction is compared with p, 32 bits at a
/// time, and more bits are drawn only while all bits so far agree (once in 2^32 tosses).
class Bernoulli {
 public:
  /// Throws InputError unless 0 <= p <= 1.
  explicit Bernoulli(double p) : p_(p) {
    if (!(p >= 0.0 && p <= 1.0)) throw InputError("a probability is " + std::to_string(p) + ", allowed is 0 to 1");
    threshold_ = static_cast<std::uint64_t>(p * 0x1p32);   // scaling by a power of two is exact,
    rest_ = p * 0x1p32 - static_cast<double>(threshold_);  // and so is the fraction that is left
  }
  [[nodiscard]] double probability() const { return p_; }

  template <class Stream>
  [[nodiscard]] bool toss(Stream& stream) const {
    const std::uint32_t word = stream.next();
    if (word != threshold_) [[likely]]
      return word < threshold_;
    for (double rest = rest_; rest > 0.0;) {
      const double scaled = rest * 0x1p32;
      const auto digits = static_cast<std::uint32_t>(scaled);
      const std::uint32_t more = stream.next();
      if (more != digits) return more < digits;
      rest = scaled - static_cast<double>(digits);
    }
    return false;  // the drawn fraction starts with all digits of p, so it is not below p
  }

 private:
  double p_;
  std::uint64_t threshold_ = 0;  // the first 32 digits of p; 2^32 for p = 1
  double rest_ = 0;              // the digits after them, in [0, 1)
};

/// Reads the words of one (seed, purpose, index) in order. For everything that needs an unknown number of words: exact
/// distributions by rejection. Cheap to construct; one per row, never shared between threads.
class RandomStream {
 public:
  RandomStream(StreamKey key, std::uint64_t index) : key_(key), index_(index) {}

  [[nodiscard]] std::uint32_t next() {
    if (position_ == words_.size()) refill();
    return words_[position_++];
  }

  /// Uniform on 0..n-1 exactly, n >= 1 (Lemire's multiplication with rejection).
  [[nodiscard]] std::uint32_t below(std::uint32_t n) {
    std::uint64_t product = std::uint64_t{next()} * n;
    if (static_cast<std::uint32_t>(product) < n) [[unlikely]] {
      const std::uint32_t surplus = (0U - n) % n;  // 2^32 mod n words would make the first values too likely
      while (static_cast<std::uint32_t>(product) < surplus) product = std::uint64_t{next()} * n;
    }
    return static_cast<std::uint32_t>(product >> 32);
  }

  /// Uniform on 0..n-1 exactly, n >= 1, for n beyond 32 bits.
  [[nodiscard]] std::uint64_t below_wide(std::uint64_t n) {
    const std::uint64_t surplus = (0ULL - n) % n;
    for (;;) {
      const std::uint64_t first = next();
      const std::uint64_t word = first << 32 | next();
      if (word >= surplus) return word % n;
    }
  }

  [[nodiscard]] double uniform() {
    const std::uint32_t first = next();
    return unit_real(first, next());
  }

  /// A uniform permutation (Fisher-Yates).
  template <class T>
  void shuffle(std::span<T> items) {
    for (std::size_t left = items.size(); left > 1; --left) {
      std::swap(items[left - 1], items[below(static_cast<std::uint32_t>(left))]);
    }
  }

 private:
  static constexpr std::size_t kBlocks = 8;  // drawn together: independent chains of multiplications overlap

  void refill() {
    for (std::size_t i = 0; i < kBlocks; ++i) {
      const RandomBlock words = random_block(key_, index_, block_++);
      for (std::size_t j = 0; j < 4; ++j) words_[4 * i + j] = words[j];
    }
    position_ = 0;
  }

  StreamKey key_;
  std::uint64_t index_;
  std::uint64_t block_ = 0;
  std::size_t position_ = 4 * kBlocks;
  std::array<std::uint32_t, 4 * kBlocks> words_;
};

}  // namespace hyseq
