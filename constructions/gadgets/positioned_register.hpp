// Gadget: a register whose places are filled by position. Channel i of an SSM layer takes the token's value at one
// given position and keeps it bit for bit at every other.
#pragma once

#include <vector>

#include "constructions/subspace.hpp"
#include "constructions/weight_writer.hpp"
#include "models/architecture.hpp"

namespace hyseq::constructions {

struct PositionedRegister {
  Subspace value;     // one coordinate, +-1 or 0
  Subspace position;  // signed binary code of the position
  Subspace one;
  Subspace target;                // zero in the embedding; receives the register
  std::vector<long long> places;  // position that fills target coordinate i

  /// Softplus step: K (<code(t), code(place)> - bits + 1) is K at the place and at most -K elsewhere; with K = 1024 the
  /// step is K exactly (old state times exp(-K) = 0) or underflows to 0. B = 1/K makes the written value exact.
  [[nodiscard]] models::SsmBlock block() const;
  void write(WeightWriter& weights, const std::string& prefix) const;
};

}  // namespace hyseq::constructions
