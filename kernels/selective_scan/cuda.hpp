#pragma once

#include "kernels/selective_scan/cuda_plan.hpp"

namespace hyseq::kernels::cuda {
inline namespace HYSEQ_CUDA_DEVICE {

/// What a scan reads.
template <class T>
struct ScanInputs {
  Columns<const T> u;
  Columns<const T> step;
  Columns<const T> input;
  Columns<const T> output;
  MemberArray<const T> log_rate;
  MemberArray<const T> skip;
  Span<const std::uint32_t> position;

  ScanInputs(const SelectiveScan& call, const Context<T>& context)
      : u(context.at(call.u)),
        step(context.at(call.step)),
        input(context.at(call.input)),
        output(context.at(call.output)),
        log_rate(context.parameter(call.log_rate)),
        skip(context.parameter(call.skip)),
        position(context.position) {}
};

/// Elements of a block's shared memory, for one chunk.
struct ScanMemory {
  unsigned vectors = 0;  // of B, and as many of C: [unit][token][warp]
  unsigned history = 0;  // [token][thread]
  unsigned rows = 0;     // [array][token][lane]
  unsigned sums = 0;
  unsigned starts = 0;  // [unit][token]

  ScanMemory(const ScanPlan& plan, const ScanPass& pass, unsigned arrays)
      : vectors(plan.units() * kScanChunk * pass.warps),
        rows(arrays * kScanChunk * kWarp),
        starts(plan.units() * kScanChunk) {}

  template <class T>
  [[nodiscard]] std::size_t bytes() const {
    const std::size_t packs = 2 * vectors + history;
    return packs * sizeof(Pack<T, kScanStates>) + (rows + sums) * sizeof(T) + starts * sizeof(unsigned);
  }
};

/// A block's shared memory, and how a chunk comes there.
template <class T>
struct ScanShared {
  using States = Pack<T, kScanStates>;

  Shared<States> input;
  Shared<States> output;
  Shared<States> history;
  Shared<T> vectors;  // of input and output, one by one
  Shared<T> rows;
  Shared<T> sums;
  Shared<unsigned> starts;

  HYSEQ_DEVICE ScanShared(const Thread& thread, const ScanMemory& memory)
      : input(thread.shared<States>(0, memory.vectors)),
        output(thread.shared<States>(memory.vectors * sizeof(States), memory.vectors)),
        history(thread.shared<States>(std::size_t{2} * memory.vectors * sizeof(States), memory.history)),
        vectors(thread.shared<T>(0, 2 * kScanStates * memory.vectors)),
        rows(thread.shared<T>(numbers(memory) * sizeof(T), memory.rows)),
        sums(thread.shared<T>((numbers(memory) + memory.rows) * sizeof(T), memory.sums)),
        starts(thread.shared<unsigned>((numbers(memory) + memory.rows + memory.sums) * sizeof(T), memory.starts)) {}

  [[nodiscard]] static HYSEQ_DEVICE unsigned row(unsigned array, unsigned t, unsigned lane) {
    return (array * kScanChunk + t) * kWarp + lane;
  }

  /// B and C of the pass and the starts of segments for tokens [first, first + count).
  HYSEQ_DEVICE void load_vectors(const Thread& thread, const ScanInputs<T>& inputs, const ScanPlan& plan,
                                 const ScanPass& pass, unsigned first, unsigned count) const {
    const unsigned width = pass.warps * kScanStates;
    const unsigned size = plan.units() * kScanChunk * width;
    for (unsigned i = thread.index(); i < size; i += thread.count()) {
      const unsigned t = i / width % kScanChunk;
      if (t >= count) continue;
      const ScanPlace place(thread, plan, i / width / kScanChunk * plan.lanes);
      const unsigned state = pass.first + i % width;
      const bool used = place.batch_row < plan.batch && state < plan.states;
      const std::size_t row = place.sequence * plan.time + first + t;
      vectors[i] = used ? inputs.input.at(row, state) : T(0);
      vectors[size + i] = used ? inputs.output.at(row, state) : T(0);
    }
    for (unsigned i = thread.index(); i < plan.units() * kScanChunk; i += thread.count()) {
      const ScanPlace place(thread, plan, i / kScanChunk * plan.lanes);
      const unsigned t = first + i % kScanChunk;
      const bool used = place.batch_row < plan.batch && t < plan.time;
      starts[i] = used && inputs.position[std::size_t{place.batch_row} * plan.time + t] == 0 ? 1 : 0;
    }
  }

  /// One array of the lanes' channels. A thread loads what it looks at again behind the chunk, and more for the others.
  HYSEQ_DEVICE void load_row(const Thread& thread, unsigned array, const Columns<const T>& columns,
                             const ScanPlan& plan, const ScanPlace& place, unsigned first, unsigned count) const {
    for (unsigned t = thread.warp(); t < count; t += thread.count() / kWarp) {
      rows[row(array, t, thread.lane())] =
          place.used ? columns.at(place.sequence * plan.time + first + t, place.channel) : T(0);
    }
  }

 private:
  [[nodiscard]] static HYSEQ_DEVICE std::size_t numbers(const ScanMemory& memory) {
    return std::size_t{2 * memory.vectors + memory.history} * kScanStates;
  }
};

template <class T>
struct ScanForward {
  static constexpr bool kCooperative = true;
  static constexpr unsigned kMostThreads = kScanWarps * kWarp;
  enum Array : unsigned { kU, kStep, kArrays };

  ScanPlan plan;
  ScanPass pass;
  ScanMemory memory;
  ScanInputs<T> inputs;
  Columns<T> out;
  Span<const T> incoming;  // [piece][sequence][state][channel], or empty
  Span<T> kept;            // [sequence][chunk][state][channel], or empty

  HYSEQ_DEVICE void operator()(const Thread& thread) const {
    const ScanShared<T> shared(thread, memory);
    const unsigned lane = thread.lane();
    const unsigned warp = thread.warp();
    const ScanPlace place(thread, plan, lane);
    const unsigned state = pass.first + warp * kScanStates;
    T rate[kScanStates];
    T s[kScanStates];
    for (unsigned n = 0; n < kScanStates; ++n) {
      rate[n] = scan_rate(inputs.log_rate, plan, place.member, place.channel, state + n);
      const bool given = !incoming.empty() && place.used && state + n < plan.states;
      const std::size_t piece = std::size_t{thread.block().y} * thread.grid().z * plan.batch;
      s[n] = given ? incoming[plan.place(piece + place.sequence, state + n, place.channel)] : T(0);
    }
    const T skip = place.used ? inputs.skip.at(place.member, place.channel) : T(0);
    const unsigned begin = thread.block().y * plan.piece;
    const unsigned end = begin + plan.piece < plan.time ? begin + plan.piece : plan.time;
    for (unsigned first = begin; first < end; first += kScanChunk) {
      const unsigned count = end - first < kScanChunk ? end - first : kScanChunk;
      shared.load_vectors(thread, inputs, plan, pass, first, count);
      shared.load_row(thread, kU, inputs.u, plan, place, first, count);
      shared.load_row(thread, kStep, inputs.step, plan, place, first, count);
      if (!kept.empty() && place.used) {
        const std::size_t chunk = place.sequence * plan.chunks + first / kScanChunk;
        for (unsigned n = 0; n < kScanStates && state + n < plan.states; ++n) {
          kept[plan.place(chunk, state + n, place.channel)] = s[n];
        }
      }
      thread.barrier();
      for (unsigned t = 0; t < count; ++t) {
        const unsigned token = lane / plan.lanes * kScanChunk + t;
        const T step = shared.rows[shared.row(kStep, t, lane)];
        const T drive = step * shared.rows[shared.row(kU, t, lane)];
        const bool starts = shared.starts[token] != 0;
        const Pack<T, kScanStates> b = shared.input[token * pass.warps + warp];
        const Pack<T, kScanStates> c = shared.output[token * pass.warps + warp];
        T sum(0);
        for (unsigned n = 0; n < kScanStates; ++n) {
          const T held = starts ? T(0) : std::exp2(step * rate[n]) * s[n];
          s[n] = held + drive * b[n];
          sum += s[n] * c[n];
        }
        shared.sums[shared.row(warp, t, lane)] = sum;
      }
      thread.barrier();
      for (unsigned t = warp; t < count && place.used; t += pass.warps) {
        T& to = out.at(place.sequence * plan.time + first + t, place.channel);
        T sum = pass.first == 0 ? skip * shared.rows[shared.row(kU, t, lane)] : to;
        for (unsigned w = 0; w < pass.warps; ++w) sum += shared.sums[shared.row(w, t, lane)];
        to = sum;
      }
    }
  }
};

/// Numbers that a forward call keeps: the state before every kScanChunk-th token.
[[nodiscard]] inline std::size_t kept_size(const SelectiveScan& call, const Program& /*program*/, std::size_t members,
                                           std::size_t batch, std::size_t time) {
  return members * batch * ((time + kScanChunk - 1) / kScanChunk) * static_cast<std::size_t>(call.input.width) *
         static_cast<std::size_t>(call.u.width);
}

template <class T>
void forward(const SelectiveScan& call, const Context<T>& context) {
  using Kernel = ScanForward<T>;
  const Workspace::Scope scope(*context.workspace);
  const ScanPlan plan = scan_plan(call, context);
  const ScanInputs<T> inputs(call, context);
  const ScanPieces<T> pieces = take_pieces(plan, context);
  summarise(ScanSummary<T>{plan, false, inputs.step, inputs.u, inputs.input, inputs.log_rate, inputs.position, pieces},
            context);
  for_scan_passes(plan, [&](const ScanPass& pass) {
    ScanMemory memory(plan, pass, Kernel::kArrays);
    memory.sums = pass.warps * kScanChunk * kWarp;
    launch(*context.stream, scan_shape(plan, pass, context.members, memory.bytes<T>()),
           Kernel{plan, pass, memory, inputs, context.at(call.out), pieces.value, context.kept});
  });
}

}  // namespace HYSEQ_CUDA_DEVICE
}  // namespace hyseq::kernels::cuda
