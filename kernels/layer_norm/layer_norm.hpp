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

}  // namespace hyseq::kernels
