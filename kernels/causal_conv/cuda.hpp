// A thread has one channel and a few consecutive tokens, so that a weight serves them all; neighbours have neighbouring
// channels.
#pragma once

#include "kernels/causal_conv/causal_conv.hpp"
#include "kernels/cuda/context.hpp"

namespace hyseq::kernels::cuda {
inline namespace HYSEQ_CUDA_DEVICE {

inline constexpr unsigned kConvTokens = 8;  // of a thread
inline constexpr unsigned kConvTaps = 4;    // of a thread that sums gradients of weights
inline constexpr unsigned kConvRows = 256;  // of such a thread: what lies between is summed by another kernel
inline constexpr unsigned kConvThreads = 128;

/// Sizes of one member, and where a thread works: threads by tile of tokens and channel, blocks by batch row and
/// member.
struct ConvPlan {
  unsigned channels = 0;
  unsigned kernel = 0;
  unsigned time = 0;

  template <class T>
  ConvPlan(const CausalConv& call, const Context<T>& context)
      : channels(static_cast<unsigned>(call.in.width)),
        kernel(static_cast<unsigned>(call.kernel)),
        time(static_cast<unsigned>(context.time)) {}

  template <class T>
  [[nodiscard]] Shape shape(const Context<T>& context) const {
    const std::size_t tiles = (time + kConvTokens - 1) / kConvTokens;
    Shape shape{blocks(tiles * channels, kConvThreads), kConvThreads, 0};
    shape.grid.y = static_cast<unsigned>(context.batch);
    shape.grid.z = static_cast<unsigned>(context.members);
    return shape;
  }
};

template <class T>
struct ConvForward {
  static constexpr bool kCooperative = false;
  static constexpr unsigned kMostThreads = kConvThreads;
  ConvPlan plan;
  Columns<const T> in;
  Columns<T> out;
  MemberArray<const T> weight;
  MemberArray<const T> bias;
  Span<const std::uint32_t> position;

  HYSEQ_DEVICE void operator()(const Thread& thread) const {
    const auto i = static_cast<unsigned>(thread.global_index());
    const unsigned channel = i % plan.channels;
    const unsigned first = i / plan.channels * kConvTokens;
    if (first >= plan.time) return;
    const std::size_t member = thread.block().z;
    const std::size_t begin = std::size_t{thread.block().y} * plan.time;
    const std::size_t row = (member * thread.grid().y + thread.block().y) * plan.time + first;
    const unsigned count = plan.time - first < kConvTokens ? plan.time - first : kConvTokens;
    unsigned reach[kConvTokens];  // how far back a token sees
    T sum[kConvTokens];
    for (unsigned t = 0; t < kConvTokens; ++t) {
      reach[t] = t < count ? position[begin + first + t] : 0;
      sum[t] = T(0);
    }
    for (unsigned back = plan.kernel; back-- > 0;) {
      const T w = weight.at(member, std::size_t{channel} * plan.kernel + plan.kernel - 1 - back);
      for (unsigned t = 0; t < kConvTokens; ++t) {
        if (t < count && back <= reach[t]) sum[t] += w * in.at(row + t - back, channel);
      }
    }
    const T b = bias.at(member, channel);
    for (unsigned t = 0; t < kConvTokens; ++t) {
      if (t < count) out.at(row + t, channel) = sum[t] + b;
    }
  }
};

template <class T>
void forward(const CausalConv& call, const Context<T>& context) {
  const ConvPlan plan(call, context);
  launch(*context.stream, plan.shape(context),
         ConvForward<T>{plan, context.at(call.in), context.at(call.out), context.parameter(call.weight),
                        context.parameter(call.bias), context.position});
}

template <class T>
struct ConvBackward {
  static constexpr bool kCooperative = false;
  static constexpr unsigned kMostThreads = kConvThreads;
  ConvPlan plan;
  Columns<const T> out_gradient;
  GradientColumns<T> in_gradient;
  MemberArray<const T> weight;
  Span<const std::uint32_t> position;

  HYSEQ_DEVICE void operator()(const Thread& thread) const {
    const auto i = static_cast<unsigned>(thread.global_index());
    const unsigned channel = i % plan.channels;
    const unsigned first = i / plan.channels * kConvTokens;
    if (first >= plan.time) return;
    const std::size_t member = thread.block().z;
    const std::size_t begin = std::size_t{thread.block().y} * plan.time;
    const std::size_t row = (member * thread.grid().y + thread.block().y) * plan.time + first;
    const unsigned count = plan.time - first < kConvTokens ? plan.time - first : kConvTokens;
    T sum[kConvTokens];
    for (T& s : sum) s = T(0);
    for (unsigned ahead = 0; ahead < plan.kernel; ++ahead) {
      const T w = weight.at(member, std::size_t{channel} * plan.kernel + plan.kernel - 1 - ahead);
      for (unsigned t = 0; t < kConvTokens; ++t) {
        const unsigned reader = first + t + ahead;
        if (t < count && reader < plan.time && position[begin + reader] >= ahead) {
          sum[t] += w * out_gradient.at(row + t + ahead, channel);
        }
      }
    }
    for (unsigned t = 0; t < kConvTokens; ++t) {
      if (t < count) in_gradient.put(row + t, channel, sum[t]);
    }
  }
};

/// Gradients of a few taps, or of the bias, over one slab of a member's rows: partials [member][slab][tap][channel],
/// the tap `kernel` being the bias.
template <class T>
struct ConvWeightGradient {
  static constexpr bool kCooperative = false;
  static constexpr unsigned kMostThreads = kConvThreads;
  ConvPlan plan;
  unsigned rows = 0;  // of a member
  Columns<const T> in;
  Columns<const T> out_gradient;
  Span<const std::uint32_t> position;
  Span<T> partials;

  HYSEQ_DEVICE void operator()(const Thread& thread) const {
    const auto i = static_cast<unsigned>(thread.global_index());
    const unsigned channel = i % plan.channels;
    const unsigned first_back = i / plan.channels * kConvTaps;
    if (first_back >= plan.kernel) return;
    const std::size_t member = thread.block().z;
    const unsigned first = thread.block().y * kConvRows;
    const unsigned last = first + kConvRows < rows ? first + kConvRows : rows;
    T sum[kConvTaps];
    for (T& s : sum) s = T(0);
    T bias(0);
    for (unsigned r = first; r < last; ++r) {
      const std::size_t row = member * rows + r;
      const T g = out_gradient.at(row, channel);
      const unsigned reach = position[r];
      bias += g;
      for (unsigned j = 0; j < kConvTaps; ++j) {
        if (first_back + j <= reach) sum[j] += g * in.at(row - first_back - j, channel);
      }
    }
    const std::size_t slab = (member * thread.grid().y + thread.block().y) * (plan.kernel + 1);
    for (unsigned j = 0; j < kConvTaps && first_back + j < plan.kernel; ++j) {
      partials[(slab + plan.kernel - 1 - first_back - j) * plan.channels + channel] = sum[j];
    }
    if (first_back == 0) partials[(slab + plan.kernel) * plan.channels + channel] = bias;
  }
};

template <class T>
struct ConvCollect {
  static constexpr bool kCooperative = false;
  static constexpr unsigned kMostThreads = kConvThreads;
  ConvPlan plan;
  unsigned slabs = 0;
  Span<const T> partials;
  MemberArray<T> weight_gradient;
  MemberArray<T> bias_gradient;

  HYSEQ_DEVICE void operator()(const Thread& thread) const {
    const auto i = static_cast<unsigned>(thread.global_index());
    const unsigned tap = i / plan.channels;
    const unsigned channel = i % plan.channels;
    if (tap > plan.kernel) return;
    const std::size_t member = thread.block().z;
    T sum(0);
    for (unsigned slab = 0; slab < slabs; ++slab) {
      sum += partials[((member * slabs + slab) * (plan.kernel + 1) + tap) * plan.channels + channel];
    }
    if (tap < plan.kernel) {
      weight_gradient.at(member, std::size_t{channel} * plan.kernel + tap) += sum;
    } else {
      bias_gradient.at(member, channel) += sum;
    }
  }
};

template <class T>
void backward(const CausalConvBackward& call, const Context<T>& context) {
  const CausalConv& conv = call.call;
  const ConvPlan plan(conv, context);
  const Columns<const T> gradient = context.gradient_at(call.out_gradient);
  if (call.in_gradient.wanted()) {
    launch(*context.stream, plan.shape(context),
           ConvBackward<T>{plan, gradient, sink(call.in_gradient, context), context.parameter(conv.weight),
                           context.position});
  }

  const Workspace::Scope scope(*context.workspace);
  const auto rows = static_cast<unsigned>(context.member_rows());
  const unsigned slabs = (rows + kConvRows - 1) / kConvRows;
  const std::size_t sums = std::size_t{plan.kernel + 1} * plan.channels;
  const Span<T> partials = context.workspace->template take<T>(context.members * slabs * sums);
  const unsigned groups = (plan.kernel + kConvTaps - 1) / kConvTaps;
  const auto members = static_cast<unsigned>(context.members);
  Shape shape{blocks(std::size_t{groups} * plan.channels, kConvThreads), kConvThreads, 0};
  shape.grid.y = slabs;
  shape.grid.z = members;
  launch(*context.stream, shape,
         ConvWeightGradient<T>{plan, rows, context.at(conv.in), gradient, context.position, partials});
  shape = {blocks(sums, kConvThreads), kConvThreads, 0};
  shape.grid.z = members;
  launch(*context.stream, shape,
         ConvCollect<T>{plan, slabs, partials, context.parameter_gradient(conv.weight),
                        context.parameter_gradient(conv.bias)});
}

}  // namespace HYSEQ_CUDA_DEVICE
}  // namespace hyseq::kernels::cuda
