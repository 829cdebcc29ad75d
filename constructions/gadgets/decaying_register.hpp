// Gadget: a scalar register. On every flagged token s -> lambda s + value, on every other token s is kept bit for bit.
#pragma once

#include "constructions/subspace.hpp"
#include "constructions/weight_writer.hpp"
#include "models/architecture.hpp"

namespace hyseq::constructions {

/// With values 0 and 1 and lambda < 1/2 the states fall into classes by the last b values: class w is the interval from
/// its centre - lambda^b / (2 (1 - lambda)) to + the same, and neighbouring classes keep a gap of lambda^(b-1) (1 - 2
/// lambda) / (1 - lambda).
struct DecayingRegister {
  Subspace value;
  Subspace flag;
  Subspace one;
  Subspace target;  // one coordinate, zero in the embedding
  double lambda = 0.25;

  [[nodiscard]] models::SsmBlock block() const;
  void write(WeightWriter& weights, const std::string& prefix) const;
};

}  // namespace hyseq::constructions
