// Element-wise operations.
#pragma once

#include "kernels/base/view.hpp"

namespace hyseq::kernels {

enum class Activation { identity, silu, gelu, softplus };

/// out = activation(in); silu(x) = x sigmoid(x), gelu in its erf form, softplus(x) = log(1 + exp(x)).
struct Activate {
  View in;
  View out;
  Activation activation = Activation::identity;
};

/// out = a + b.
struct Add {
  View a;
  View b;
  View out;
};

/// out = a * b, the gate.
struct Multiply {
  View a;
  View b;
  View out;
};

/// grad in = out_gradient activation'(in).
struct ActivateBackward {
  Activate call;
  View out_gradient;
  GradientView in_gradient;
};

/// grad a = out_gradient, grad b = out_gradient.
struct AddBackward {
  Add call;
  View out_gradient;
  GradientView a_gradient;
  GradientView b_gradient;
};

/// grad a = out_gradient b, grad b = out_gradient a.
struct MultiplyBackward {
  Multiply call;
  View out_gradient;
  GradientView a_gradient;
  GradientView b_gradient;
};

}  // namespace hyseq::kernels
