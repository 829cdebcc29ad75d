#pragma once

#include <string>

#include "kernels/base/error.hpp"
#include "kernels/elementwise/elementwise.hpp"
#include "kernels/reference/context.hpp"

namespace hyseq::kernels {

template <class Accumulator>
[[nodiscard]] Accumulator activate(Activation activation, const Accumulator& x) {
  switch (activation) {
    case Activation::identity:
      return x;
    case Activation::silu:
      return numbers::silu(x);
    case Activation::softplus:
      return numbers::softplus(x);
    case Activation::gelu:
      if constexpr (requires { numbers::gelu(x); }) {
        return numbers::gelu(x);
      } else {
        throw InputError("gelu has no enclosure in interval arithmetic; use silu or identity");
      }
  }
  throw InputError("unknown activation");
}

template <class Scalar>
void reference(const Activate& call, const Context<Scalar>& context) {
  using Numeric = typename Context<Scalar>::Numeric;
  for (std::size_t row = 0; row < context.rows(); ++row) {
    const Scalar* in = context.at(call.in, row);
    Scalar* out = context.at(call.out, row);
    for (int i = 0; i < call.in.width; ++i) {
      out[i] = Numeric::round(activate(call.activation, Numeric::widen(in[i])));
    }
  }
}

template <class Scalar>
void reference(const Add& call, const Context<Scalar>& context) {
  using Numeric = typename Context<Scalar>::Numeric;
  for (std::size_t row = 0; row < context.rows(); ++row) {
    const Scalar* a = context.at(call.a, row);
    const Scalar* b = context.at(call.b, row);
    Scalar* out = context.at(call.out, row);
    for (int i = 0; i < call.out.width; ++i) out[i] = Numeric::round(Numeric::widen(a[i]) + Numeric::widen(b[i]));
  }
}

template <class Scalar>
void reference(const Multiply& call, const Context<Scalar>& context) {
  using Numeric = typename Context<Scalar>::Numeric;
  for (std::size_t row = 0; row < context.rows(); ++row) {
    const Scalar* a = context.at(call.a, row);
    const Scalar* b = context.at(call.b, row);
    Scalar* out = context.at(call.out, row);
    for (int i = 0; i < call.out.width; ++i) out[i] = Numeric::round(Numeric::widen(a[i]) * Numeric::widen(b[i]));
  }
}

}  // namespace hyseq::kernels
