#pragma once

#include "kernels/dense/context.hpp"
#include "kernels/dense/product.hpp"
#include "kernels/dense/vectors.hpp"
#include "kernels/linear/linear.hpp"

namespace hyseq::kernels::dense {

template <class T>
void forward(const Linear& call, const Context<T>& context) {
  const auto inputs = static_cast<std::size_t>(call.in.width);
  const auto outputs = static_cast<std::size_t>(call.out.width);
  const T* weight = context.parameter(call.weight);
  const T* bias = context.parameter(call.bias);
  const Tiling tiling(context.rows(), outputs);
  context.pool->run(tiling.count(), [&](std::size_t task, std::size_t /*worker*/) {
    const auto tile = tiling[task];
    T* first = context.at(call.out, tile.row) + tile.column;
    auto out = rows_at(first, tile.rows, tile.columns, context.stride(call.out));
    const auto in =
        rows_at<T>(static_cast<const T*>(context.at(call.in, tile.row)), tile.rows, inputs, context.stride(call.in));
    const auto w = rows_at(weight + tile.column * inputs, tile.columns, inputs, inputs);
    if (bias == nullptr) {
      out.noalias() = in * w.transpose();
      return;
    }
    for (std::size_t row = 0; row < tile.rows; ++row) {
      std::copy_n(bias + tile.column, tile.columns, first + row * context.stride(call.out));
    }
    out.noalias() += in * w.transpose();
  });
}

/// Columns [first, last) of the bias gradient: sums over all rows, one after the other.
template <class T>
void add_columns(const View& gradient, std::size_t first, std::size_t last, T* sums, const Context<T>& context) {
  for_vectors<T>(last - first, [&](auto v, std::size_t i) {
    auto sum = v.load(sums + first + i);
    const std::size_t stride = context.gradient_stride(gradient);
    const T* g = context.gradient_at(gradient, 0) + first + i;
    for (std::size_t row = 0; row < context.rows(); ++row, g += stride) sum = hn::Add(sum, v.load(g));
    v.store(sum, sums + first + i);
  });
}

/// All three gradients as one list of tasks, because each list ends in a wait.
template <class T>
void backward(const LinearBackward& call, const Context<T>& context) {
  const Linear& linear = call.call;
  const std::size_t rows = context.rows();
  const auto inputs = static_cast<std::size_t>(linear.in.width);
  const auto outputs = static_cast<std::size_t>(linear.out.width);
  const T* weight = context.parameter(linear.weight);
  T* weight_gradient = context.parameter_gradient(linear.weight);
  T* bias_gradient = context.parameter_gradient(linear.bias);
  const std::size_t g_stride = context.gradient_stride(call.out_gradient);
  const auto g = [&](std::size_t row, std::size_t column) {
    return static_cast<const T*>(context.gradient_at(call.out_gradient, row) + column);
  };

  const Tiling weight_tiles(outputs, inputs);
  const Tiling input_tiles(rows, inputs);
  constexpr std::size_t kBiasTile = 256;
  const std::size_t input_count = call.in_gradient.wanted() ? input_tiles.count() : 0;
  const std::size_t bias_count = bias_gradient == nullptr ? 0 : (outputs + kBiasTile - 1) / kBiasTile;
  context.pool->run(weight_tiles.count() + input_count + bias_count, [&](std::size_t task, std::size_t /*worker*/) {
    if (task < weight_tiles.count()) {
      const auto tile = weight_tiles[task];
      auto to = rows_at(weight_gradient + tile.row * inputs + tile.column, tile.rows, tile.columns, inputs);
      // Few rows at a time: both operands are read across their rows, and this keeps them in the caches.
      constexpr std::size_t kDepth = 256;
      for (std::size_t row = 0; row < rows; row += kDepth) {
        const std::size_t depth = std::min(kDepth, rows - row);
        const auto out_gradient = rows_at(g(row, tile.row), depth, tile.rows, g_stride);
        const auto in = rows_at(static_cast<const T*>(context.at(linear.in, row) + tile.column), depth, tile.columns,
                                context.stride(linear.in));
        to.noalias() += out_gradient.transpose() * in;
      }
      return;
    }
    task -= weight_tiles.count();
    if (task < input_count) {
      const auto tile = input_tiles[task];
      auto to = rows_at(context.gradient_at(call.in_gradient.view, tile.row) + tile.column, tile.rows, tile.columns,
                        context.gradient_stride(call.in_gradient.view));
      const auto out_gradient = rows_at(g(tile.row, 0), tile.rows, outputs, g_stride);
      const auto w = rows_at(weight + tile.column, outputs, tile.columns, inputs);
      if (call.in_gradient.mode == GradientMode::accumulate) {
        to.noalias() += out_gradient * w;
      } else {
        to.noalias() = out_gradient * w;
      }
      return;
    }
    task -= input_count;
    add_columns(call.out_gradient, task * kBiasTile, std::min(outputs, (task + 1) * kBiasTile), bias_gradient, context);
  });
}

}  // namespace hyseq::kernels::dense
