// Layer normalisation (Ba, Kiros, Hinton 2016).
#pragma once

#include "kernels/base/view.hpp"

namespace hyseq::kernels {

/// out = (in - mean) / sqrt(variance + epsilon) * weight + bias, with the biased variance over the columns.
struct LayerNorm {
  View in;
  View out;
  ParameterId weight = kNoParameter;
  ParameterId bias = kNoParameter;
  double epsilon = 1e-5;
};

/// With n = (in - mean) / deviation and g = out_gradient * weight:
///   grad in = (g - mean(g) - n mean(g n)) / deviation,  grad weight += out_gradient n,  grad bias += out_gradient.
struct LayerNormBackward {
  LayerNorm call;
  View out_gradient;
  GradientView in_gradient;
};

}  // namespace hyseq::kernels
