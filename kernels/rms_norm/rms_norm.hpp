// Root-mean-square normalisation (Zhang, Sennrich 2019).
#pragma once

#include "kernels/base/view.hpp"

namespace hyseq::kernels {

/// out = in / sqrt(mean(in^2) + epsilon) * weight.
struct RmsNorm {
  View in;
  View out;
  ParameterId weight = kNoParameter;
  double epsilon = 1e-5;
};

}  // namespace hyseq::kernels
