// How near encoders come to the curve N R_M(eps): the codes found, what they leave open, and how the gap per position
// shrinks with N.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "proofs_check/lower_bounds/code_search.hpp"
#include "proofs_check/lower_bounds/enumerate.hpp"
#include "proofs_check/lower_bounds/rate.hpp"

namespace hyseq::proofs_check {

/// One (N, M, K) with the best encoder found.
struct EncoderPoint {
  int letters = 0;  // M
  int length = 0;   // N
  std::uint64_t states = 0;
  std::uint64_t errors = 0;        // among N M^N letters
  std::uint64_t allowed_from = 0;  // fewest errors that the corrected bound allows
  std::uint64_t spheres_from = 0;  // fewest errors that counting spheres allows
  std::uint64_t exact_from = 0;    // fewest errors of any encoder, where all have been listed; else 0
  double bits_per_position = 0;    // log2 K / N
  double success = 0;
  /// log2 K / N - R_M(eps): bits per position above the curve, enclosed.
  double gap_lower = 0;
  double gap_upper = 0;

  [[nodiscard]] bool violates() const { return errors < allowed_from; }
  /// No encoder of K states does better.
  [[nodiscard]] bool optimal() const { return errors == floor(); }
  [[nodiscard]] std::uint64_t floor() const { return std::max({allowed_from, spheres_from, exact_from}); }
  /// How much higher the best encoder's success can be than this one's.
  [[nodiscard]] double success_open() const;
};

[[nodiscard]] EncoderPoint encoder_point(const HammingSpace& space, std::uint64_t states, std::uint64_t errors);

struct SearchedPoints {
  std::vector<EncoderPoint> points;  // every code in the books
  std::uint64_t encoders = 0;
  std::uint64_t violations = 0;
  std::uint64_t compared = 0;    // points whose optimum has been enumerated ..
  std::uint64_t missed = 0;      // .. the search found fewer right answers
  std::uint64_t impossible = 0;  // .. or more, so that one of the two is wrong
  std::string counterexample;
  double widest_open = 0;  // the largest success_open
  EncoderPoint widest_at;
  std::uint64_t optimal = 0;
};

/// M = 2 up to N = 12, M = 3 up to N = 7, M = 4 up to N = 5. `enumerated`: sizes whose optimum is known.
[[nodiscard]] SearchedPoints search_encoders(const std::vector<Enumeration>& enumerated, std::uint64_t seed,
                                             int threads);

/// One fixed rate for M = 2: at each N the encoder with floor(2^(rate N)) states.
struct RateColumn {
  double rate = 0;
  std::vector<EncoderPoint> by_length;  // N = 2 .. 12, where floor(2^(rate N)) > 1

  [[nodiscard]] const EncoderPoint* at(int length) const;
};

struct Tightness {
  std::vector<RateColumn> columns;  // 1/4, 1/2, 3/4
  /// Of all N | N' with K' = K^(N'/N) in a column: pairs looked at, and those whose gap grew. Repeating the shorter
  /// code keeps its gap, so none may.
  std::uint64_t multiples = 0;
  std::uint64_t multiples_grown = 0;
  /// N = 4, 8, 12 in every column: the gap falls strictly, by enclosures.
  bool shrinks = false;
  double largest_rise = 0;  // from one N to the next; rounding K down and small N make some
  int largest_rise_at = 0;
  double largest_rise_rate = 0;

  [[nodiscard]] bool passed() const { return shrinks && multiples > 0 && multiples_grown == 0; }
};

/// `points` must hold the three columns (std::logic_error).
[[nodiscard]] Tightness tightness(const std::vector<EncoderPoint>& points);

/// The same columns filled with encoders that store floor(log2 K) letters and guess the others: their gap per position
/// does not shrink. A negative control.
[[nodiscard]] std::vector<EncoderPoint> uncoded_points();

}  // namespace hyseq::proofs_check
