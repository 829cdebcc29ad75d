// Token embedding and the additive position code.
#pragma once

#include "kernels/base/view.hpp"

namespace hyseq::kernels {

/// out[row] = table[token[row]].   table: [vocabulary, width]
struct Embedding {
  ParameterId table = kNoParameter;
  View out;
};

/// Adds the signed binary code of max(0, t - delay) to `out`, where t counts from 0 in each segment: column i gets +1
/// where bit i of the position is set and -1 where it is not (least significant bit first). Positions wrap at
/// 2^out.width.
struct PositionCode {
  View out;
  int delay = 0;
};

/// grad table[token[row]] += out_gradient[row]; the position code is constant and has no backward.
struct EmbeddingBackward {
  Embedding call;
  View out_gradient;
};

}  // namespace hyseq::kernels
