#pragma once

#include <type_traits>

#include "kernels/dense/context.hpp"
#include "kernels/dense/vectors.hpp"
#include "kernels/elementwise/elementwise.hpp"

namespace hyseq::kernels::dense {

template <Activation activation, class T>
[[nodiscard]] HWY_INLINE Vector<T> activate(Vector<T> x) {
  const Tag<T> d;
  if constexpr (activation == Activation::silu) {
    return math::silu(d, x);
  } else if constexpr (activation == Activation::softplus) {
    return math::softplus(d, x);
  } else if constexpr (activation == Activation::gelu) {
    return math::gelu(d, x);
  } else {
    return x;
  }
}

/// The derivative at x.
template <Activation activation, class T>
[[nodiscard]] HWY_INLINE Vector<T> slope(Vector<T> x) {
  const Tag<T> d;
  if constexpr (activation == Activation::silu) {
    return math::silu_slope(d, x);
  } else if constexpr (activation == Activation::softplus) {
    return math::sigmoid(d, x);
  } else if constexpr (activation == Activation::gelu) {
    return math::gelu_slope(d, x);
  } else {
    return hn::Set(d, T(1));
  }
}

/// run(constant) with the activation as a compile-time constant.
template <class Run>
void with_activation(Activation activation, const Run& run) {
  switch (activation) {
    case Activation::identity:
      return run(std::integral_constant<Activation, Activation::identity>());
    case Activation::silu:
      return run(std::integral_constant<Activation, Activation::silu>());
    case Activation::gelu:
      return run(std::integral_constant<Activation, Activation::gelu>());
    case Activation::softplus:
      return run(std::integral_constant<Activation, Activation::softplus>());
  }
}

template <class T>
void forward(const Activate& call, const Context<T>& context) {
  const auto width = static_cast<std::size_t>(call.out.width);
  with_activation(call.activation, [&](auto activation) {
    context.for_row_tiles(width, [&](std::size_t first, std::size_t last, std::size_t /*worker*/) {
      for (std::size_t row = first; row < last; ++row) {
        const T* in = context.at(call.in, row);
        T* out = context.at(call.out, row);
        for_vectors<T>(width,
                       [&](auto v, std::size_t i) { v.store(activate<activation(), T>(v.load(in + i)), out + i); });
      }
    });
  });
}

template <class T>
void backward(const ActivateBackward& call, const Context<T>& context) {
  if (!call.in_gradient.wanted()) return;
  const auto width = static_cast<std::size_t>(call.call.out.width);
  with_activation(call.call.activation, [&](auto activation) {
    context.for_row_tiles(width, [&](std::size_t first, std::size_t last, std::size_t /*worker*/) {
      for (std::size_t row = first; row < last; ++row) {
        const T* in = context.at(call.call.in, row);
        const T* g = context.gradient_at(call.out_gradient, row);
        T* to = context.gradient_at(call.in_gradient.view, row);
        for_vectors<T>(width, [&](auto v, std::size_t i) {
          const auto factor = slope<activation(), T>(v.load(in + i));
          put(v, call.in_gradient.mode, hn::Mul(v.load(g + i), factor), to + i);
        });
      }
    });
  });
}

template <class T>
void forward(const Add& call, const Context<T>& context) {
  const auto width = static_cast<std::size_t>(call.out.width);
  context.for_row_tiles(width, [&](std::size_t first, std::size_t last, std::size_t /*worker*/) {
    for (std::size_t row = first; row < last; ++row) {
      const T* a = context.at(call.a, row);
      const T* b = context.at(call.b, row);
      T* out = context.at(call.out, row);
      for_vectors<T>(width, [&](auto v, std::size_t i) { v.store(hn::Add(v.load(a + i), v.load(b + i)), out + i); });
    }
  });
}

template <class T>
void forward(const Multiply& call, const Context<T>& context) {
  const auto width = static_cast<std::size_t>(call.out.width);
  context.for_row_tiles(width, [&](std::size_t first, std::size_t last, std::size_t /*worker*/) {
    for (std::size_t row = first; row < last; ++row) {
      const T* a = context.at(call.a, row);
      const T* b = context.at(call.b, row);
      T* out = context.at(call.out, row);
      for_vectors<T>(width, [&](auto v, std::size_t i) { v.store(hn::Mul(v.load(a + i), v.load(b + i)), out + i); });
    }
  });
}

/// grad of one operand: out_gradient, times the other operand where there is one (a view without a buffer: none). Row
/// by row and operand by operand, so that both may be the same columns.
template <class T>
void pass_gradient(const View& out_gradient, const View& other, const GradientView& to, std::size_t row,
                   const Context<T>& context) {
  if (!to.wanted()) return;
  const T* g = context.gradient_at(out_gradient, row);
  const T* factor = other.buffer < 0 ? nullptr : context.at(other, row);
  T* gradient = context.gradient_at(to.view, row);
  for_vectors<T>(static_cast<std::size_t>(out_gradient.width), [&](auto v, std::size_t i) {
    auto value = v.load(g + i);
    if (factor != nullptr) value = hn::Mul(value, v.load(factor + i));
    put(v, to.mode, value, gradient + i);
  });
}

template <class T>
void backward(const AddBackward& call, const Context<T>& context) {
  const auto width = static_cast<std::size_t>(call.out_gradient.width);
  context.for_row_tiles(width, [&](std::size_t first, std::size_t last, std::size_t /*worker*/) {
    for (std::size_t row = first; row < last; ++row) {
      pass_gradient(call.out_gradient, View{}, call.a_gradient, row, context);
      pass_gradient(call.out_gradient, View{}, call.b_gradient, row, context);
    }
  });
}

template <class T>
void backward(const MultiplyBackward& call, const Context<T>& context) {
  const auto width = static_cast<std::size_t>(call.out_gradient.width);
  context.for_row_tiles(width, [&](std::size_t first, std::size_t last, std::size_t /*worker*/) {
    for (std::size_t row = first; row < last; ++row) {
      pass_gradient(call.out_gradient, call.call.b, call.a_gradient, row, context);
      pass_gradient(call.out_gradient, call.call.a, call.b_gradient, row, context);
    }
  });
}

}  // namespace hyseq::kernels::dense
