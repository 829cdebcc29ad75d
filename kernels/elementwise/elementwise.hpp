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

}  // namespace hyseq::kernels
