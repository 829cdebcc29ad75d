// The selective scan on lane vectors.
//
// The states of a whole sequence would fill the cache many times over, so only every kScanChunk-th is kept by the
// forward call; the backward call takes a chunk of tokens at a time, recomputes its states and decays from the
// checkpoint into scratch of the size of a first cache, and walks it back (recomputation as in Gu, Dao 2023, section
// 3.3). Tiles of channels x states keep a state (or an adjoint) per register. What a tile shares with those of the
// other channels (inputs B_t, outputs C_t and their gradients) is packed: loads and stores, not arithmetic, are what
// the walk back runs out of first.
#if defined(HYSEQ_KERNELS_SELECTIVE_SCAN_LANES_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef HYSEQ_KERNELS_SELECTIVE_SCAN_LANES_INL_HPP
#undef HYSEQ_KERNELS_SELECTIVE_SCAN_LANES_INL_HPP
#else
#define HYSEQ_KERNELS_SELECTIVE_SCAN_LANES_INL_HPP
#endif

#include <algorithm>
#include <cstddef>

#include "kernels/lanes/context-inl.hpp"
#include "kernels/lanes/math-inl.hpp"
#include "kernels/lanes/unrolled-inl.hpp"
#include "kernels/selective_scan/lanes_tiles-inl.hpp"
#include "kernels/selective_scan/selective_scan.hpp"

