// Rotary position embedding (Su et al. 2021), rotate-half convention.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/base/view.hpp"

namespace hyseq::kernels {

/// Rotates, in place and in every head, coordinate i < width/2 together with i + width/2 by the angle of position t:
///   (a, b) -> (a cos - b sin, b cos + a sin),  angle = 2 pi frac(t turns[i]).
/// `turns` are frequencies in turns per token, in units of 2^-64, so that t * turns wraps exactly: the phase difference
/// of two positions depends on their distance alone, however long the stream.
struct Rotary {
  View data;
  int heads = 1;
  int width = 0;
  std::vector<std::uint64_t> turns;
};

/// The frequencies base^(-2i/divisor) / (2 pi) for i < width/2, rounded to 2^-64 turns.
[[nodiscard]] std::vector<std::uint64_t> rotary_turns(int width, double base, int divisor);

/// The angle, in radians within [-pi, pi], of phase `position * turns` (mod 2^64). Error below 2^-50 radians.
[[nodiscard]] double rotary_angle(std::uint64_t position, std::uint64_t turns);

/// Rotates the gradient of `call.data`, in place, by the opposite angles.
struct RotaryBackward {
  Rotary call;
  View gradient;
};

}  // namespace hyseq::kernels
