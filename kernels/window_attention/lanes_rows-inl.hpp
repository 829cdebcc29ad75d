// Bands and rows of the attention on lane vectors; see lanes-inl.hpp for how they work together.
#if defined(HYSEQ_KERNELS_WINDOW_ATTENTION_LANES_ROWS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef HYSEQ_KERNELS_WINDOW_ATTENTION_LANES_ROWS_INL_HPP
#undef HYSEQ_KERNELS_WINDOW_ATTENTION_LANES_ROWS_INL_HPP
#else
#define HYSEQ_KERNELS_WINDOW_ATTENTION_LANES_ROWS_INL_HPP
#endif

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "kernels/dropout/lanes-inl.hpp"
#include "kernels/lanes/context-inl.hpp"
#include "kernels/lanes/math-inl.hpp"
#include "kernels/lanes/product-inl.hpp"
#include "kernels/window_attention/window_attention.hpp"

HWY_BEFORE_NAMESPACE();
namespace hyseq::kernels::HWY_NAMESPACE {

namespace attention_detail {

/// Queries or keys that go through a product together: many, where that adds little to the window.
inline std::size_t tile_rows(const WindowAttention& call, std::size_t time) {
  return std::min(static_cast<std::size_t>(call.window), time) <= 32 ? 4 : 8;
}
/// Queries that go through one product before they go through the next, so that keys and values take turns in the
/// first cache; a multiple of all tiles.
inline constexpr std::size_t kBlock = 24;

/// Room for a row of a band: the window, and how far tiles stick out at its two ends.
inline std::size_t band_size(const WindowAttention& call, std::size_t time) {
  return std::min(static_cast<std::size_t>(call.window), time) + 2 * (tile_rows(call, time) - 1);
}

/// One call's view of its memory and sizes. Counts are of vectors.
template <class D>
struct Attention {
  using T = hn::TFromD<D>;
  static constexpr std::size_t kLanes = LaneContext<D>::kLanes;

  const LaneContext<D>& context;
  std::size_t channels;
  std::size_t heads;
  std::size_t width;  // of a head
  std::size_t window;
  std::size_t tile;    // queries or keys of a product
  std::size_t size;    // of a row of a band
  T* weights;          // bands [heads][time][size]: e^(score - maximum), negative where dropped
  T* slopes;           // likewise: gradients of the scores, up to a factor
  T* inverses;         // [heads][time]
  T* value_gradients;  // [time][channels]: out_gradient over the sum of the weights

  Attention(const WindowAttention& call, const LaneContext<D>& context_in)
      : context(context_in),
        channels(static_cast<std::size_t>(call.q.width)),
        heads(static_cast<std::size_t>(call.heads)),
        width(channels / heads),
        window(static_cast<std::size_t>(call.window)),
        tile(tile_rows(call, context.time)),
        size(band_size(call, context.time)),
        weights(context.memory),
        slopes(weights + heads * context.time * size * kLanes),
        inverses(slopes + heads * context.time * size * kLanes),
        value_gradients(inverses + heads * context.time * kLanes) {}

