// Sums over the rows of each member, column by column, added to gradients of parameters.
#pragma once

#include <array>
#include <cstddef>

#include "kernels/cuda/context.hpp"
#include "kernels/cuda/device.hpp"

namespace hyseq::kernels::cuda {
inline namespace HYSEQ_CUDA_DEVICE {

/// What is summed. Terms:
///   using Number = T;  static constexpr unsigned kSums = n;
///   HYSEQ_DEVICE void add(std::size_t member, std::size_t row, unsigned column, T (&sums)[kSums]) const
/// adds the terms of a row, which counts through all members, to the sums of a column.
///
/// A thread has one column of a slab of rows. Sums of one slab go where they belong, those of several are kept apart
/// and summed by SlabTotals.
template <class Terms>
struct SlabSums {
  static constexpr bool kCooperative = false;
  using T = typename Terms::Number;
  Terms terms;
  std::size_t members;
  std::size_t member_rows;
  std::size_t slabs;
  unsigned slab;
  unsigned width;
  MemberArray<T> to[Terms::kSums];
  Span<T> partials;  // [members, slabs, kSums, width] where slabs > 1

  HYSEQ_DEVICE void operator()(const Thread& thread) const {
    const std::size_t index = thread.global_index();
    const std::size_t place = index / width;  // [members, slabs]
    if (place >= members * slabs) return;
    const auto column = static_cast<unsigned>(index - place * width);
    const std::size_t member = place / slabs;
    const std::size_t first = (place - member * slabs) * slab;
    const std::size_t last = first + slab < member_rows ? first + slab : member_rows;
    T sums[Terms::kSums] = {};
    for (std::size_t row = first; row < last; ++row) terms.add(member, member * member_rows + row, column, sums);
    for (unsigned k = 0; k < Terms::kSums; ++k) {
      if (slabs == 1) {
        to[k].at(member, column) += sums[k];
      } else {
        partials[(place * Terms::kSums + k) * width + column] = sums[k];
      }
    }
  }
};

/// to += the sums over slabs. A block has 32 columns of a member and sums every eighth slab by a warp, and then those
/// eight sums.
template <class T, unsigned kSums>
struct SlabTotals {
  static constexpr bool kCooperative = true;
  static constexpr unsigned kWarps = 8;
  std::size_t slabs;
  unsigned width;
  MemberArray<T> to[kSums];
  Span<const T> partials;

  HYSEQ_DEVICE void operator()(const Thread& thread) const {
    const unsigned tiles = (width + kWarp - 1) / kWarp;
    const std::size_t member = thread.block().x / tiles;
    const unsigned column = thread.block().x % tiles * kWarp + thread.lane();
    T sums[kSums] = {};
    for (std::size_t slab = thread.warp(); column < width && slab < slabs; slab += kWarps) {
      for (unsigned k = 0; k < kSums; ++k) sums[k] += partials[((member * slabs + slab) * kSums + k) * width + column];
    }
    const Shared<T> all = thread.template shared<T>(0, kSums * kWarps * kWarp);
    for (unsigned k = 0; k < kSums; ++k) all[k * kWarps * kWarp + thread.index()] = sums[k];
    thread.barrier();
    if (thread.warp() == 0 && column < width) {
      for (unsigned k = 0; k < kSums; ++k) {
        T sum = sums[k];
        for (unsigned warp = 1; warp < kWarps; ++warp) sum += all[(k * kWarps + warp) * kWarp + thread.lane()];
        to[k].at(member, column) += sum;
      }
    }
  }
};

/// Adds the sums of `width` columns to `to`, in an order that depends on the rows of a member alone.
template <class Terms, class T = typename Terms::Number>
void add_column_sums(const Context<T>& context, unsigned width, const Terms& terms,
                     const std::array<MemberArray<T>, Terms::kSums>& to) {
  constexpr unsigned kThreads = 128;
  constexpr unsigned kSlab = 64;
  const std::size_t slabs = (context.member_rows() + kSlab - 1) / kSlab;
  const Workspace::Scope scope(*context.workspace);
  SlabSums<Terms> sums{terms, context.members, context.member_rows(), slabs, kSlab, width, {}, {}};
  SlabTotals<T, Terms::kSums> totals{slabs, width, {}, {}};
  for (unsigned k = 0; k < Terms::kSums; ++k) sums.to[k] = totals.to[k] = to[k];
  if (slabs > 1) {
    sums.partials = context.workspace->template take<T>(context.members * slabs * Terms::kSums * width);
    totals.partials = sums.partials;
  }
  launch(*context.stream, {blocks(context.members * slabs * width, kThreads), kThreads, 0}, sums);
  if (slabs == 1) return;
  constexpr unsigned kTotalThreads = SlabTotals<T, Terms::kSums>::kWarps * kWarp;
  launch(*context.stream,
         {{static_cast<unsigned>(context.members) * blocks(width, kWarp).x, 1, 1},
          kTotalThreads,
          Terms::kSums * kTotalThreads * sizeof(T)},
         totals);
}

}  // namespace HYSEQ_CUDA_DEVICE
}  // namespace hyseq::kernels::cuda
