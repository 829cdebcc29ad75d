#pragma once

#include "kernels/base/numbers/functions.hpp"
#include "kernels/cuda/groups.hpp"
#include "kernels/elementwise/elementwise.hpp"
#include "kernels/elementwise/slope.hpp"

namespace hyseq::kernels::cuda {
inline namespace HYSEQ_CUDA_DEVICE {

template <Activation activation, class T>
[[nodiscard]] HYSEQ_DEVICE T activate(T x) {
  if constexpr (activation == Activation::silu) {
    return numbers::silu(x);
  } else if constexpr (activation == Activation::gelu) {
    return numbers::gelu(x);
  } else if constexpr (activation == Activation::softplus) {
    return numbers::softplus(x);
  } else {
    return x;
  }
}

/// The derivative at x.
template <Activation activation, class T>
[[nodiscard]] HYSEQ_DEVICE T slope(T x) {
  if constexpr (activation == Activation::silu) {
    return silu_slope(x);
  } else if constexpr (activation == Activation::gelu) {
    return gelu_slope(x);
  } else if constexpr (activation == Activation::softplus) {
    return numbers::sigmoid(x);
  } else {
    return T(1);
  }
}

/// run.operator()<activation>(), the activation a compile-time constant.
template <class Run>
void with_activation(Activation activation, const Run& run) {
  switch (activation) {
    case Activation::identity:
      return run.template operator()<Activation::identity>();
    case Activation::silu:
      return run.template operator()<Activation::silu>();
    case Activation::gelu:
      return run.template operator()<Activation::gelu>();
    case Activation::softplus:
      return run.template operator()<Activation::softplus>();
  }
}

template <Activation activation, class T>
struct ActivateGroup {
  Groups<T> in;
  Groups<T> out;

  HYSEQ_DEVICE void operator()(std::size_t row, unsigned group) const {
    Group<T> x = in.load(row, group);
    for (unsigned k = 0; k < kGroup; ++k) x[k] = activate<activation>(x[k]);
    out.store(row, group, x);
  }
};

template <class T>
void forward(const Activate& call, const Context<T>& context) {
  const Groups<T> in(context.at(call.in));
  const Groups<T> out(context.at(call.out));
  with_activation(call.activation, [&]<Activation activation>() {
    for_groups(*context.stream, context.rows(), out.width(), ActivateGroup<activation, T>{in, out});
  });
}

template <Activation activation, class T>
struct ActivateBackwardGroup {
  Groups<T> in;
  Groups<T> out_gradient;
  GroupSink<T> in_gradient;

  HYSEQ_DEVICE void operator()(std::size_t row, unsigned group) const {
    const Group<T> x = in.load(row, group);
    Group<T> g = out_gradient.load(row, group);
    for (unsigned k = 0; k < kGroup; ++k) g[k] *= slope<activation>(x[k]);
    in_gradient.put(row, group, g);
  }
};

template <class T>
void backward(const ActivateBackward& call, const Context<T>& context) {
  if (!call.in_gradient.wanted()) return;
  const Groups<T> in(context.at(call.call.in));
  const Groups<T> out_gradient(context.gradient_at(call.out_gradient));
  with_activation(call.call.activation, [&]<Activation activation>() {
    for_groups(*context.stream, context.rows(), in.width(),
               ActivateBackwardGroup<activation, T>{in, out_gradient, {call.in_gradient, context}});
  });
}

/// out = a + b or a * b.
template <bool multiplies, class T>
struct GateGroup {
  Groups<T> a;
  Groups<T> b;
  Groups<T> out;

  HYSEQ_DEVICE void operator()(std::size_t row, unsigned group) const {
    Group<T> x = a.load(row, group);
    const Group<T> y = b.load(row, group);
    for (unsigned k = 0; k < kGroup; ++k) x[k] = multiplies ? x[k] * y[k] : x[k] + y[k];
    out.store(row, group, x);
  }
};

template <bool multiplies, class Call, class T>
void forward_gate(const Call& call, const Context<T>& context) {
  const GateGroup<multiplies, T> body{Groups<T>(context.at(call.a)), Groups<T>(context.at(call.b)),
                                      Groups<T>(context.at(call.out))};
  for_groups(*context.stream, context.rows(), body.out.width(), body);
}

template <class T>
void forward(const Add& call, const Context<T>& context) {
  forward_gate<false>(call, context);
}

template <class T>
void forward(const Multiply& call, const Context<T>& context) {
  forward_gate<true>(call, context);
}

/// One operand after the other, because both may be the same columns.
template <bool multiplies, class T>
struct GateBackwardGroup {
  Groups<T> a;
  Groups<T> b;
  Groups<T> out_gradient;
  GroupSink<T> a_gradient;
  GroupSink<T> b_gradient;

  HYSEQ_DEVICE void operator()(std::size_t row, unsigned group) const {
    const Group<T> g = out_gradient.load(row, group);
    send(g, b, a_gradient, row, group);
    send(g, a, b_gradient, row, group);
  }

 private:
  HYSEQ_DEVICE void send(Group<T> g, const Groups<T>& other, const GroupSink<T>& to, std::size_t row,
                         unsigned group) const {
    if (!to.wanted()) return;
    if constexpr (multiplies) {
      const Group<T> factor = other.load(row, group);
      for (unsigned k = 0; k < kGroup; ++k) g[k] *= factor[k];
    }
    to.put(row, group, g);
  }
};

template <bool multiplies, class Call, class T>
void backward_gate(const Call& call, const Context<T>& context) {
  const GateBackwardGroup<multiplies, T> body{Groups<T>(context.at(call.call.a)),
                                              Groups<T>(context.at(call.call.b)),
                                              Groups<T>(context.gradient_at(call.out_gradient)),
                                              {call.a_gradient, context},
                                              {call.b_gradient, context}};
  if (body.a_gradient.wanted() || body.b_gradient.wanted()) {
    for_groups(*context.stream, context.rows(), body.out_gradient.width(), body);
  }
}

template <class T>
void backward(const AddBackward& call, const Context<T>& context) {
  backward_gate<false>(call, context);
}

template <class T>
void backward(const MultiplyBackward& call, const Context<T>& context) {
  backward_gate<true>(call, context);
}

}  // namespace HYSEQ_CUDA_DEVICE
}  // namespace hyseq::kernels::cuda
