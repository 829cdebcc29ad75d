// Causal sliding-window attention on lane vectors.
//
// Scores form a band below the diagonal, and a band is a matrix whose rows are one vector shorter than they lie apart:
// the score of query t and key j is at t (size - 1) + j + offset. So scores, values and all gradients are products of
// matrices of vectors over the band alone, a few queries (or keys) at a time. Tiles stick out of the band at its two
// edges, where each row has room for it and holds zeros.
//
// Kept for backward: e^(score - maximum) per score and the inverse of its sum per query. In backward a second band
// holds the gradients of the scores, so that the gradient of a key is one product over the queries that see it,
// whatever ranges of tokens the calls cover.
#if defined(HYSEQ_KERNELS_WINDOW_ATTENTION_LANES_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef HYSEQ_KERNELS_WINDOW_ATTENTION_LANES_INL_HPP
#undef HYSEQ_KERNELS_WINDOW_ATTENTION_LANES_INL_HPP
#else
#define HYSEQ_KERNELS_WINDOW_ATTENTION_LANES_INL_HPP
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
#include "kernels/window_attention/lanes_rows-inl.hpp"
#include "kernels/window_attention/window_attention.hpp"

HWY_BEFORE_NAMESPACE();
namespace hyseq::kernels::HWY_NAMESPACE {

/// Weights and slopes of all scores in the window, the inverse sums, and the gradients that reach the values.
inline std::size_t memory_size(const WindowAttention& call, const Program& /*program*/, std::size_t time) {
  const auto heads = static_cast<std::size_t>(call.heads);
  return time * (heads * (2 * attention_detail::band_size(call, time) + 1) + static_cast<std::size_t>(call.q.width));
}

template <class D>
void lanes(D d, const WindowAttention& call, const LaneContext<D>& context) {
  using T = hn::TFromD<D>;
  namespace detail = attention_detail;
  constexpr std::size_t kLanes = LaneContext<D>::kLanes;
  const detail::Attention<D> attention(call, context);
  const std::size_t width = attention.width;
  std::optional<DropoutWords<D>> words;
  if (call.dropout.active()) words.emplace(d, context.seeds);
  typename Scratch<T>::Scope scope(*context.scratch);
  T* queries = context.scratch->take(attention.tile * width * kLanes);
  T* sums = context.scratch->take(attention.tile * width * kLanes);
  T* kept = words ? context.scratch->take(detail::kBlock * attention.size * kLanes) : nullptr;
  // Scores come out as multiples of log 2, for exp2.
  const auto scale = constant(d, kLog2E / std::sqrt(static_cast<double>(width)));
  const auto surviving = constant(d, call.dropout.active() ? call.dropout.scale() : 1.0);
  const auto weigh = [&](std::size_t head, std::size_t block, std::size_t t, std::size_t rows) HWY_ATTR {
    const std::size_t low = attention.first(t);
    const auto query = attention.rows(call.q, head, t);
    detail::scale_rows(d, rows, width, query.data, query.row, scale, queries, width);
    product(d, rows, t + rows - low, width, {queries, width, 1}, attention.columns(call.k, head, low), {},
            attention.band(attention.weights, head, t, low));
    for (std::size_t i = 0; i < rows; ++i) {
      const std::size_t first = attention.first(t + i);
      const std::size_t count = t + i + 1 - first;
      T* row = attention.at(attention.weights, head, t + i, first);
      hn::Store(detail::softmax_row(d, row, count), d, attention.inverse(head, t + i));
      attention.clear_margins(d, attention.weights, head, t + i);
      if (words) {
        T* to = kept + (t + i - block) * attention.size * kLanes;
        std::fill_n(to, attention.size * kLanes, T{});
        detail::drop(d, call.dropout, *words, context, head, t + i, count, row,
                     to + attention.slot(t + i, first) * kLanes);
      }
    }
  };
  const auto mix = [&](std::size_t head, std::size_t block, std::size_t t, std::size_t rows) HWY_ATTR {
    const std::size_t low = attention.first(t);
    T* weights = words ? kept + ((t - block) * attention.size + attention.slot(t, low)) * kLanes
                       : attention.at(attention.weights, head, t, low);
    product(d, rows, width, t + rows - low, {weights, attention.size - 1, 1}, attention.rows(call.v, head, low), {},
            {sums, width, 1});
    for (std::size_t i = 0; i < rows; ++i) {
      const auto factor = hn::Mul(hn::Load(d, attention.inverse(head, t + i)), surviving);
      T* out = context.at(call.out, t + i) + head * width * kLanes;
      detail::scale_rows(d, 1, width, sums + i * width * kLanes, width, factor, out, width);
    }
  };
  for (std::size_t block = context.begin; block < context.end; block += detail::kBlock) {
    const std::size_t end = std::min(block + detail::kBlock, context.end);
    for (std::size_t head = 0; head < attention.heads; ++head) {
      detail::for_tiles(block, end, attention.tile,
                        [&](std::size_t t, std::size_t rows) HWY_ATTR { weigh(head, block, t, rows); });
      detail::for_tiles(block, end, attention.tile,
                        [&](std::size_t t, std::size_t rows) HWY_ATTR { mix(head, block, t, rows); });
    }
  }
}

template <class D>
void lanes(D d, const WindowAttentionBackward& backward, const LaneContext<D>& context) {
  using T = hn::TFromD<D>;
  namespace detail = attention_detail;
  constexpr std::size_t kLanes = LaneContext<D>::kLanes;
  const WindowAttention& call = backward.call;
  const detail::Attention<D> attention(call, context);
  const std::size_t width = attention.width;
  const std::size_t channels = attention.channels;
  typename Scratch<T>::Scope scope(*context.scratch);
  T* scaled = context.scratch->take(attention.tile * width * kLanes);
  const auto scale = constant(d, 1 / std::sqrt(static_cast<double>(width)));
  const auto surviving = constant(d, call.dropout.active() ? call.dropout.scale() : 1.0);

  // Queries: gradients of their scores, and theirs.
  const auto slope = [&](std::size_t head, std::size_t t, std::size_t rows) HWY_ATTR {
    const std::size_t low = attention.first(t);
    for (std::size_t i = 0; i < rows; ++i) {
      const auto factor = hn::Mul(hn::Load(d, attention.inverse(head, t + i)), surviving);
      T* mixed = attention.value_gradients + ((t + i) * channels + head * width) * kLanes;
      detail::scale_rows(d, 1, width, context.gradient_at(backward.out_gradient, t + i) + head * width * kLanes, width,
                         factor, mixed, width);
      // With the factor of the scores, their gradients are what keys and queries are multiplied with.
      detail::scale_rows(d, 1, width, mixed, width, scale, scaled + i * width * kLanes, width);
    }
    product(d, rows, t + rows - low, width, {scaled, width, 1}, attention.columns(call.v, head, low), {},
            attention.band(attention.slopes, head, t, low));
    for (std::size_t i = 0; i < rows; ++i) {
      const std::size_t first = attention.first(t + i);
      const std::size_t count = t + i + 1 - first;
      T* weights = attention.at(attention.weights, head, t + i, first);
      T* slopes = attention.at(attention.slopes, head, t + i, first);
      const auto inverse = hn::Load(d, attention.inverse(head, t + i));
      if (call.dropout.active()) {
        detail::softmax_row_backward<true>(d, weights, slopes, inverse, count);
      } else {
        detail::softmax_row_backward<false>(d, weights, slopes, inverse, count);
      }
      attention.clear_margins(d, attention.slopes, head, t + i);
    }
  };
  const auto query = [&](std::size_t head, std::size_t t, std::size_t rows) HWY_ATTR {
    const std::size_t low = attention.first(t);
    const detail::Destination<D> gradient(backward.q_gradient, context, t, head * width);
    product(d, rows, width, t + rows - low, detail::as_input(attention.band(attention.slopes, head, t, low)),
            attention.rows(call.k, head, low), gradient.init, gradient.to);
  };
  for (std::size_t block = context.begin; block < context.end; block += detail::kBlock) {
    const std::size_t end = std::min(block + detail::kBlock, context.end);
    for (std::size_t head = 0; head < attention.heads; ++head) {
      detail::for_tiles(block, end, attention.tile,
                        [&](std::size_t t, std::size_t rows) HWY_ATTR { slope(head, t, rows); });
      if (!backward.q_gradient.wanted()) continue;
      detail::for_tiles(block, end, attention.tile,
                        [&](std::size_t t, std::size_t rows) HWY_ATTR { query(head, t, rows); });
    }
  }

  // Keys and values: all queries that see them have been here, those of later tokens in earlier calls.
  const auto key = [&](const GradientView& view, std::size_t head, T* bands, const Matrix<const T>& from) HWY_ATTR {
    if (!view.wanted()) return;
    detail::for_tiles(context.begin, context.end, attention.tile, [&](std::size_t j, std::size_t rows) HWY_ATTR {
      std::size_t end = j + rows;
      while (end < context.time && attention.first(end) < j + rows) ++end;
      const detail::Destination<D> gradient(view, context, j, head * width);
      product(d, rows, width, end - j, {attention.at(bands, head, j, j), 1, attention.size - 1},
              {from.data + j * from.row * kLanes, from.row, 1}, gradient.init, gradient.to);
    });
  };
  for (std::size_t head = 0; head < attention.heads; ++head) {
    key(backward.k_gradient, head, attention.slopes, attention.rows(call.q, head, 0));
    key(backward.v_gradient, head, attention.weights, {attention.value_gradients + head * width * kLanes, channels, 1});
  }
}

}  // namespace hyseq::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
