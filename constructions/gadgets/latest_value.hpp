// Gadget: carry the latest value. An SSM layer replaces a subspace of every token by the one of the latest flagged
// token.
#pragma once

#include "constructions/subspace.hpp"
#include "constructions/weight_writer.hpp"
#include "models/architecture.hpp"

namespace hyseq::constructions {

/// `value` holds the token's own value (zero where the flag is 0), `flag` is 0 or 1, `one` is 1.
struct LatestValue {
  Subspace value;
  Subspace flag;
  Subspace one;

  /// Linear block, identity step: the step is the flag. A step of 1 decays by exp(-1000), zero in every number format,
  /// and writes the token's value; a step of 0 keeps the state bit for bit. So there is one state per flagged token,
  /// and zero.
  [[nodiscard]] models::SsmBlock block() const;
  /// The layer adds (carried - own), so that behind the residual the subspace holds the carried value.
  void write(WeightWriter& weights, const std::string& prefix) const;
};

}  // namespace hyseq::constructions
