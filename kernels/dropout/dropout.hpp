// Dropout (Srivastava et al. 2014), from counter-based random numbers.
//
// Whether an element survives is a function of (the run's seed, training step, layer, site, row, position, element),
// never of an engine, a lane or a thread, so that all engines drop the same bits.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/base/random.hpp"
#include "kernels/base/view.hpp"

namespace hyseq::kernels {

/// The places where a model may drop. The values are part of every stored result: never renumber them.
enum class DropoutPlace : std::uint8_t { embedding = 0, probabilities = 1, attention = 2, mlp = 3 };

/// A place in a model and the share of elements that it drops, 0 <= rate < 1; a rate of 0 is no dropout.
struct DropoutSite {
  DropoutPlace place = DropoutPlace::embedding;
  int layer = 0;  // 0 .. 1023
  double rate = 0;

  [[nodiscard]] bool active() const { return rate > 0; }
  /// An element is dropped where its 32-bit word lies below this.
  [[nodiscard]] constexpr std::uint32_t threshold() const { return static_cast<std::uint32_t>(rate * 0x1p32); }
  /// What survives is multiplied by this.
  [[nodiscard]] constexpr double scale() const { return 1 / (1 - rate); }
};

/// out = in * (0 where dropped, 1/(1-rate) where not). Emitted only for training, and only for rates above 0.
struct Dropout {
  View in;
  View out;
  DropoutSite site;
};

/// grad in = out_gradient * the same factors.
struct DropoutBackward {
  Dropout call;
  View out_gradient;
  GradientView in_gradient;
};

/// Which masks a training step draws: the run's seed and the number of the step.
struct DropoutKey {
  std::uint64_t seed = 0;
  std::uint64_t step = 0;
};

/// Words come in blocks of four: element e of (site, row, position) is word e % 4 of
///   random_block({seed, Purpose::dropout}, dropout_index(step, row), dropout_block(site, position, e / 4)).
/// `row` counts through the whole batch of the step, `position` from the row's start (not the segment's).
/// The element of a branch or embedding is its column. The element of a probability is head * 2^17 + distance, where
/// distance 0 is the position itself, so that it depends neither on the window nor on the length.
/// Ranges: step and row < 2^32, layer < 2^10, position < 2^22, element < 2^24.
[[nodiscard]] constexpr std::uint64_t dropout_index(std::uint64_t step, std::uint64_t row) { return step << 32 | row; }
[[nodiscard]] constexpr std::uint64_t dropout_block(const DropoutSite& site, std::uint64_t position,
                                                    std::uint64_t group) {
  return static_cast<std::uint64_t>(site.layer) << 46 | std::uint64_t{static_cast<std::uint8_t>(site.place)} << 44 |
         position << 22 | group;
}
[[nodiscard]] constexpr std::uint64_t probability_element(std::uint64_t head, std::uint64_t distance) {
  return head << 17 | distance;
}

/// The words of elements 4 group .. 4 group + 3 of (site, row, position).
[[nodiscard]] HYSEQ_EVERYWHERE inline RandomBlock dropout_words(const DropoutSite& site, const DropoutKey& key,
                                                                std::uint64_t row, std::uint64_t position,
                                                                std::uint64_t group) {
  return random_block({key.seed, Purpose::dropout}, dropout_index(key.step, row), dropout_block(site, position, group));
}

}  // namespace hyseq::kernels
