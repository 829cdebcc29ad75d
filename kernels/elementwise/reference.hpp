#pragma once

#include <string>

#include "kernels/base/error.hpp"
#include "kernels/elementwise/elementwise.hpp"
#include "kernels/elementwise/slope.hpp"
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

/// The derivative of the activation.
template <class Accumulator>
[[nodiscard]] Accumulator slope(Activation activation, const Accumulator& x) {
  switch (activation) {
    case Activation::identity:
      return constant<Accumulator>(1);
    case Activation::silu:
      return silu_slope(x);
    case Activation::softplus:
      return numbers::sigmoid(x);
    case Activation::gelu:
      return gelu_slope(x);
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

template <class Scalar>
void reference(const ActivateBackward& call, const Context<Scalar>& context) {
  using Numeric = typename Context<Scalar>::Numeric;
  if (!call.in_gradient.wanted()) return;
  for (std::size_t row = 0; row < context.rows(); ++row) {
    const Scalar* in = context.at(call.call.in, row);
    const Scalar* out_gradient = context.gradient_at(call.out_gradient, row);
    for (std::size_t i = 0; i < static_cast<std::size_t>(call.call.in.width); ++i) {
      context.contribute(call.in_gradient, row, i,
                         Numeric::widen(out_gradient[i]) * slope(call.call.activation, Numeric::widen(in[i])));
    }
  }
}

template <class Scalar>
void reference(const AddBackward& call, const Context<Scalar>& context) {
  using Numeric = typename Context<Scalar>::Numeric;
  for (std::size_t row = 0; row < context.rows(); ++row) {
    const Scalar* out_gradient = context.gradient_at(call.out_gradient, row);
    for (std::size_t i = 0; i < static_cast<std::size_t>(call.call.out.width); ++i) {
      const auto g = Numeric::widen(out_gradient[i]);
      if (call.a_gradient.wanted()) context.contribute(call.a_gradient, row, i, g);
      if (call.b_gradient.wanted()) context.contribute(call.b_gradient, row, i, g);
    }
  }
}

template <class Scalar>
void reference(const MultiplyBackward& call, const Context<Scalar>& context) {
  using Numeric = typename Context<Scalar>::Numeric;
  for (std::size_t row = 0; row < context.rows(); ++row) {
    const Scalar* a = context.at(call.call.a, row);
    const Scalar* b = context.at(call.call.b, row);
    const Scalar* out_gradient = context.gradient_at(call.out_gradient, row);
    for (std::size_t i = 0; i < static_cast<std::size_t>(call.call.out.width); ++i) {
      const auto g = Numeric::widen(out_gradient[i]);
      if (call.a_gradient.wanted()) context.contribute(call.a_gradient, row, i, g * Numeric::widen(b[i]));
      if (call.b_gradient.wanted()) context.contribute(call.b_gradient, row, i, g * Numeric::widen(a[i]));
    }
  }
}

}  // namespace hyseq::kernels
