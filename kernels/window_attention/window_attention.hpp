// Causal sliding-window attention.
#pragma once

#include "kernels/base/view.hpp"

namespace hyseq::kernels {

/// Per head of width h: scores q_t . k_j / sqrt(h) for the last min(t+1, window) positions j (the window counts the
/// position itself), softmax, weighted sum of v_j. q, k, v, out: heads * h columns, head after head.
/// Carries the last window-1 (rotated) keys and values; nothing before a segment's start is seen.
struct WindowAttention {
  View q;
  View k;
  View v;
  View out;
  int heads = 1;
  int window = 1;
  CarryId carry = -1;
};

}  // namespace hyseq::kernels
