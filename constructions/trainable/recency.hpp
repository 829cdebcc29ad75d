// Gadget: a score that falls with the delay, from one rotary pair of frequency 1 / (window - 1).
#pragma once

#include <string>

#include "constructions/weight_writer.hpp"
#include "models/architecture.hpp"

namespace hyseq::constructions {

/// size cos(theta delay + pi/2 - 1/2) sweeps one radian over the window, around a right angle where the cosine is
/// steepest, and falls by at least `gamma` from each position to the one before.
class Recency {
 public:
  /// window >= 3.
  Recency(int window, double gamma);

  /// Difference between the newest and the oldest position of the window.
  [[nodiscard]] double range() const;
  /// Rotary width 4, whose second pair (coordinates 1 and 3) has the frequency.
  void set_rotary(models::TransformerBlock& block) const;
  /// The score as biases of queries and keys; `scale` is the root of the head width.
  void write(WeightWriter& weights, const std::string& prefix, int width, double scale) const;

 private:
  double theta_;
  double size_;
};

}  // namespace hyseq::constructions
