// The rounding of a number format, as the margins' bounds use it.
#pragma once

#include <cmath>
#include <string>

#include "kernels/base/number_format.hpp"

namespace hyseq::proofs_check {

struct Rounding {
  double weight;       // relative error of a weight rounded to the format
  double storage;      // relative error of storing a result; 0 where the accumulator is the storage format
  double accumulator;  // relative error of one operation inside a sum
  double largest;      // largest finite number of the storage format

  explicit Rounding(NumberFormat format)
      : weight(unit_roundoff(format)),
        storage(accumulator_format(format) == format ? 0 : unit_roundoff(format)),
        accumulator(unit_roundoff(accumulator_format(format))),
        largest(largest_finite(format)) {}
};

/// Attention mass 1 / (1 + crowd) on the target, less the rounding of exp, sum and division over `window` positions.
[[nodiscard]] inline double rounded_mass(double crowd, double window, const Rounding& u) {
  return (1 - (window + 10) * u.accumulator) / (1 + crowd);
}

/// The output's code coordinates keep their sign with at least 2 mass - 1, less the rounding of the weighted sum and of
/// two stores. Codes of different tokens differ in at least one of `bits` coordinates, each worth twice that; a logit
/// is a sum of `bits` terms of size at most 1.
[[nodiscard]] inline double decoder_gap(double mass, double window, int bits, const Rounding& u) {
  const double coordinate = 2 * mass - 1 - (window + 4) * u.accumulator - 2 * u.storage;
  return 2 * coordinate - 2 * bits * (bits * u.accumulator + u.storage);
}

}  // namespace hyseq::proofs_check
