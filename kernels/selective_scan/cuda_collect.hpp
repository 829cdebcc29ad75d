// Sums of what the blocks of the backward scan leave, in one fixed order.
#pragma once

#include "kernels/selective_scan/cuda_plan.hpp"

namespace hyseq::kernels::cuda {
inline namespace HYSEQ_CUDA_DEVICE {

/// What the blocks of a backward call leave for others to add up.
template <class T>
struct ScanPartials {
  Span<T> vectors;  // [grad B, grad C][tile][row][state]
  Span<T> rates;    // [sequence][piece][state][channel]
  Span<T> skips;    // [sequence][piece][channel]
};

/// Adds up what the units of a row left.
template <class T>
struct ScanCollectVectors {
  static constexpr bool kCooperative = false;
  ScanPlan plan;
  Span<const T> partials;
  GradientColumns<T> input_gradient;
  GradientColumns<T> output_gradient;

  HYSEQ_DEVICE void operator()(const Thread& thread) const {
    const std::size_t i = thread.global_index();  // [row][state]
    const std::size_t size = partials.size() / plan.tiles / 2;
    if (i >= size) return;
    const GradientColumns<T>& to = thread.block().y == 0 ? input_gradient : output_gradient;
    if (!to.wanted) return;
    T sum(0);
    for (unsigned tile = 0; tile < plan.tiles; ++tile) {
      sum += partials[(std::size_t{thread.block().y} * plan.tiles + tile) * size + i];
    }
    to.put(i / plan.states, i % plan.states, sum);
  }
};

/// Adds up what the batch rows and pieces of a member left.
template <class T>
struct ScanCollectSums {
  static constexpr bool kCooperative = false;
  ScanPlan plan;
  ScanPartials<T> partials;
  MemberArray<T> log_rate_gradient;
  MemberArray<T> skip_gradient;

  HYSEQ_DEVICE void operator()(const Thread& thread) const {
    const auto i = static_cast<unsigned>(thread.global_index());  // [state, and one for skip][channel]
    const unsigned state = i / plan.channels;
    const unsigned channel = i % plan.channels;
    if (state > plan.states) return;
    const std::size_t member = thread.block().z;
    const std::size_t parts = std::size_t{plan.batch} * plan.pieces;
    T sum(0);
    for (std::size_t row = member * parts; row < (member + 1) * parts; ++row) {
      sum += state < plan.states ? partials.rates[plan.place(row, state, channel)]
                                 : partials.skips[row * plan.channels + channel];
    }
    if (state < plan.states) {
      log_rate_gradient.at(member, std::size_t{channel} * plan.states + state) += sum;
    } else {
      skip_gradient.at(member, channel) += sum;
    }
  }
};

}  // namespace HYSEQ_CUDA_DEVICE
}  // namespace hyseq::kernels::cuda
