#pragma once

#include "kernels/base/numbers/functions.hpp"
#include "kernels/cuda/column_sums.hpp"
#include "kernels/cuda/groups.hpp"
#include "kernels/cuda/team.hpp"
#include "kernels/rms_norm/rms_norm.hpp"

namespace hyseq::kernels::cuda {
inline namespace HYSEQ_CUDA_DEVICE {

/// Kept for the backward call: the scale of every row, [rows].
[[nodiscard]] inline std::size_t kept_size(const RmsNorm& /*call*/, const Program& /*program*/, std::size_t members,
                                           std::size_t batch, std::size_t time) {
  return members * batch * time;
}

template <class T>
struct RmsNormRows {
  static constexpr bool kCooperative = true;
  Groups<T> in;
  Groups<T> out;
  Groups<const T> weight;
  std::size_t rows;
  std::size_t member_rows;
  T epsilon;
  Span<T> kept;

  HYSEQ_DEVICE void operator()(const Thread& thread) const {
    const Team team(thread, in.width());
    const std::size_t row = team.row();
    const unsigned groups = row < rows ? in.count() : 0;
    T squares = 0;
    for (unsigned g = team.lane(); g < groups; g += team.size()) {
      const Group<T> x = in.load(row, g);
      for (unsigned k = 0; k < kGroup; ++k) squares += numbers::square(x[k]);  // 0 where there is no column
    }
    const T scale = numbers::sqrt(team.sum(squares) / static_cast<T>(in.width()) + epsilon);
    const std::size_t member = row / member_rows;
    for (unsigned g = team.lane(); g < groups; g += team.size()) {
      Group<T> x = in.load(row, g);
      const Group<T> w = weight.load(member, g);
      for (unsigned k = 0; k < kGroup; ++k) x[k] = x[k] / scale * w[k];
      out.store(row, g, x);
    }
    if (groups > 0 && !kept.empty() && team.lane() == 0) kept[row] = scale;
  }
};

template <class T>
void forward(const RmsNorm& call, const Context<T>& context) {
  const RmsNormRows<T> kernel{Groups<T>(context.at(call.in)),
                              Groups<T>(context.at(call.out)),
                              groups_of(context.parameter(call.weight)),
                              context.rows(),
                              context.member_rows(),
                              static_cast<T>(call.epsilon),
                              context.kept};
  launch(*context.stream, team_shape(context.rows(), kernel.in.width()), kernel);
}

/// grad weight.
template <class T>
struct RmsNormTerms {
  using Number = T;
  static constexpr unsigned kSums = 1;
  Columns<T> in;
  Columns<T> out_gradient;
  Span<const T> kept;

  HYSEQ_DEVICE void add(std::size_t /*member*/, std::size_t row, unsigned column, T (&sums)[kSums]) const {
    sums[0] += out_gradient.at(row, column) * (in.at(row, column) / kept[row]);
  }
};

template <class T>
struct RmsNormBackwardRows {
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
    const T scale = groups > 0 ? kept[row] : T(1);
    T sum = 0;
    for (unsigned group = team.lane(); group < groups; group += team.size()) {
      const Group<T> x = in.load(row, group);
      const Group<T> g = out_gradient.load(row, group);
      const Group<T> w = weight.load(member, group);
      for (unsigned k = 0; k < kGroup; ++k) sum += g[k] * w[k] * (x[k] / scale);  // 0 where there is no column
    }
    const T along = team.sum(sum) / static_cast<T>(in.width());
    for (unsigned group = team.lane(); group < groups; group += team.size()) {
      const Group<T> x = in.load(row, group);
      Group<T> g = out_gradient.load(row, group);
      const Group<T> w = weight.load(member, group);
      for (unsigned k = 0; k < kGroup; ++k) g[k] = (g[k] * w[k] - x[k] / scale * along) / scale;
      in_gradient.put(row, group, g);
    }
  }
};

template <class T>
void backward(const RmsNormBackward& call, const Context<T>& context) {
  const RmsNorm& norm = call.call;
  const Columns<T> in = context.at(norm.in);
  const Columns<T> out_gradient = context.gradient_at(call.out_gradient);
  add_column_sums(context, in.width, RmsNormTerms<T>{in, out_gradient, context.kept},
                  {context.parameter_gradient(norm.weight)});
  if (!call.in_gradient.wanted()) return;
  const RmsNormBackwardRows<T> kernel{Groups<T>(in),
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
