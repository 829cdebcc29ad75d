// Selective state space scan, S6 (Gu, Dao 2023).
#pragma once

#include "kernels/base/view.hpp"

namespace hyseq::kernels {

/// With A = -exp(log_rate):
///   s_t[c][n] = exp(step_t[c] A[c][n]) s_{t-1}[c][n] + (step_t[c] u_t[c]) input_t[n]
///   out_t[c]  = sum_n s_t[c][n] output_t[n] + skip[c] u_t[c]
/// log_rate: [channels, states]; skip: [channels].  Carries the state: [channels, states], zero at a segment's start.
struct SelectiveScan {
  View u;       // channels
  View step;    // channels
  View input;   // states: B_t
  View output;  // states: C_t
  View out;     // channels
  ParameterId log_rate = kNoParameter;
  ParameterId skip = kNoParameter;
  CarryId carry = -1;
};

}  // namespace hyseq::kernels
