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

}  // namespace hyseq::kernels
