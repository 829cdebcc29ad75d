#pragma once

#include "kernels/selective_scan/cuda.hpp"
#include "kernels/selective_scan/cuda_collect.hpp"

namespace hyseq::kernels::cuda {
inline namespace HYSEQ_CUDA_DEVICE {

/// Halves `count` pairs of numbers: a lane keeps the sums of the upper or lower half of `values`, by its bit of `mask`.
template <class T, unsigned size>
HYSEQ_DEVICE void fold(const Thread& thread, unsigned count, unsigned mask, T (&values)[size]) {
  const bool upper = (thread.lane() & mask) != 0;
  for (unsigned i = 0; i < size / 2; ++i) {
    if (i >= count) break;
    const T keep = upper ? values[i + count] : values[i];
    const T give = upper ? values[i] : values[i + count];
    values[i] = keep + thread.shuffle_xor(give, mask);
  }
}

template <class T>
struct ScanBackward {
  static constexpr bool kCooperative = true;
  static constexpr unsigned kMostThreads = kScanWarps * kWarp;
  enum Array : unsigned { kU, kStep, kGradient, kArrays };

  ScanPlan plan;
  ScanPass pass;
  ScanMemory memory;
  ScanInputs<T> inputs;
  Columns<const T> out_gradient;
  GradientColumns<T> u_gradient;
  GradientColumns<T> step_gradient;
  Span<const T> incoming;  // of the adjoint, as in ScanForward
  Span<const T> kept;
  ScanPartials<T> partials;

  HYSEQ_DEVICE void operator()(const Thread& thread) const {
    const ScanShared<T> shared(thread, memory);
    const ScanPlace place(thread, plan, thread.lane());
    const unsigned state = pass.first + thread.warp() * kScanStates;
    Walk walk{};
    for (unsigned n = 0; n < kScanStates; ++n) {
      walk.rate[n] = scan_rate(inputs.log_rate, plan, place.member, place.channel, state + n);
      const bool given = !incoming.empty() && place.used && state + n < plan.states;
      const std::size_t piece = std::size_t{thread.block().y} * thread.grid().z * plan.batch;
      walk.later[n] = given ? incoming[plan.place(piece + place.sequence, state + n, place.channel)] : T(0);
    }
    const unsigned begin = thread.block().y * plan.piece;
    const unsigned end = begin + plan.piece < plan.time ? begin + plan.piece : plan.time;
    for (unsigned past = (end - begin + kScanChunk - 1) / kScanChunk; past > 0; --past) {
      const unsigned first = begin + (past - 1) * kScanChunk;
      const unsigned count = end - first < kScanChunk ? end - first : kScanChunk;
      shared.load_vectors(thread, inputs, plan, pass, first, count);
      shared.load_row(thread, kU, inputs.u, plan, place, first, count);
      shared.load_row(thread, kStep, inputs.step, plan, place, first, count);
      shared.load_row(thread, kGradient, out_gradient, plan, place, first, count);
      thread.barrier();
      T s[kScanStates];
      const std::size_t chunk = place.sequence * plan.chunks + first / kScanChunk;
      for (unsigned n = 0; n < kScanStates; ++n) {
        s[n] = place.used && state + n < plan.states ? kept[plan.place(chunk, state + n, place.channel)] : T(0);
      }
      walk_forward(thread, shared, count, walk, s);
      for (unsigned t = count; t > 0; --t) walk_back(thread, shared, t - 1, walk);
      thread.barrier();
      pass_on(thread, shared, place, first, count);
      leave_vectors(thread, shared, first, count);
    }
    leave_sums(thread, place, walk);
  }

 private:
  using States = Pack<T, kScanStates>;
  struct Walk {
    T rate[kScanStates];
    T later[kScanStates];  // a_{t+1} r_{t+1}
    T rate_sum[kScanStates];
    T skip_sum;
  };

  [[nodiscard]] HYSEQ_DEVICE unsigned token(const Thread& thread, unsigned t) const {
    return thread.lane() / plan.lanes * kScanChunk + t;
  }

  /// Leaves the state before every token in the history.
  HYSEQ_DEVICE void walk_forward(const Thread& thread, const ScanShared<T>& shared, unsigned count, const Walk& walk,
                                 T (&s)[kScanStates]) const {
    for (unsigned t = 0; t < count; ++t) {
      const T step = shared.rows[shared.row(kStep, t, thread.lane())];
      const T drive = step * shared.rows[shared.row(kU, t, thread.lane())];
      const bool starts = shared.starts[token(thread, t)] != 0;
      const States b = shared.input[token(thread, t) * pass.warps + thread.warp()];
      States before;
      for (unsigned n = 0; n < kScanStates; ++n) {
        before[n] = starts ? T(0) : s[n];
        s[n] = std::exp2(step * walk.rate[n]) * before[n] + drive * b[n];
      }
      shared.history[t * thread.count() + thread.index()] = before;
    }
  }

  HYSEQ_DEVICE void walk_back(const Thread& thread, const ScanShared<T>& shared, unsigned t, Walk& walk) const {
    const T u = shared.rows[shared.row(kU, t, thread.lane())];
    const T step = shared.rows[shared.row(kStep, t, thread.lane())];
    const T g = shared.rows[shared.row(kGradient, t, thread.lane())];
    const T drive = step * u;
    const bool starts = shared.starts[token(thread, t)] != 0;
    const States b = shared.input[token(thread, t) * pass.warps + thread.warp()];
    const States c = shared.output[token(thread, t) * pass.warps + thread.warp()];
    const States before = shared.history[t * thread.count() + thread.index()];
    T through_input(0);
    T through_decay(0);
    T vectors[2 * kScanStates];  // grad B, grad C
    for (unsigned n = 0; n < kScanStates; ++n) {
      const T decay = std::exp2(step * walk.rate[n]);
      const T held = decay * before[n];
      const T r = g * c[n] + walk.later[n];
      const T decayed = r * held;
      vectors[n] = drive * r;
      vectors[kScanStates + n] = g * (held + drive * b[n]);
      through_input += r * b[n];
      through_decay += decayed * walk.rate[n];
      walk.rate_sum[n] += decayed * step;
      walk.later[n] = starts ? T(0) : decay * r;
    }
    walk.skip_sum += g * u;
    // The history has been read, and only by this thread: its place serves for what the warps have to add up.
    shared.history[t * thread.count() + thread.index()] = States{{through_input, through_decay, T(0), T(0)}};

    // Sums over the channels of the unit: each of its eight groups of lanes ends up with one of the eight numbers.
    fold(thread, 4, plan.lanes / 2, vectors);
    fold(thread, 2, plan.lanes / 4, vectors);
    fold(thread, 1, plan.lanes / 8, vectors);
    for (unsigned mask = plan.lanes / 16; mask > 0; mask /= 2) vectors[0] += thread.shuffle_xor(vectors[0], mask);
    const unsigned group = plan.lanes / 8;
    const unsigned which = thread.lane() % plan.lanes / group;
    if (thread.lane() % group == 0) {
      const unsigned at = (token(thread, t) * 2 + which / kScanStates) * pass.warps + thread.warp();
      shared.sums[at * kScanStates + which % kScanStates] = vectors[0];
    }
  }

  /// Gradients of u and the steps: sums over the states, pass by pass.
  HYSEQ_DEVICE void pass_on(const Thread& thread, const ScanShared<T>& shared, const ScanPlace& place, unsigned first,
                            unsigned count) const {
    constexpr auto kLn2 = static_cast<T>(0.69314718055994531);  // the rates are in units of log2(e)
    if (!place.used) return;
    const T skip = pass.first == 0 ? inputs.skip.at(place.member, place.channel) : T(0);
    for (unsigned t = thread.warp(); t < count; t += pass.warps) {
      T through_input(0);
      T through_decay(0);
      for (unsigned w = 0; w < pass.warps; ++w) {
        const States sums = shared.history[t * thread.count() + w * kWarp + thread.lane()];
        through_input += sums[0];
        through_decay += sums[1];
      }
      const std::size_t row = place.sequence * plan.time + first + t;
      const T u = shared.rows[shared.row(kU, t, thread.lane())];
      const T step = shared.rows[shared.row(kStep, t, thread.lane())];
      const T g = shared.rows[shared.row(kGradient, t, thread.lane())];
      if (u_gradient.wanted) u_gradient.put(row, place.channel, step * through_input + skip * g);
      if (step_gradient.wanted) step_gradient.put(row, place.channel, u * through_input + through_decay * kLn2);
    }
  }

  /// Sums over the channels of a unit, for ScanCollectVectors.
  HYSEQ_DEVICE void leave_vectors(const Thread& thread, const ScanShared<T>& shared, unsigned first,
                                  unsigned count) const {
    const unsigned width = pass.warps * kScanStates;
    const std::size_t rows = std::size_t{thread.grid().z} * plan.batch * plan.time;
    for (unsigned i = thread.index(); i < memory.sums; i += thread.count()) {
      const unsigned t = i / width / 2 % kScanChunk;
      const unsigned unit = i / width / 2 / kScanChunk;
      const unsigned state = pass.first + i % width;
      const ScanPlace place(thread, plan, unit * plan.lanes);
      if (t >= count || place.batch_row >= plan.batch || state >= plan.states) continue;
      const std::size_t which = i / width % 2;
      const std::size_t tile = place.channel / plan.lanes;
      const std::size_t row = place.sequence * plan.time + first + t;
      partials.vectors[((which * plan.tiles + tile) * rows + row) * plan.states + state] = shared.sums[i];
    }
  }

  HYSEQ_DEVICE void leave_sums(const Thread& thread, const ScanPlace& place, const Walk& walk) const {
    constexpr auto kLn2 = static_cast<T>(0.69314718055994531);
    if (!place.used) return;
    const unsigned state = pass.first + thread.warp() * kScanStates;
    const std::size_t row = place.sequence * plan.pieces + thread.block().y;
    for (unsigned n = 0; n < kScanStates && state + n < plan.states; ++n) {
      // grad log_rate = A grad A.
      partials.rates[plan.place(row, state + n, place.channel)] = walk.rate_sum[n] * walk.rate[n] * kLn2;
    }
    if (state == 0) partials.skips[row * plan.channels + place.channel] = walk.skip_sum;
  }
};

template <class T>
void backward(const SelectiveScanBackward& call, const Context<T>& context) {
  using Kernel = ScanBackward<T>;
  const Workspace::Scope scope(*context.workspace);
  const ScanPlan plan = scan_plan(call.call, context);
  const ScanInputs<T> inputs(call.call, context);
  const Columns<const T> gradient = context.gradient_at(call.out_gradient);
  const ScanPieces<T> pieces = take_pieces(plan, context);
  summarise(ScanSummary<T>{plan, true, inputs.step, gradient, inputs.output, inputs.log_rate, inputs.position, pieces},
            context);
  const std::size_t parts = context.members * plan.batch * plan.pieces;
  ScanPartials<T> partials;
  partials.vectors = context.workspace->template take<T>(2 * plan.tiles * context.rows() * plan.states);
  partials.rates = context.workspace->template take<T>(parts * plan.states * plan.channels);
  partials.skips = context.workspace->template take<T>(parts * plan.channels);
  GradientColumns<T> u_gradient = sink(call.u_gradient, context);
  GradientColumns<T> step_gradient = sink(call.step_gradient, context);
  for_scan_passes(plan, [&](const ScanPass& pass) {
    ScanMemory memory(plan, pass, Kernel::kArrays);
    memory.history = pass.warps * kScanChunk * kWarp;
    memory.sums = plan.units() * kScanChunk * 2 * pass.warps * kScanStates;
    launch(
        *context.stream, scan_shape(plan, pass, context.members, memory.bytes<T>()),
        Kernel{plan, pass, memory, inputs, gradient, u_gradient, step_gradient, pieces.value, context.kept, partials});
    u_gradient.accumulate = true;
    step_gradient.accumulate = true;
  });

  Shape shape{blocks(context.rows() * plan.states, 256), 256, 0};
  shape.grid.y = 2;
  launch(*context.stream, shape,
         ScanCollectVectors<T>{plan, partials.vectors, sink(call.input_gradient, context),
                               sink(call.output_gradient, context)});
  shape = {blocks(std::size_t{plan.states + 1} * plan.channels, 128), 128, 0};
  shape.grid.z = static_cast<unsigned>(context.members);
  launch(*context.stream, shape,
         ScanCollectSums<T>{plan, partials, context.parameter_gradient(call.call.log_rate),
                            context.parameter_gradient(call.call.skip)});
}

}  // namespace HYSEQ_CUDA_DEVICE
}  // namespace hyseq::kernels::cuda
