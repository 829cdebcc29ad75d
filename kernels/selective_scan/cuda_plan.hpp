// How the scan is spread over a GPU, forward and backward.
//
// A thread has one channel and four of its states, a warp 32 channels and the same four states, the warps of a block
// the states of a pass. Channels of a batch row are cut into units of 8, 16 or 32, whatever leaves the fewest lanes
// idle, so that narrow models fill warps with several rows. Time runs in chunks, whose numbers lie in shared memory,
// and long sequences of a single small batch are cut into pieces that run side by side: what a piece does to the state
// is s -> factor s + value, computed first and combined over the pieces (Blelloch 1990).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "kernels/cuda/context.hpp"
#include "kernels/cuda/pack.hpp"
#include "kernels/selective_scan/selective_scan.hpp"

namespace hyseq::kernels::cuda {
inline namespace HYSEQ_CUDA_DEVICE {

inline constexpr unsigned kScanChunk = 16;          // tokens between two checkpoints of the state
inline constexpr unsigned kScanPiece = 256;         // tokens of a piece, where there are several
inline constexpr unsigned kScanStates = 4;          // of a thread
inline constexpr unsigned kScanWarps = 4;           // of a block at most: 16 states a pass
inline constexpr unsigned kScanEnough = 1U << 17U;  // threads of one member that need no pieces

/// Depends on the sizes of one member alone, never on how many run together.
struct ScanPlan {
  unsigned channels = 0;
  unsigned states = 0;
  unsigned batch = 0;
  unsigned time = 0;
  unsigned lanes = 0;   // channels of a unit
  unsigned tiles = 0;   // units of a batch row
  unsigned chunks = 0;  // of a sequence
  unsigned piece = 0;   // tokens of a piece
  unsigned pieces = 0;

  [[nodiscard]] HYSEQ_EVERYWHERE unsigned units() const { return kWarp / lanes; }  // of a warp
  /// Of a [.., states, channels] array of something that each of `count` rows has.
  [[nodiscard]] HYSEQ_DEVICE std::size_t place(std::size_t row, unsigned state, unsigned channel) const {
    return (row * states + state) * channels + channel;
  }
};

template <class T>
[[nodiscard]] ScanPlan scan_plan(const SelectiveScan& call, const Context<T>& context) {
  ScanPlan plan;
  plan.channels = static_cast<unsigned>(call.u.width);
  plan.states = static_cast<unsigned>(call.input.width);
  plan.batch = static_cast<unsigned>(context.batch);
  plan.time = static_cast<unsigned>(context.time);
  plan.lanes = kWarp;
  const auto padded = [&](unsigned lanes) { return (plan.channels + lanes - 1) / lanes * lanes; };
  for (const unsigned lanes : {16U, 8U}) {
    if (padded(lanes) < padded(plan.lanes)) plan.lanes = lanes;
  }
  plan.tiles = padded(plan.lanes) / plan.lanes;
  plan.chunks = (plan.time + kScanChunk - 1) / kScanChunk;
  const std::size_t threads = context.batch * plan.channels * ((plan.states + kScanStates - 1) / kScanStates);
  plan.piece = threads < kScanEnough ? kScanPiece : plan.chunks * kScanChunk;
  plan.pieces = (plan.time + plan.piece - 1) / plan.piece;
  return plan;
}

/// The states of one launch.
struct ScanPass {
  unsigned first = 0;
  unsigned warps = 0;
};

/// run(pass) for groups of states, in order.
template <class Run>
void for_scan_passes(const ScanPlan& plan, const Run& run) {
  for (unsigned first = 0; first < plan.states; first += kScanWarps * kScanStates) {
    run(ScanPass{first, std::min(kScanWarps, (plan.states - first + kScanStates - 1) / kScanStates)});
  }
}

[[nodiscard]] inline Shape scan_shape(const ScanPlan& plan, const ScanPass& pass, std::size_t members,
                                      std::size_t shared_bytes) {
  return {{(plan.batch * plan.tiles + plan.units() - 1) / plan.units(), plan.pieces, static_cast<unsigned>(members)},
          pass.warps * kWarp,
          shared_bytes};
}

/// Where a thread works.
struct ScanPlace {
  unsigned batch_row = 0;
  unsigned channel = 0;
  bool used = false;  // idle lanes compute with zeros
  std::size_t member = 0;
  std::size_t sequence = 0;  // batch row among those of all members

  HYSEQ_DEVICE ScanPlace(const Thread& thread, const ScanPlan& plan, unsigned lane) {
    const unsigned unit = thread.block().x * plan.units() + lane / plan.lanes;
    batch_row = unit / plan.tiles;
    channel = unit % plan.tiles * plan.lanes + lane % plan.lanes;
    used = batch_row < plan.batch && channel < plan.channels;
    member = thread.block().z;
    sequence = member * plan.batch + batch_row;
  }
};

/// A log2(e) with A = -exp(log_rate), so that decays are powers of two; 0 for states beyond the last.
template <class T>
[[nodiscard]] HYSEQ_DEVICE T scan_rate(const MemberArray<const T>& log_rate, const ScanPlan& plan, std::size_t member,
                                       unsigned channel, unsigned state) {
  constexpr auto kLog2E = static_cast<T>(1.4426950408889634);
  if (channel >= plan.channels || state >= plan.states) return T(0);
  return -std::exp(log_rate.at(member, std::size_t{channel} * plan.states + state)) * kLog2E;
}

/// What each piece does to the state or, running back, to its adjoint: [piece][sequence][state][channel].
template <class T>
struct ScanPieces {
  Span<T> factor;
  Span<T> value;  // behind ScanCombine what comes into the piece
};

template <class T>
[[nodiscard]] ScanPieces<T> take_pieces(const ScanPlan& plan, const Context<T>& context) {
  if (plan.pieces < 2) return {};
  const std::size_t size = context.members * plan.batch * plan.pieces * plan.states * plan.channels;
  return {context.workspace->template take<T>(size), context.workspace->template take<T>(size)};
}

/// One piece from nothing: s = a s + x y, a = exp(step A). Forward x = step u and y = B; back x is the gradient and
/// y = C, and the decay comes behind: s = a (s + x y).
template <class T>
struct ScanSummary {
  static constexpr bool kCooperative = false;
  static constexpr unsigned kMostThreads = 128;
  ScanPlan plan;
  bool back = false;
  Columns<const T> step;
  Columns<const T> x;  // u or the gradient
  Columns<const T> y;
  MemberArray<const T> log_rate;
  Span<const std::uint32_t> position;
  ScanPieces<T> pieces;

  HYSEQ_DEVICE void operator()(const Thread& thread) const {
    const auto i = static_cast<unsigned>(thread.global_index());
    const unsigned channel = i % plan.channels;
    const unsigned batch_row = i / plan.channels % plan.batch;
    const unsigned state = i / plan.channels / plan.batch * kScanStates;
    if (state >= plan.states) return;
    const std::size_t member = thread.block().z;
    const std::size_t sequence = member * plan.batch + batch_row;
    // Forward the last piece leads nowhere, back the first one.
    const unsigned piece = thread.block().y + (back ? 1 : 0);
    const unsigned first = piece * plan.piece;
    const unsigned tokens = (first + plan.piece < plan.time ? first + plan.piece : plan.time) - first;
    T rate[kScanStates];
    T factor[kScanStates];
    T value[kScanStates];
    for (unsigned n = 0; n < kScanStates; ++n) {
      rate[n] = scan_rate(log_rate, plan, member, channel, state + n);
      factor[n] = T(1);
      value[n] = T(0);
    }
    for (unsigned k = 0; k < tokens; ++k) {
      const unsigned t = back ? first + tokens - 1 - k : first + k;
      const std::size_t row = sequence * plan.time + t;
      const bool starts = position[std::size_t{batch_row} * plan.time + t] == 0;
      const T width = step.at(row, channel);
      const T drive = back ? x.at(row, channel) : width * x.at(row, channel);
      for (unsigned n = 0; n < kScanStates; ++n) {
        const T decay = starts ? T(0) : std::exp2(width * rate[n]);
        const T added = state + n < plan.states ? drive * y.at(row, state + n) : T(0);
        factor[n] *= decay;
        // What a segment leaves behind may be infinite, and 0 times that is no number.
        value[n] = back ? (starts ? T(0) : decay * (value[n] + added)) : (starts ? T(0) : decay * value[n]) + added;
      }
    }
    for (unsigned n = 0; n < kScanStates && state + n < plan.states; ++n) {
      const std::size_t at =
          plan.place(piece * std::size_t{thread.grid().z} * plan.batch + sequence, state + n, channel);
      pieces.factor[at] = factor[n];
      pieces.value[at] = value[n];
    }
  }
};

/// Replaces what each piece yields by what comes into it.
template <class T>
struct ScanCombine {
  static constexpr bool kCooperative = false;
  ScanPlan plan;
  bool back = false;
  ScanPieces<T> pieces;

  HYSEQ_DEVICE void operator()(const Thread& thread) const {
    const std::size_t size = pieces.value.size() / plan.pieces;
    const std::size_t i = thread.global_index();
    if (i >= size) return;
    T carried(0);
    for (unsigned k = 0; k < plan.pieces; ++k) {
      const std::size_t at = (back ? plan.pieces - 1 - k : k) * size + i;
      const bool last = k + 1 == plan.pieces;
      const T next = last || pieces.factor[at] == T(0) ? T(0) : pieces.factor[at] * carried;
      const T own = last ? T(0) : pieces.value[at];
      pieces.value[at] = carried;
      carried = next + own;
    }
  }
};

template <class T>
void summarise(const ScanSummary<T>& summary, const Context<T>& context) {
  const ScanPlan& plan = summary.plan;
  if (plan.pieces < 2) return;
  const std::size_t threads = std::size_t{plan.channels} * plan.batch * ((plan.states + kScanStates - 1) / kScanStates);
  Shape shape{blocks(threads, 128), 128, 0};
  shape.grid.y = plan.pieces - 1;
  shape.grid.z = static_cast<unsigned>(context.members);
  launch(*context.stream, shape, summary);
  launch(*context.stream, {blocks(summary.pieces.value.size() / plan.pieces, 256), 256, 0},
         ScanCombine<T>{plan, summary.back, summary.pieces});
}

}  // namespace HYSEQ_CUDA_DEVICE
}  // namespace hyseq::kernels::cuda
