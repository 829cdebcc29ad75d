#pragma once

#include "kernels/cuda/column_sums.hpp"
#include "kernels/cuda/groups.hpp"
#include "kernels/cuda/product.hpp"
#include "kernels/linear/linear.hpp"

namespace hyseq::kernels::cuda {
inline namespace HYSEQ_CUDA_DEVICE {

/// out[row] = bias, for the product to add to.
template <class T>
struct BiasGroup {
  Groups<const T> bias;
  Groups<T> out;
  std::size_t member_rows;

  HYSEQ_DEVICE void operator()(std::size_t row, unsigned group) const {
    out.store(row, group, bias.load(row / member_rows, group));
  }
};

/// The rows of each member, and its weight.
template <class T>
[[nodiscard]] Matrices<T> rows_of(const Columns<T>& columns, std::size_t member_rows) {
  return {columns.data, columns.stride, member_rows * columns.stride};
}
template <class T>
[[nodiscard]] Matrices<T> weight_of(const MemberArray<T>& weight, std::size_t inputs) {
  return {weight.data, inputs, weight.step};
}

template <class T>
void forward(const Linear& call, const Context<T>& context) {
  const Columns<T> in = context.at(call.in);
  const Columns<T> out = context.at(call.out);
  const MemberArray<const T> bias = context.parameter(call.bias);
  if (bias.present()) {
    const BiasGroup<T> body{groups_of(bias), Groups<T>(out), context.member_rows()};
    for_groups(*context.stream, context.rows(), out.width, body);
  }
  Product<T> product;
  product.members = context.members;
  product.rows = context.member_rows();
  product.columns = out.width;
  product.inner = in.width;
  product.a = rows_of<const T>(in, context.member_rows());
  product.b = weight_of(context.parameter(call.weight), in.width);
  product.c = rows_of(out, context.member_rows());
  product.transpose_b = true;
  product.accumulate = bias.present();
  product.factors = context.factors;
  multiply(*context.stream, product);
}

/// grad bias.
template <class T>
struct BiasTerms {
  using Number = T;
  static constexpr unsigned kSums = 1;
  Columns<T> out_gradient;

  HYSEQ_DEVICE void add(std::size_t /*member*/, std::size_t row, unsigned column, T (&sums)[kSums]) const {
    sums[0] += out_gradient.at(row, column);
  }
};

template <class T>
void backward(const LinearBackward& call, const Context<T>& context) {
  const Linear& linear = call.call;
  const Columns<T> in = context.at(linear.in);
  const Columns<T> out_gradient = context.gradient_at(call.out_gradient);
  Product<T> product;
  product.members = context.members;
  product.factors = context.factors;

  product.rows = out_gradient.width;
  product.columns = in.width;
  product.inner = context.member_rows();
  product.a = rows_of<const T>(out_gradient, context.member_rows());
  product.b = rows_of<const T>(in, context.member_rows());
  product.c = weight_of(context.parameter_gradient(linear.weight), in.width);
  product.transpose_a = true;
  product.accumulate = true;
  multiply(*context.stream, product);

  if (linear.bias != kNoParameter) {
    add_column_sums(context, out_gradient.width, BiasTerms<T>{out_gradient}, {context.parameter_gradient(linear.bias)});
  }
  if (!call.in_gradient.wanted()) return;
  product.rows = context.member_rows();
  product.columns = in.width;
  product.inner = out_gradient.width;
  product.b = weight_of(context.parameter(linear.weight), in.width);
  product.c = rows_of(context.gradient_at(call.in_gradient.view), context.member_rows());
  product.transpose_a = false;
  product.accumulate = call.in_gradient.mode == GradientMode::accumulate;
  multiply(*context.stream, product);
}

}  // namespace HYSEQ_CUDA_DEVICE
}  // namespace hyseq::kernels::cuda
