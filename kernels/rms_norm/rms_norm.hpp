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

/// With n = in / scale and g = out_gradient * weight:
///   grad in = (g - n mean(g n)) / scale,  grad weight += out_gradient n.
struct RmsNormBackward {
  RmsNorm call;
  View out_gradient;
  GradientView in_gradient;
};

}  // namespace hyseq::kernels
