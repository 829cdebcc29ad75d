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

/// The adjoint of the scan. With a_t = exp(step_t A), g_t = out_gradient_t and the adjoint of the state
///   r_t = g_t C_t + a_{t+1} r_{t+1}   (nothing from t+1 where a segment starts there):
///   grad C_t += g_t s_t,  grad B_t += step_t u_t r_t             (sums over the channels)
///   grad u_t = step_t sum_n r_t B_t + skip g_t
///   grad step_t = u_t sum_n r_t B_t + sum_n r_t s_{t-1} a_t A
///   grad log_rate += r_t s_{t-1} a_t step_t A                    (dA/dlog_rate = A)
///   grad skip += g_t u_t.
/// Engines recompute the states instead of storing them.
struct SelectiveScanBackward {
  SelectiveScan call;
  View out_gradient;
  GradientView u_gradient;
  GradientView step_gradient;
  GradientView input_gradient;
  GradientView output_gradient;
};

}  // namespace hyseq::kernels
