// Tiles of the selective scan on lane vectors; see lanes-inl.hpp for how they work together.
#if defined(HYSEQ_KERNELS_SELECTIVE_SCAN_LANES_TILES_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef HYSEQ_KERNELS_SELECTIVE_SCAN_LANES_TILES_INL_HPP
#undef HYSEQ_KERNELS_SELECTIVE_SCAN_LANES_TILES_INL_HPP
#else
#define HYSEQ_KERNELS_SELECTIVE_SCAN_LANES_TILES_INL_HPP
#endif

#include <algorithm>
#include <cstddef>

#include "kernels/lanes/context-inl.hpp"
#include "kernels/lanes/math-inl.hpp"
#include "kernels/lanes/unrolled-inl.hpp"
#include "kernels/selective_scan/selective_scan.hpp"

HWY_BEFORE_NAMESPACE();
namespace hyseq::kernels::HWY_NAMESPACE {

/// Tokens between two checkpoints, which lie at multiples of it. Ranges of tokens that end there cost least.
inline constexpr std::size_t kScanChunk = 10;

namespace scan_detail {

inline constexpr bool kManyRegisters = HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON;
inline constexpr std::size_t kTileChannels = kManyRegisters ? 2 : 1;
inline constexpr std::size_t kTileStates = 4;
inline constexpr std::size_t kForwardTokens = 5 * kScanChunk;  // that a tile takes at a time

/// Rows of a buffer from some token and column on; `row` in numbers.
template <class T>
struct Rows {
  T* data = nullptr;
  std::size_t row = 0;

