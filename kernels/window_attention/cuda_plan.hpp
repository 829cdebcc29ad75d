// Sizes of an attention, and which of it a block of threads has.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "kernels/cuda/context.hpp"
#include "kernels/window_attention/window_attention.hpp"

namespace hyseq::kernels::cuda {
inline namespace HYSEQ_CUDA_DEVICE {

/// One call, for the device.
template <class T>
struct AttentionPlan {
  unsigned heads = 0;
  unsigned head_width = 0;
  unsigned window = 0;
  unsigned time = 0;
  T scale = 0;
  DropoutSite site;
  std::uint32_t dropped_below = 0;  // 0: no dropout
  T dropout_scale = 1;
  Span<const std::uint32_t> position;
  Span<const StepValues> step;
  Span<const MemberStepValues> member_steps;

  AttentionPlan(const WindowAttention& call, const Context<T>& context)
      : heads(static_cast<unsigned>(call.heads)),
        head_width(static_cast<unsigned>(call.q.width / call.heads)),
        window(static_cast<unsigned>(call.window)),
        time(static_cast<unsigned>(context.time)),
        scale(static_cast<T>(1 / std::sqrt(static_cast<double>(head_width)))),
        site(call.dropout),
        dropped_below(call.dropout.active() ? call.dropout.threshold() : 0),
        dropout_scale(static_cast<T>(call.dropout.scale())),
        position(context.position),
        step(context.step),
        member_steps(context.member_steps) {}
};

/// What a block works on: a tile of a sequence, a head, a part of the results' columns.
struct AttentionPlace {
  unsigned tile = 0;
  unsigned head = 0;
  unsigned part = 0;
  unsigned batch_row = 0;
  std::size_t member = 0;
  std::size_t sequence = 0;  // batch row among those of all members

  template <class T>
  HYSEQ_DEVICE AttentionPlace(const Thread& thread, const AttentionPlan<T>& plan, unsigned rows)
      : batch_row(thread.block().y), member(thread.block().z), sequence(member * thread.grid().y + batch_row) {
    const unsigned tiles = (plan.time + rows - 1) / rows;
    tile = thread.block().x % tiles;
    head = thread.block().x / tiles % plan.heads;
    part = thread.block().x / tiles / plan.heads;
  }
};

/// The first position that position t of a batch row sees; none where there is no such position t.
template <class T>
[[nodiscard]] HYSEQ_DEVICE unsigned first_seen(const AttentionPlan<T>& plan, unsigned batch_row, unsigned t) {
  if (t >= plan.time) return t + 1;
  const unsigned back = plan.position[std::size_t{batch_row} * plan.time + t];
  return t - (back < plan.window - 1 ? back : plan.window - 1);
}

/// e^(score - largest), never above 1 however the two were rounded.
template <class T>
[[nodiscard]] HYSEQ_DEVICE T softmax_share(T score, T largest) {
  const T difference = score - largest;
  return std::exp(difference > T(0) ? T(0) : difference);
}

}  // namespace HYSEQ_CUDA_DEVICE
}  // namespace hyseq::kernels::cuda
