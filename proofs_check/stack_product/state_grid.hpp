// What a recurrent layer carries from token to token, rounded to a few bits per number.
//
// A trained or random layer has finitely many states, the numbers of its format, but far too many to list: its decay
// produces new ones at almost every token. Rounding what is carried makes the machine small enough to be counted; the
// rounding belongs to the machine, it happens between any two tokens, in the model that is compared as well as in the
// one that is counted.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "kernels/base/error.hpp"
#include "kernels/base/numbers/numeric.hpp"
#include "kernels/reference/carry.hpp"

namespace hyseq::proofs_check {

/// The 2^bits - 1 multiples of `step` from -(2^(bits-1) - 1) step to the same above; nearest, ties to even, larger
/// numbers saturate. Zero is a level, so a fresh state is one. bits = 0: no rounding, the format's own numbers.
struct StateGrid {
  int bits = 0;
  double step = 0.5;  // a power of two, so that every level is a number of every format
  /// A step of its own for every carried number of a row, in the order of the program's carries; empty: `step` for all.
  std::vector<double> steps = {};

  /// The grid of `count` carried numbers from number `first` on: of one layer of a stack.
  [[nodiscard]] StateGrid part(std::size_t first, std::size_t count) const {
    StateGrid own{bits, step, {}};
    if (steps.empty()) return own;
    const auto begin = steps.begin() + static_cast<std::ptrdiff_t>(first);
    own.steps.assign(begin, begin + static_cast<std::ptrdiff_t>(count));
    return own;
  }

  /// InputError unless bits is 0 or 2..8 and the step is a power of two from 2^-8 to 2^8.
  void validate() const {
    if (bits != 0 && (bits < 2 || bits > 8)) {
      throw InputError("state bits " + std::to_string(bits) + " must be 0 (no rounding) or lie in 2..8");
    }
    check(step);
    for (const double each : steps) check(each);
  }

  [[nodiscard]] double nearest(double value) const { return nearest(value, step); }

  template <class Scalar>
  void round(kernels::Carry<Scalar>& carry) const {
    if (bits == 0) return;
    using Numeric = numbers::Numeric<Scalar>;
    for (std::size_t i = 0; i < carry.data.size(); ++i) {
      const double own = steps.empty() ? step : steps[i % carry.stride];
      carry.data[i] = Numeric::from_double(nearest(Numeric::to_double(carry.data[i]), own));
    }
  }

 private:
  static void check(double step) {
    int exponent = 0;
    if (!(step >= 0x1p-8 && step <= 0x1p8) || std::frexp(step, &exponent) > 0.5) {
      throw InputError("state step " + std::to_string(step) + " must be a power of two from 1/256 to 256");
    }
  }

  [[nodiscard]] double nearest(double value, double own) const {
    const double most = static_cast<double>((1 << (bits - 1)) - 1);
    // nearbyint rounds ties to even; adding 0 turns -0 into 0.
    return std::clamp(std::nearbyint(value / own), -most, most) * own + 0.0;
  }
};

}  // namespace hyseq::proofs_check
