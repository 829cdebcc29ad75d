// What a verification of a lower bound or a lemma is asked for.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "kernels/base/number_format.hpp"

namespace hyseq::proofs_check {

struct LowerBoundRequest {
  /// In which the models of a check compute; counts and bounds are exact whatever it is.
  NumberFormat number = NumberFormat::float32;
  std::uint64_t seed = 1;  // of random weights, random sequences and the optimiser's starts
  int threads = 1;
  /// A line of progress: the check's name and the fraction done (1 when it has ended).
  std::function<void(const std::string&, double)> progress;
};

}  // namespace hyseq::proofs_check