HWY_BEFORE_NAMESPACE();
namespace hyseq::kernels::HWY_NAMESPACE {

/// The state [channels][states], which the session sets before the first range; the adjoint; the checkpoints.
inline std::size_t memory_size(const SelectiveScan& call, const Program& /*program*/, std::size_t time) {
  const std::size_t size = static_cast<std::size_t>(call.u.width) * static_cast<std::size_t>(call.input.width);
  return size * (2 + (time + kScanChunk - 1) / kScanChunk);
}

/// -exp(log_rate) log2 e: [channels][states].
inline std::size_t derived_size(const SelectiveScan& call, const Program& /*program*/) {
  return static_cast<std::size_t>(call.u.width) * static_cast<std::size_t>(call.input.width);
}

template <class D>
void prepare(D d, const SelectiveScan& call, const Program& program, const hn::TFromD<D>* const* parameters,
             hn::TFromD<D>* derived) {
  constexpr std::size_t kLanes = LaneContext<D>::kLanes;
  const auto* log_rate = parameters[static_cast<std::size_t>(call.log_rate)];
  const std::size_t count = derived_size(call, program) * kLanes;
  for (std::size_t i = 0; i < count; i += kLanes) {
    hn::Store(hn::Mul(exp(d, hn::Load(d, log_rate + i)), constant(d, -kLog2E)), d, derived + i);
  }
}

template <class D>
void lanes(D d, const SelectiveScan& call, const LaneContext<D>& context) {
  using T = hn::TFromD<D>;
  namespace detail = scan_detail;
  constexpr std::size_t kLanes = LaneContext<D>::kLanes;
  const auto channels = static_cast<std::size_t>(call.u.width);
  const auto states = static_cast<std::size_t>(call.input.width);
  const detail::Memory<D> memory(call, context);
  typename Scratch<T>::Scope scope(*context.scratch);
  T* packed = context.scratch->take(detail::kForwardTokens * 2 * detail::kTileStates * kLanes);
  for (std::size_t begin = context.begin; begin < context.end;) {
    const std::size_t end = std::min(context.end, begin + detail::kForwardTokens);
    const std::size_t index = (begin + kScanChunk - 1) / kScanChunk;  // of the first checkpoint at or behind `begin`
    detail::ForwardTile<T> tile{};
    tile.count = end - begin;
    tile.starts = context.starts + begin;
    tile.row = states * kLanes;
    tile.packed = packed;
    tile.checkpoint_size = memory.size;
    tile.kept = context.keep ? index * kScanChunk - begin : tile.count;
    detail::in_pieces<detail::kTileStates>(states, [&](std::size_t n, auto depth) HWY_ATTR {
      const std::size_t row = 2 * depth() * kLanes;
      const auto columns = [&](const View& view) {
        return detail::rows(context, view.columns(static_cast<int>(n), 1), begin);
      };
      detail::pack(d, {columns(call.input).data, columns(call.input).row}, tile.count, depth(), row, packed);
      detail::pack(d, {columns(call.output).data, columns(call.output).row}, tile.count, depth(), row,
                   packed + depth() * kLanes);
      detail::in_pieces<detail::kTileChannels>(channels, [&](std::size_t c, auto width) HWY_ATTR {
        const auto of = [&](const View& view) {
          return detail::rows(context, view.columns(static_cast<int>(c), 1), begin);
        };
        tile.u = {of(call.u).data, of(call.u).row};
        tile.step = {of(call.step).data, of(call.step).row};
        tile.out = of(call.out);
        const std::size_t place = c * tile.row + n * kLanes;
        tile.rate = context.derived + place;
        tile.state = memory.state + place;
        tile.checkpoint = memory.checkpoints + index * memory.size + place;
        tile.skip = n == 0 ? context.parameter(call.skip) + c * kLanes : nullptr;
        detail::forward<width(), depth()>(d, tile);
      });
    });
    begin = end;
  }
}

template <class D>
void lanes(D d, const SelectiveScanBackward& backward, const LaneContext<D>& context) {
  using T = hn::TFromD<D>;
  using V = hn::Vec<D>;
  namespace detail = scan_detail;
  constexpr std::size_t kLanes = LaneContext<D>::kLanes;
  const SelectiveScan& call = backward.call;
  const auto channels = static_cast<std::size_t>(call.u.width);
  const auto states = static_cast<std::size_t>(call.input.width);
  const detail::Memory<D> memory(call, context);
  if (context.end == context.time) std::fill_n(memory.adjoint, memory.size, T{});

  typename Scratch<T>::Scope scope(*context.scratch);
  const auto take = [&](std::size_t columns) { return context.scratch->take(kScanChunk * columns * kLanes); };
  detail::BackwardTile<T> tile{};
  tile.scratch = take(2 * detail::kTileChannels * detail::kTileStates);
  tile.packed = take(4 * detail::kTileStates);
  tile.row = states * kLanes;
  T* through = take(2 * channels);
  T* direct = take(1);  // sum over the channels of g_t step_t u_t

  for (std::size_t end = context.end; end > context.begin;) {
    const std::size_t index = (end - 1) / kScanChunk;
    const std::size_t first = index * kScanChunk;  // recomputed from here, walked back down to `begin`
    const std::size_t begin = std::max(context.begin, first);
    tile.count = end - first;
    tile.walked = begin - first;
    tile.starts = context.starts + first;
    for (std::size_t t = tile.walked; t < tile.count; ++t) {
      const T* u = context.at(call.u, first + t);
      const T* step = context.at(call.step, first + t);
      const T* gradient = context.gradient_at(backward.out_gradient, first + t);
      V sum = hn::Zero(d);
      for (std::size_t c = 0; c < channels * kLanes; c += kLanes) {
        sum = hn::MulAdd(hn::Mul(hn::Load(d, step + c), hn::Load(d, u + c)), hn::Load(d, gradient + c), sum);
      }
      hn::Store(sum, d, direct + t * kLanes);
    }
    detail::in_pieces<detail::kTileStates>(states, [&](std::size_t n, auto depth) HWY_ATTR {
      const std::size_t row = 4 * depth() * kLanes;
      const auto input = detail::rows(context, call.input.columns(static_cast<int>(n), 1), first);
      const auto output = detail::rows(context, call.output.columns(static_cast<int>(n), 1), first);
      for (std::size_t t = 0; t < tile.count; ++t) {
        T* to = tile.packed + t * row;
        for (std::size_t i = 0; i < depth() * kLanes; i += kLanes) {
          const V b = hn::Load(d, input.at(t, i));
          hn::Store(b, d, to + i);
          hn::Store(hn::Load(d, output.at(t, i)), d, to + depth() * kLanes + i);
          hn::Store(hn::Zero(d), d, to + 2 * depth() * kLanes + i);
          if (t >= tile.walked) {
            hn::Store(hn::Mul(b, hn::Load(d, direct + t * kLanes)), d, to + 3 * depth() * kLanes + i);
          }
        }
      }
      detail::in_pieces<detail::kTileChannels>(channels, [&](std::size_t c, auto width) HWY_ATTR {
        const int column = static_cast<int>(c);
        const auto u = detail::rows(context, call.u.columns(column, 1), first);
        const auto step = detail::rows(context, call.step.columns(column, 1), first);
        const auto gradient = detail::gradient_rows(context, backward.out_gradient.columns(column, 1), first);
        tile.u = {u.data, u.row};
        tile.step = {step.data, step.row};
        tile.out_gradient = {gradient.data, gradient.row};
        tile.through = through + c * 2 * kScanChunk * kLanes;
        tile.first = n == 0;
        const std::size_t place = c * tile.row + n * kLanes;
        tile.rate = context.derived + place;
        tile.checkpoint = memory.checkpoints + index * memory.size + place;
        tile.adjoint = memory.adjoint + place;
        tile.rate_gradient = context.parameter_gradient(call.log_rate) + place;
        detail::backward<width(), depth()>(d, tile);
        if (n + depth() == states) {
          detail::ChannelGradients<T> to{};
          to.skip = context.parameter(call.skip) + c * kLanes;
          to.skip_gradient = context.parameter_gradient(call.skip) + c * kLanes;
          const auto wanted = [&](const GradientView& view) -> detail::Rows<T> {
            if (!view.wanted()) return {};
            return detail::gradient_rows(context, view.view.columns(column, 1), first);
          };
          to.u = wanted(backward.u_gradient);
          to.step = wanted(backward.step_gradient);
          to.u_mode = backward.u_gradient.mode;
          to.step_mode = backward.step_gradient.mode;
          detail::finish<width()>(d, tile, to);
        }
      });
      const auto unpack = [&](const GradientView& view, std::size_t part) HWY_ATTR {
        if (!view.wanted()) return;
        const auto to = detail::gradient_rows(context, view.view.columns(static_cast<int>(n), 1), first);
        for (std::size_t t = tile.walked; t < tile.count; ++t) {
          const T* from = tile.packed + t * row + part * depth() * kLanes;
          for (std::size_t i = 0; i < depth() * kLanes; i += kLanes) {
            put(d, view.mode, hn::Load(d, from + i), to.at(t, i));
          }
        }
      };
      unpack(backward.input_gradient, 2);
      unpack(backward.output_gradient, 3);
    });
    end = begin;
  }
}

}  // namespace hyseq::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
