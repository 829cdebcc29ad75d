// What the figure `rate` draws, gathered from certificates of theorem 3.3.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "results/certificate.hpp"

namespace hyseq::results {

using Rows = std::vector<std::vector<double>>;

/// One trained model: its points from unrounded states to the fewest bits.
struct TrainedPath {
  std::string model;
  double letters = 0;  // M
  Rows points;         // success, bits per position, bits, bits of the input
};

struct RateData {
  std::map<double, Rows> curve;       // by M: success, bits per position
  std::map<double, Rows> enumerated;  // by M: .., N, K
  std::map<double, Rows> found;       // by M: .., N, K, 1 where no encoder does better
  Rows machines;                      // .., bits, bits of the input
  std::vector<TrainedPath> trained;
  std::map<double, Rows> gaps;  // by rate: N, gap per position, 1 where no encoder does better, K

  [[nodiscard]] bool empty() const { return curve.empty() || (found.empty() && gaps.empty()); }
};

/// Of several certificates (other seeds) the last one that can be drawn counts, as a whole.
[[nodiscard]] RateData collect_rate(const std::vector<const Certificate*>& certificates);

}  // namespace hyseq::results
