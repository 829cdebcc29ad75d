// Causal depthwise convolution.
#pragma once

#include "kernels/base/view.hpp"

namespace hyseq::kernels {

/// out[t][c] = sum_j weight[c][j] in[t - (k-1) + j][c] + bias[c], with zeros before the start of a segment.
/// weight: [channels, k]; bias: [channels].  Carries the last k-1 inputs, oldest first: [k-1, channels].
struct CausalConv {
  View in;
  View out;
  ParameterId weight = kNoParameter;
  ParameterId bias = kNoParameter;
  int kernel = 0;
  CarryId carry = -1;
};

/// grad in[t] = sum_j weight[j] out_gradient[t + (k-1) - j] while that position lies in the same segment,
/// grad weight[j] += out_gradient[t] in[t - (k-1) + j],  grad bias += out_gradient.
struct CausalConvBackward {
  CausalConv call;
  View out_gradient;
  GradientView in_gradient;
};

}  // namespace hyseq::kernels
