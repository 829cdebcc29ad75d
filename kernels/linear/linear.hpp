// Linear map.
#pragma once

#include "kernels/base/view.hpp"

namespace hyseq::kernels {

/// out[row] = W in[row] + b.   W: [out.width, in.width]; b: [out.width] or none.
/// The tied output head is a Linear whose weight is the embedding table.
struct Linear {
  View in;
  View out;
  ParameterId weight = kNoParameter;
  ParameterId bias = kNoParameter;
};

/// With g = out_gradient: grad in = g W, grad W += g^T in, grad b += sum of g over the rows.
struct LinearBackward {
  Linear call;
  View out_gradient;
  GradientView in_gradient;
};

}  // namespace hyseq::kernels
