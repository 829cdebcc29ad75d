// Causal sliding-window attention.
#pragma once

#include "kernels/base/view.hpp"
#include "kernels/dropout/dropout.hpp"

namespace hyseq::kernels {

/// Per head of width h: scores q_t . k_j / sqrt(h) for the last min(t+1, window) positions j (the window counts the
/// position itself), softmax, weighted sum of v_j. q, k, v, out: heads * h columns, head after head.
/// In training a probability may be dropped out (site `probabilities`, see dropout.hpp) before it weighs its value.
/// Carries the last window-1 (rotated) keys and values; nothing before a segment's start is seen.
struct WindowAttention {
  View q;
  View k;
  View v;
  View out;
  int heads = 1;
  int window = 1;
  CarryId carry = -1;
  DropoutSite dropout = {};
};

/// With p the probabilities, m the dropout factors (0 or 1/(1-rate), 1 without dropout) and g = out_gradient:
///   grad v_j += p_j m_j g,  c_j = m_j (g . v_j),  e_j = p_j (c_j - sum_i p_i c_i) / sqrt(h),
///   grad q_t += sum_j e_j k_j,  grad k_j += e_j q_t.
struct WindowAttentionBackward {
  WindowAttention call;
  View out_gradient;
  GradientView q_gradient;
  GradientView k_gradient;
  GradientView v_gradient;
};

}  // namespace hyseq::kernels