  /// The first key that query t sees.
  [[nodiscard]] std::size_t first(std::size_t t) const {
    return t - std::min<std::size_t>(context.position[t], window - 1);
  }
  /// Where query t and key j meet in the row of t; j may lie tile - 1 outside of what t sees.
  [[nodiscard]] std::size_t slot(std::size_t t, std::size_t j) const { return j + size - tile - t; }
  [[nodiscard]] T* at(T* bands, std::size_t head, std::size_t t, std::size_t j) const {
    return bands + ((head * context.time + t) * size + slot(t, j)) * kLanes;
  }
  /// Queries from t on (rows) by keys from j on (columns).
  [[nodiscard]] Matrix<T> band(T* bands, std::size_t head, std::size_t t, std::size_t j) const {
    return {at(bands, head, t, j), size - 1, 1};
  }
  [[nodiscard]] T* inverse(std::size_t head, std::size_t t) const {
    return inverses + (head * context.time + t) * kLanes;
  }
  /// A head's columns of a buffer from row t on; and transposed.
  [[nodiscard]] Matrix<const T> rows(const View& view, std::size_t head, std::size_t t) const {
    return {context.at(view, t) + head * width * kLanes, context.stride(view), 1};
  }
  [[nodiscard]] Matrix<const T> columns(const View& view, std::size_t head, std::size_t t) const {
    return {context.at(view, t) + head * width * kLanes, 1, context.stride(view)};
  }
  /// Zeros wherever a tile may touch row t of a band outside of what t sees.
  HWY_INLINE void clear_margins(D d, T* bands, std::size_t head, std::size_t t) const {
    const std::size_t least = t + 2 > window + tile ? t + 2 - window - tile : 0;
    T* HWY_RESTRICT row = at(bands, head, t, least);
    const std::size_t before = first(t) - least;
    const std::size_t behind = t + 1 - least;
    for (std::size_t j = 0; j < before; ++j) hn::Store(hn::Zero(d), d, row + j * kLanes);
    for (std::size_t j = behind; j < behind + tile - 1; ++j) hn::Store(hn::Zero(d), d, row + j * kLanes);
  }
};

/// body(t, rows) for the tiles of [begin, end).
template <class Body>
HWY_INLINE void for_tiles(std::size_t begin, std::size_t end, std::size_t tile, const Body& body) {
  for (std::size_t t = begin; t < end; t += tile) body(t, std::min(tile, end - t));
}

template <class T>
[[nodiscard]] Matrix<const T> as_input(const Matrix<T>& matrix) {
  return {matrix.data, matrix.row, matrix.column};
}

/// Scores to weights in place, over `count` keys; returns 1 / their sum.
template <class D>
HWY_INLINE hn::Vec<D> softmax_row(D d, hn::TFromD<D>* HWY_RESTRICT row, std::size_t count) {
  using V = hn::Vec<D>;
  constexpr std::size_t kLanes = LaneContext<D>::kLanes;
  // Several at a time, because operations on one number wait for each other.
  V largest = hn::Load(d, row);
  V others[3] = {largest, largest, largest};
  std::size_t j = 0;
  for (; j + 4 <= count; j += 4) {
    largest = hn::Max(largest, hn::Load(d, row + j * kLanes));
    others[0] = hn::Max(others[0], hn::Load(d, row + (j + 1) * kLanes));
    others[1] = hn::Max(others[1], hn::Load(d, row + (j + 2) * kLanes));
    others[2] = hn::Max(others[2], hn::Load(d, row + (j + 3) * kLanes));
  }
  for (; j < count; ++j) largest = hn::Max(largest, hn::Load(d, row + j * kLanes));
  largest = hn::Max(hn::Max(largest, others[0]), hn::Max(others[1], others[2]));
  V even = hn::Zero(d);
  V odd = hn::Zero(d);
  for (j = 0; j + 2 <= count; j += 2) {
    const V a = exp2(d, hn::Sub(hn::Load(d, row + j * kLanes), largest));
    const V b = exp2(d, hn::Sub(hn::Load(d, row + (j + 1) * kLanes), largest));
    hn::Store(a, d, row + j * kLanes);
    hn::Store(b, d, row + (j + 1) * kLanes);
    even = hn::Add(even, a);
    odd = hn::Add(odd, b);
  }
  if (j < count) {
    const V a = exp2(d, hn::Sub(hn::Load(d, row + j * kLanes), largest));
    hn::Store(a, d, row + j * kLanes);
    even = hn::Add(even, a);
  }
  return hn::Div(constant(d, 1), hn::Add(even, odd));
}

/// Marks the dropped weights of query t, keys `t - count + 1 .. t`, by their sign; `kept` gets them with zeros instead.
template <class D>
void drop(D d, const DropoutSite& site, const DropoutWords<D>& words, const LaneContext<D>& context, std::size_t head,
          std::size_t t, std::size_t count, hn::TFromD<D>* weights, hn::TFromD<D>* kept) {
  constexpr std::size_t kLanes = LaneContext<D>::kLanes;
  const std::uint64_t index = dropout_index(context.step, context.row);
  for (std::size_t distance = 0; distance < count; distance += 4) {
    const auto drawn =
        words(index, dropout_block(site, context.first_position + t, probability_element(head, distance) / 4));
    for (std::size_t i = 0; i < std::min<std::size_t>(4, count - distance); ++i) {
      const std::size_t at = (count - 1 - distance - i) * kLanes;
      const auto dropped = DropoutWords<D>::dropped(drawn[i], site.threshold());
      const auto weight = hn::Load(d, weights + at);
      hn::Store(hn::IfThenElse(dropped, hn::Neg(weight), weight), d, weights + at);
      hn::Store(hn::IfThenZeroElse(dropped, weight), d, kept + at);
    }
  }
}

/// Weights and gradients c of the weighted values to gradients of the scores, in place of c. Dropped weights become 0.
template <bool kDropout, class D>
HWY_INLINE void softmax_row_backward(D d, hn::TFromD<D>* HWY_RESTRICT weights, hn::TFromD<D>* HWY_RESTRICT slopes,
                                     hn::Vec<D> inverse, std::size_t count) {
  using V = hn::Vec<D>;
  constexpr std::size_t kLanes = LaneContext<D>::kLanes;
  V even = hn::Zero(d);
  V odd = hn::Zero(d);
  const auto product_at = [&](std::size_t j, V sum) HWY_ATTR {
    const V weight = hn::Load(d, weights + j * kLanes);
    V slope = hn::Load(d, slopes + j * kLanes);
    if constexpr (kDropout) {
      const auto dropped = hn::Lt(weight, hn::Zero(d));
      slope = hn::IfThenZeroElse(dropped, slope);
      hn::Store(slope, d, slopes + j * kLanes);
      return hn::MulAdd(weight, slope, sum);
    } else {
      return hn::MulAdd(weight, slope, sum);
    }
  };
  std::size_t j = 0;
  for (; j + 2 <= count; j += 2) {
    even = product_at(j, even);
    odd = product_at(j + 1, odd);
  }
  if (j < count) even = product_at(j, even);
  const V mean = hn::Mul(hn::Add(even, odd), inverse);
  for (j = 0; j < count; ++j) {
    const V weight = hn::Load(d, weights + j * kLanes);
    const V excess = hn::Sub(hn::Load(d, slopes + j * kLanes), mean);
    if constexpr (kDropout) {
      const auto dropped = hn::Lt(weight, hn::Zero(d));
      hn::Store(hn::Mul(hn::Abs(weight), excess), d, slopes + j * kLanes);
      hn::Store(hn::IfThenZeroElse(dropped, weight), d, weights + j * kLanes);
    } else {
      hn::Store(hn::Mul(weight, excess), d, slopes + j * kLanes);
    }
  }
}

/// to[rows][width] = from * factor; `from_row` and `to_row` vectors lead from row to row.
template <class D>
HWY_INLINE void scale_rows(D d, std::size_t rows, std::size_t width, const hn::TFromD<D>* from, std::size_t from_row,
                           hn::Vec<D> factor, hn::TFromD<D>* to, std::size_t to_row) {
  constexpr std::size_t kLanes = LaneContext<D>::kLanes;
  for (std::size_t i = 0; i < rows; ++i) {
    const auto* HWY_RESTRICT in = from + i * from_row * kLanes;
    auto* HWY_RESTRICT out = to + i * to_row * kLanes;
    for (std::size_t c = 0; c < width * kLanes; c += kLanes)
      hn::Store(hn::Mul(hn::Load(d, in + c), factor), d, out + c);
  }
}

/// A head's columns of a gradient, from row t on, to be written or added to.
template <class D>
struct Destination {
  Matrix<hn::TFromD<D>> to;
  Matrix<const hn::TFromD<D>> init;

  Destination(const GradientView& gradient, const LaneContext<D>& context, std::size_t t, std::size_t column)
      : to{context.gradient_at(gradient.view, t) + column * LaneContext<D>::kLanes,
           context.gradient_stride(gradient.view), 1} {
    if (gradient.mode == GradientMode::accumulate) init = {to.data, to.row, to.column};
  }
};

}  // namespace attention_detail

}  // namespace hyseq::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