  [[nodiscard]] T* at(std::size_t t, std::size_t column) const { return data + t * row + column; }
  [[nodiscard]] Rows from(std::size_t column) const { return {data + column, row}; }
};

/// What tiles of [kChannels][kStates] have in common. In rate, state, adjoint and checkpoint, `row` numbers lead from
/// channel to channel.
template <class T>
struct Tile {
  std::size_t count;           // tokens
  const std::uint8_t* starts;  // [count]
  Rows<const T> u;
  Rows<const T> step;
  const T* rate;
  std::size_t row;
};

template <class T>
struct ForwardTile : Tile<T> {
  const T* packed;  // [count][B: kStates, C: kStates]
  Rows<T> out;
  T* state;
  T* checkpoint;  // for the state before token `kept`; those of later chunks lie checkpoint_size numbers apart
  std::size_t checkpoint_size;
  std::size_t kept;
  const T* skip;  // null unless this is the first tile of its channels
};

template <std::size_t kChannels, std::size_t kStates, class D>
HWY_NOINLINE void forward(D d, const ForwardTile<hn::TFromD<D>>& tile) {
  using T = hn::TFromD<D>;
  using V = hn::Vec<D>;
  constexpr std::size_t kLanes = LaneContext<D>::kLanes;
  constexpr std::size_t kSize = kChannels * kStates;
  // Copies, because the compiler cannot know that no store changes the tile.
  const Tile<T> common = static_cast<const Tile<T>&>(tile);
  const Rows<T> out = tile.out;
  const T* HWY_RESTRICT rate = tile.rate;
  const T* HWY_RESTRICT skip = tile.skip;
  const T* HWY_RESTRICT packed = tile.packed;
  const std::size_t row = tile.row;
  T* checkpoint = tile.checkpoint;
  std::size_t kept = tile.kept;
  V state[kSize];
  unrolled<kSize>(
      [&](auto i) HYSEQ_UNROLLED { state[i] = hn::Load(d, tile.state + i / kStates * row + i % kStates * kLanes); });
  for (std::size_t t = 0; t < common.count; ++t) {
    if (t == kept) {
      unrolled<kSize>([&](auto i) HYSEQ_UNROLLED {
        hn::Store(state[i], d, checkpoint + i / kStates * row + i % kStates * kLanes);
      });
      checkpoint += tile.checkpoint_size;
      kept += kScanChunk;
    }
    if (common.starts[t] != 0) unrolled<kSize>([&](auto i) HYSEQ_UNROLLED { state[i] = hn::Zero(d); });
    V step[kChannels];
    V drive[kChannels];
    V sum[kChannels];
    unrolled<kChannels>([&](auto c) HYSEQ_UNROLLED {
      const V u = hn::Load(d, common.u.at(t, c * kLanes));
      step[c] = hn::Load(d, common.step.at(t, c * kLanes));
      drive[c] = hn::Mul(step[c], u);
      sum[c] = skip != nullptr ? hn::Mul(hn::Load(d, skip + c * kLanes), u) : hn::Load(d, out.at(t, c * kLanes));
    });
    unrolled<kStates>([&](auto n) HYSEQ_UNROLLED {
      const V input = hn::Load(d, packed + n * kLanes);
      const V output = hn::Load(d, packed + (kStates + n) * kLanes);
      unrolled<kChannels>([&](auto c) HYSEQ_UNROLLED {
        constexpr std::size_t i = c * kStates + n;
        const V decay = exp2(d, hn::Mul(step[c], hn::Load(d, rate + c * row + n * kLanes)));
        state[i] = hn::MulAdd(drive[c], input, hn::Mul(decay, state[i]));
        sum[c] = hn::MulAdd(state[i], output, sum[c]);
      });
    });
    unrolled<kChannels>([&](auto c) HYSEQ_UNROLLED { hn::Store(sum[c], d, out.at(t, c * kLanes)); });
    packed += 2 * kStates * kLanes;
  }
  unrolled<kSize>(
      [&](auto i) HYSEQ_UNROLLED { hn::Store(state[i], d, tile.state + i / kStates * row + i % kStates * kLanes); });
}

template <class T>
struct BackwardTile : Tile<T> {
  std::size_t walked;  // first token that is walked back
  Rows<const T> out_gradient;
  T* packed;   // [count][B: kStates, C: kStates, their gradients: accumulate]
  T* through;  // [count][sum over the states of r B: kChannels, of r s_{t-1} a_t A log2 e: kChannels]
  bool first;  // tile of its channels: the sums in `through` start here
  const T* checkpoint;
  T* adjoint;        // of the state behind the chunk, replaced by the one before it
  T* rate_gradient;  // of log_rate; accumulates
  T* scratch;        // [count][a_t s_{t-1}: kChannels x kStates, a_t: likewise]
};

/// Decays and decayed states into scratch.
template <std::size_t kChannels, std::size_t kStates, class D>
HWY_INLINE void recompute(D d, const BackwardTile<hn::TFromD<D>>& tile) {
  using T = hn::TFromD<D>;
  using V = hn::Vec<D>;
  constexpr std::size_t kLanes = LaneContext<D>::kLanes;
  constexpr std::size_t kSize = kChannels * kStates;
  const Tile<T> common = static_cast<const Tile<T>&>(tile);
  const std::size_t row = tile.row;
  const T* HWY_RESTRICT packed = tile.packed;
  T* HWY_RESTRICT scratch = tile.scratch;
  V state[kSize];
  V rate[kSize];
  unrolled<kSize>([&](auto i) HYSEQ_UNROLLED {
    const std::size_t place = i / kStates * row + i % kStates * kLanes;
    rate[i] = hn::Load(d, tile.rate + place);
    state[i] = hn::Load(d, tile.checkpoint + place);
  });
  for (std::size_t t = 0; t < common.count; ++t) {
    V step[kChannels];
    V drive[kChannels];
    unrolled<kChannels>([&](auto c) HYSEQ_UNROLLED {
      step[c] = hn::Load(d, common.step.at(t, c * kLanes));
      drive[c] = hn::Mul(step[c], hn::Load(d, common.u.at(t, c * kLanes)));
    });
    const bool start = common.starts[t] != 0;
    if (start) unrolled<kSize>([&](auto i) HYSEQ_UNROLLED { state[i] = hn::Zero(d); });
    unrolled<kStates>([&](auto n) HYSEQ_UNROLLED {
      const V input = hn::Load(d, packed + n * kLanes);
      unrolled<kChannels>([&](auto c) HYSEQ_UNROLLED {
        constexpr std::size_t i = c * kStates + n;
        const V decay = exp2(d, hn::Mul(step[c], rate[i]));
        const V decayed = hn::Mul(decay, state[i]);
        state[i] = hn::MulAdd(drive[c], input, decayed);
        hn::Store(decayed, d, scratch + i * kLanes);
        hn::Store(decay, d, scratch + (kSize + i) * kLanes);
      });
    });
    // Nothing of the state before reaches this token, and nothing of its adjoint the token before.
    if (start) {
      unrolled<kSize>([&](auto i) HYSEQ_UNROLLED { hn::Store(hn::Zero(d), d, scratch + (kSize + i) * kLanes); });
    }
    scratch += 2 * kSize * kLanes;
    packed += 4 * kStates * kLanes;
  }
}

/// Of the gradient of C_t, g_t s_t, only the part g_t a_t s_{t-1} is added here; the driver has put in the other one,
/// which needs no states. That saves loading s_t.
template <std::size_t kChannels, std::size_t kStates, class D>
HWY_NOINLINE void backward(D d, const BackwardTile<hn::TFromD<D>>& tile) {
  using T = hn::TFromD<D>;
  using V = hn::Vec<D>;
  constexpr std::size_t kLanes = LaneContext<D>::kLanes;
  constexpr std::size_t kSize = kChannels * kStates;
  recompute<kChannels, kStates>(d, tile);

  const Tile<T> common = static_cast<const Tile<T>&>(tile);
  const Rows<const T> out_gradient = tile.out_gradient;
  const T* HWY_RESTRICT rate = tile.rate;
  const std::size_t row = tile.row;
  const bool first = tile.first;
  const std::size_t walked = tile.walked;
  const T* HWY_RESTRICT scratch = tile.scratch + common.count * 2 * kSize * kLanes;
  T* HWY_RESTRICT packed = tile.packed + common.count * 4 * kStates * kLanes;
  T* HWY_RESTRICT through = tile.through + common.count * 2 * kChannels * kLanes;
  V adjoint[kSize];  // a_{t+1} r_{t+1}
  V rate_sum[kSize];
  unrolled<kSize>([&](auto i) HYSEQ_UNROLLED {
    adjoint[i] = hn::Load(d, tile.adjoint + i / kStates * row + i % kStates * kLanes);
    rate_sum[i] = hn::Zero(d);
  });
  for (std::size_t t = common.count; t-- > walked;) {
    scratch -= 2 * kSize * kLanes;
    packed -= 4 * kStates * kLanes;
    through -= 2 * kChannels * kLanes;
    V step[kChannels];
    V drive[kChannels];
    V gradient[kChannels];
    V through_input[kChannels];
    V through_decay[kChannels];
    unrolled<kChannels>([&](auto c) HYSEQ_UNROLLED {
      step[c] = hn::Load(d, common.step.at(t, c * kLanes));
      drive[c] = hn::Mul(step[c], hn::Load(d, common.u.at(t, c * kLanes)));
      gradient[c] = hn::Load(d, out_gradient.at(t, c * kLanes));
      through_input[c] = first ? hn::Zero(d) : hn::Load(d, through + c * kLanes);
      through_decay[c] = first ? hn::Zero(d) : hn::Load(d, through + (kChannels + c) * kLanes);
    });
    unrolled<kStates>([&](auto n) HYSEQ_UNROLLED {
      const V input = hn::Load(d, packed + n * kLanes);
      const V output = hn::Load(d, packed + (kStates + n) * kLanes);
      V input_gradient = hn::Load(d, packed + (2 * kStates + n) * kLanes);
      V output_gradient = hn::Load(d, packed + (3 * kStates + n) * kLanes);
      unrolled<kChannels>([&](auto c) HYSEQ_UNROLLED {
        constexpr std::size_t i = c * kStates + n;
        const V decayed = hn::Load(d, scratch + i * kLanes);
        const V r = hn::MulAdd(gradient[c], output, adjoint[i]);
        output_gradient = hn::MulAdd(gradient[c], decayed, output_gradient);
        input_gradient = hn::MulAdd(drive[c], r, input_gradient);
        through_input[c] = hn::MulAdd(r, input, through_input[c]);
        const V kept = hn::Mul(r, decayed);
        adjoint[i] = hn::Mul(r, hn::Load(d, scratch + (kSize + i) * kLanes));
        through_decay[c] = hn::MulAdd(kept, hn::Load(d, rate + c * row + n * kLanes), through_decay[c]);
        rate_sum[i] = hn::MulAdd(kept, step[c], rate_sum[i]);
      });
      hn::Store(input_gradient, d, packed + (2 * kStates + n) * kLanes);
      hn::Store(output_gradient, d, packed + (3 * kStates + n) * kLanes);
    });
    unrolled<kChannels>([&](auto c) HYSEQ_UNROLLED {
      hn::Store(through_input[c], d, through + c * kLanes);
      hn::Store(through_decay[c], d, through + (kChannels + c) * kLanes);
    });
  }
  unrolled<kSize>([&](auto i) HYSEQ_UNROLLED {
    const std::size_t place = i / kStates * row + i % kStates * kLanes;
    hn::Store(adjoint[i], d, tile.adjoint + place);
    T* to = tile.rate_gradient + place;
    const V slope = hn::Mul(hn::Load(d, rate + place), constant(d, kLn2));
    hn::Store(hn::MulAdd(rate_sum[i], slope, hn::Load(d, to)), d, to);
  });
}

/// Where a backward call leaves what a tile's channels add up to.
template <class T>
struct ChannelGradients {
  const T* skip;
  T* skip_gradient;
  Rows<T> u;  // no data where not wanted
  Rows<T> step;
  GradientMode u_mode;
  GradientMode step_mode;
};

/// Gradients of u, step and skip once all tiles of some channels have added to `through`.
template <std::size_t kChannels, class D>
HWY_NOINLINE void finish(D d, const BackwardTile<hn::TFromD<D>>& tile, const ChannelGradients<hn::TFromD<D>>& to) {
  using T = hn::TFromD<D>;
  using V = hn::Vec<D>;
  constexpr std::size_t kLanes = LaneContext<D>::kLanes;
  const V ln2 = constant(d, kLn2);
  for (std::size_t c = 0; c < kChannels; ++c) {
    const T* HWY_RESTRICT through = tile.through + c * kLanes;
    const V skip = hn::Load(d, to.skip + c * kLanes);
    V skip_sum = hn::Load(d, to.skip_gradient + c * kLanes);
    for (std::size_t t = tile.walked; t < tile.count; ++t) {
      const V gradient = hn::Load(d, tile.out_gradient.at(t, c * kLanes));
      const V u = hn::Load(d, tile.u.at(t, c * kLanes));
      const V through_input = hn::Load(d, through + t * 2 * kChannels * kLanes);
      skip_sum = hn::MulAdd(gradient, u, skip_sum);
      if (to.u.data != nullptr) {
        const V step = hn::Load(d, tile.step.at(t, c * kLanes));
        put(d, to.u_mode, hn::MulAdd(step, through_input, hn::Mul(skip, gradient)), to.u.at(t, c * kLanes));
      }
      if (to.step.data != nullptr) {
        const V through_decay = hn::Load(d, through + (t * 2 + 1) * kChannels * kLanes);
        put(d, to.step_mode, hn::MulAdd(u, through_input, hn::Mul(through_decay, ln2)), to.step.at(t, c * kLanes));
      }
    }
    hn::Store(skip_sum, d, to.skip_gradient + c * kLanes);
  }
}

/// body(first, size as a constant) for pieces of kMost, and of 1 for what is left.
template <std::size_t kMost, class Body>
HWY_INLINE void in_pieces(std::size_t count, const Body& body) {
  std::size_t i = 0;
  for (; i + kMost <= count; i += kMost) body(i, std::integral_constant<std::size_t, kMost>{});
  for (; i < count; ++i) body(i, std::integral_constant<std::size_t, 1>{});
}

/// Rows of `views` (all `states` wide) from token `begin` on into [count][view][states], for tiles of these states.
template <class D>
void pack(D d, const Rows<const hn::TFromD<D>>& from, std::size_t count, std::size_t states, std::size_t row,
          hn::TFromD<D>* to) {
  constexpr std::size_t kLanes = LaneContext<D>::kLanes;
  for (std::size_t t = 0; t < count; ++t) {
    for (std::size_t n = 0; n < states * kLanes; n += kLanes)
      hn::Store(hn::Load(d, from.at(t, n)), d, to + t * row + n);
  }
}

/// What a scan keeps through a sequence, and where it is.
template <class D>
struct Memory {
  using T = hn::TFromD<D>;
  std::size_t size;  // channels * states, in numbers
  T* state;          // [channels][states], before the next token of the forward call
  T* adjoint;        // likewise: gradient that reaches the state before the last token walked back
  T* checkpoints;    // [chunk][channels][states], states before the tokens 0, kScanChunk, ..

  Memory(const SelectiveScan& call, const LaneContext<D>& context)
      : size(static_cast<std::size_t>(call.u.width) * static_cast<std::size_t>(call.input.width) *
             LaneContext<D>::kLanes),
        state(context.memory),
        adjoint(state + size),
        checkpoints(adjoint + size) {}
};

/// A view from token t on.
template <class D>
[[nodiscard]] Rows<hn::TFromD<D>> rows(const LaneContext<D>& context, const View& view, std::size_t t) {
  return {context.at(view, t), context.stride(view) * LaneContext<D>::kLanes};
}
template <class D>
[[nodiscard]] Rows<hn::TFromD<D>> gradient_rows(const LaneContext<D>& context, const View& view, std::size_t t) {
  return {context.gradient_at(view, t), context.gradient_stride(view) * LaneContext<D>::kLanes};
}

}  // namespace scan_detail

}  // namespace hyseq::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
