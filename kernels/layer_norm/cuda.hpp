#pragma once

#include "kernels/base/numbers/functions.hpp"
#include "kernels/cuda/column_sums.hpp"
#include "kernels/cuda/groups.hpp"
#include "kernels/cuda/team.hpp"
#include "kernels/layer_norm/layer_norm.hpp"

namespace hyseq::kernels::cuda {
inline namespace HYSEQ_CUDA_DEVICE {

/// Kept for the backward call: mean and deviation of every row, [rows, 2].
[[nodiscard]] inline std::size_t kept_size(const LayerNorm& /*call*/, const Program& /*program*/, std::size_t members,
                                           std::size_t batch, std::size_t time) {
  return 2 * members * batch * time;
}

template <class T>
struct LayerNormRows {
  static constexpr bool kCooperative = true;
  Groups<T> in;
  Groups<T> out;
  Groups<const T> weight;
  Groups<const T> bias;
  std::size_t rows;
  std::size_t member_rows;
  T epsilon;
  Span<T> kept;

  HYSEQ_DEVICE void operator()(const Thread& thread) const {
    const Team team(thread, in.width());
    const std::size_t row = team.row();
    const unsigned groups = row < rows ? in.count() : 0;
    const T count = static_cast<T>(in.width());
    T sum = 0;
    for (unsigned g = team.lane(); g < groups; g += team.size()) {
      const Group<T> x = in.load(row, g);
      sum += (x[0] + x[1]) + (x[2] + x[3]);
    }
    const T mean = team.sum(sum) / count;
    T squares = 0;
    for (unsigned g = team.lane(); g < groups; g += team.size()) {
      const Group<T> x = in.load(row, g);
      for (unsigned k = 0; k < in.size(g); ++k) squares += numbers::square(x[k] - mean);
    }
    const T deviation = numbers::sqrt(team.sum(squares) / count + epsilon);
    const std::size_t member = row / member_rows;
    for (unsigned g = team.lane(); g < groups; g += team.size()) {
      Group<T> x = in.load(row, g);
      const Group<T> w = weight.load(member, g);
      const Group<T> b = bias.load(member, g);
      for (unsigned k = 0; k < kGroup; ++k) x[k] = (x[k] - mean) / deviation * w[k] + b[k];
      out.store(row, g, x);
    }
    if (groups > 0 && !kept.empty() && team.lane() == 0) {
      kept[2 * row] = mean;
      kept[2 * row + 1] = deviation;
    }
  }
};

template <class T>
void forward(const LayerNorm& call, const Context<T>& context) {
  const LayerNormRows<T> kernel{Groups<T>(context.at(call.in)),
                                Groups<T>(context.at(call.out)),
                                groups_of(context.parameter(call.weight)),
                                groups_of(context.parameter(call.bias)),
                                context.rows(),
                                context.member_rows(),
                                static_cast<T>(call.epsilon),
                                context.kept};
  launch(*context.stream, team_shape(context.rows(), kernel.in.width()), kernel);
}

/// grad weight and grad bias.
template <class T>
struct LayerNormTerms {
  using Number = T;
  static constexpr unsigned kSums = 2;
  Columns<T> in;
  Columns<T> out_gradient;
  Span<const T> kept;

  HYSEQ_DEVICE void add(std::size_t /*member*/, std::size_t row, unsigned column, T (&sums)[kSums]) const {
    const T g = out_gradient.at(row, column);
    sums[0] += g * ((in.at(row, column) - kept[2 * row]) / kept[2 * row + 1]);
    sums[1] += g;
  }
};

template <class T>
struct LayerNormBackwardRows {
  static constexpr bool kCooperative = true;
  Groups<T> in;
  Groups<T> out_gradient;
  Groups<const T> weight;
  GroupSink<T> in_gradient;
  std::size_t rows;
  std::size_t member_rows;
  Span<const T> kept;

  HYSEQ_DEVICE void operator()(const Thread& thread) const {
    const Team team(thread, in.width());
    const std::size_t row = team.row();
    const unsigned groups = row < rows ? in.count() : 0;
    const std::size_t member = row / member_rows;
    const T mean = groups > 0 ? kept[2 * row] : T(0);
    const T deviation = groups > 0 ? kept[2 * row + 1] : T(1);
    T sum_g = 0;
    T sum_gn = 0;
    for (unsigned group = team.lane(); group < groups; group += team.size()) {
      const Group<T> x = in.load(row, group);
      const Group<T> arriving = out_gradient.load(row, group);
      const Group<T> w = weight.load(member, group);
      for (unsigned k = 0; k < kGroup; ++k) {
        const T g = arriving[k] * w[k];  // 0 where there is no column
        sum_g += g;
        sum_gn += g * ((x[k] - mean) / deviation);
      }
    }
    const T count = static_cast<T>(in.width());
    const T mean_g = team.sum(sum_g) / count;
    const T mean_gn = team.sum(sum_gn) / count;
    for (unsigned group = team.lane(); group < groups; group += team.size()) {
      const Group<T> x = in.load(row, group);
      Group<T> g = out_gradient.load(row, group);
      const Group<T> w = weight.load(member, group);
      for (unsigned k = 0; k < kGroup; ++k) {
        g[k] = (g[k] * w[k] - mean_g - (x[k] - mean) / deviation * mean_gn) / deviation;
      }
      in_gradient.put(row, group, g);
    }
  }
};

template <class T>
void backward(const LayerNormBackward& call, const Context<T>& context) {
  const LayerNorm& norm = call.call;
  const Columns<T> in = context.at(norm.in);
  const Columns<T> out_gradient = context.gradient_at(call.out_gradient);
  add_column_sums(context, in.width, LayerNormTerms<T>{in, out_gradient, context.kept},
                  {context.parameter_gradient(norm.weight), context.parameter_gradient(norm.bias)});
  if (!call.in_gradient.wanted()) return;
  const LayerNormBackwardRows<T> kernel{Groups<T>(in),
                                        Groups<T>(out_gradient),
                                        groups_of(context.parameter(norm.weight)),
                                        {call.in_gradient, context},
                                        context.rows(),
                                        context.member_rows(),
                                        context.kept};
  launch(*context.stream, team_shape(context.rows(), in.width), kernel);
}

}  // namespace HYSEQ_CUDA_DEVICE
}  // namespace hyseq::kernels::cuda
