#pragma once

#include "kernels/window_attention/cuda.hpp"

namespace hyseq::kernels::cuda {
inline namespace HYSEQ_CUDA_DEVICE {

/// sum_i p_i c_i of every row and head, which is out_gradient . out: [sequence][head][position].
template <class T>
struct AttentionAlong {
  static constexpr bool kCooperative = false;
  static constexpr unsigned kMostThreads = 128;
  unsigned heads = 0;
  unsigned head_width = 0;
  unsigned time = 0;
  Columns<const T> out;
  Columns<const T> out_gradient;
  Span<T> along;

  HYSEQ_DEVICE void operator()(const Thread& thread) const {
    const std::size_t i = thread.global_index();
    if (i >= along.size()) return;
    const std::size_t row = i / heads;
    const std::size_t head = i % heads;
    T sum(0);
    for (unsigned c = 0; c < head_width; ++c) {
      sum += out.at(row, head * head_width + c) * out_gradient.at(row, head * head_width + c);
    }
    along[(row / time * heads + head) * time + row % time] = sum;
  }
};

/// What both kernels of the backward pass read.
template <class T>
struct AttentionBackwardInputs {
  AttentionPlan<T> plan;
  Columns<const T> q;
  Columns<const T> k;
  Columns<const T> v;
  Columns<const T> out_gradient;
  Span<const T> kept;
  Span<const T> along;

  /// Of one row and head.
  struct Row {
    T largest;
    T inverse_sum;
    T along;
  };
  [[nodiscard]] HYSEQ_DEVICE Row row(const AttentionPlace& place, unsigned t) const {
    if (t >= plan.time) return {T(0), T(0), T(0)};
    const std::size_t at = (place.sequence * plan.heads + place.head) * plan.time + t;
    return {kept[2 * at], T(1) / kept[2 * at + 1], along[at]};
  }
};

/// Gradient of q: a tile of queries passes over the keys that it sees.
template <class T, class Tile>
struct AttentionQueryGradient {
  static constexpr bool kCooperative = true;
  static constexpr unsigned kMostThreads = Tile::kMostThreads;
  static constexpr std::size_t kSharedBytes = 3 * Tile::kRowsBytes + Tile::kTileBytes;

  AttentionBackwardInputs<T> inputs;
  GradientColumns<T> q_gradient;

  HYSEQ_DEVICE void operator()(const Thread& thread) const {
    const AttentionPlan<T>& plan = inputs.plan;
    const AttentionPlace place(thread, plan, Tile::kRows);
    const typename Tile::Rows queries(thread, 0);
    const typename Tile::Rows gradients(thread, Tile::kRowsBytes);
    const typename Tile::Rows keys(thread, 2 * Tile::kRowsBytes);  // and values
    const typename Tile::Weights weights(thread, 3 * Tile::kRowsBytes);
    const unsigned x = thread.index() % (Tile::kRows / 4);
    const unsigned y = thread.index() / (Tile::kRows / 4);
    const unsigned first = place.tile * Tile::kRows;
    const unsigned last = first + Tile::kRows < plan.time ? first + Tile::kRows : plan.time;
    const unsigned parts = Tile::parts(plan);
    unsigned seen[4];
    typename AttentionBackwardInputs<T>::Row rows[4];
    typename Tile::Sums sums;
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned t = first + y + Tile::kRows / 4 * i;
      seen[i] = first_seen(plan, place.batch_row, t);
      rows[i] = inputs.row(place, t);
      for (T& sum : sums[i]) sum = T(0);
    }
    const unsigned oldest = first_seen(plan, place.batch_row, first);
    for (unsigned key = oldest; key < last; key += Tile::kRows) {
      typename Tile::Scores scores = {};
      typename Tile::Scores reached = {};  // c, what reaches the probabilities
      for (unsigned part = 0; part < parts; ++part) {
        thread.barrier();
        if (parts > 1 || key == oldest) gradients.load(thread, inputs.out_gradient, plan, place, first, part);
        keys.load(thread, inputs.v, plan, place, key, part);
        if (part == 0 && plan.dropped_below > 0) weights.draw(thread, plan, place, first, key, true);
        thread.barrier();
        Tile::add_products(x, y, gradients, keys, plan, part, reached);
      }
      for (unsigned part = 0; part < parts; ++part) {
        thread.barrier();
        if (parts > 1 || key == oldest) queries.load(thread, inputs.q, plan, place, first, part, plan.scale);
        keys.load(thread, inputs.k, plan, place, key, part);
        thread.barrier();
        Tile::add_products(x, y, queries, keys, plan, part, scores);
      }
      if (plan.dropped_below > 0) weights.multiply(x, y, reached);
      for (unsigned i = 0; i < 4; ++i) {
        const unsigned t = first + y + Tile::kRows / 4 * i;
        for (unsigned j = 0; j < 4; ++j) {
          const unsigned other = key + x + Tile::kRows / 4 * j;
          const bool sees = other >= seen[i] && other <= t;
          const T p = softmax_share(scores[i][j], rows[i].largest) * rows[i].inverse_sum;
          scores[i][j] = sees ? p * (reached[i][j] - rows[i].along) * plan.scale : T(0);
        }
      }
      weights.put(x, y, scores);
      thread.barrier();
      if (parts > 1) {
        keys.load(thread, inputs.k, plan, place, key, place.part);
        thread.barrier();
      }
      Tile::add_weighted(x, y, weights, keys, sums);
    }
    Tile::for_sums(x, y, plan, place, sums, [&](std::size_t row, std::size_t column, T sum, unsigned /*i*/) {
      q_gradient.put(row, column, sum);
    });
  }
};

/// Gradients of k and v: a tile of keys passes over the queries that see it. Rows of the tile are keys.
template <class T, class Tile>
struct AttentionKeyGradient {
  static constexpr bool kCooperative = true;
  static constexpr unsigned kMostThreads = Tile::kMostThreads;
  static constexpr std::size_t kSharedBytes = 4 * Tile::kRowsBytes + Tile::kTileBytes;

  AttentionBackwardInputs<T> inputs;
  GradientColumns<T> k_gradient;
  GradientColumns<T> v_gradient;

  HYSEQ_DEVICE void operator()(const Thread& thread) const {
    const AttentionPlan<T>& plan = inputs.plan;
    const AttentionPlace place(thread, plan, Tile::kRows);
    const typename Tile::Rows keys(thread, 0);
    const typename Tile::Rows values(thread, Tile::kRowsBytes);
    const typename Tile::Rows queries(thread, 2 * Tile::kRowsBytes);
    const typename Tile::Rows gradients(thread, 3 * Tile::kRowsBytes);
    const typename Tile::Weights weights(thread, 4 * Tile::kRowsBytes);
    const unsigned x = thread.index() % (Tile::kRows / 4);
    const unsigned y = thread.index() / (Tile::kRows / 4);
    const unsigned first = place.tile * Tile::kRows;
    const unsigned last = first + Tile::kRows < plan.time ? first + Tile::kRows : plan.time;
    const unsigned parts = Tile::parts(plan);
    typename Tile::Sums key_sums = {};
    typename Tile::Sums value_sums = {};
    for (unsigned query = first; query < plan.time; query += Tile::kRows) {
      // What a position sees begins no earlier than for the position before: later queries see none of these keys.
      if (first_seen(plan, place.batch_row, query) >= last) break;
      typename Tile::Scores scores = {};
      typename Tile::Scores reached = {};
      for (unsigned part = 0; part < parts; ++part) {
        thread.barrier();
        if (parts > 1 || query == first) {
          keys.load(thread, inputs.k, plan, place, first, part);
          values.load(thread, inputs.v, plan, place, first, part);
        }
        queries.load(thread, inputs.q, plan, place, query, part, plan.scale);
        gradients.load(thread, inputs.out_gradient, plan, place, query, part);
        if (part == 0 && plan.dropped_below > 0) weights.draw(thread, plan, place, query, first, false);
        thread.barrier();
        Tile::add_products(x, y, keys, queries, plan, part, scores);
        Tile::add_products(x, y, values, gradients, plan, part, reached);
      }
      if (parts > 1) {
        thread.barrier();
        queries.load(thread, inputs.q, plan, place, query, place.part, plan.scale);
        gradients.load(thread, inputs.out_gradient, plan, place, query, place.part);
      }
      for (unsigned j = 0; j < 4; ++j) {
        const unsigned t = query + x + Tile::kRows / 4 * j;
        const unsigned seen = first_seen(plan, place.batch_row, t);
        const auto row = inputs.row(place, t);
        for (unsigned i = 0; i < 4; ++i) {
          const unsigned key = first + y + Tile::kRows / 4 * i;
          const bool sees = key >= seen && key <= t;
          scores[i][j] = sees ? softmax_share(scores[i][j], row.largest) * row.inverse_sum : T(0);
        }
      }
      typename Tile::Scores dropped;
      for (unsigned i = 0; i < 4; ++i) {
        for (unsigned j = 0; j < 4; ++j) dropped[i][j] = scores[i][j];
      }
      if (plan.dropped_below > 0) {
        weights.multiply(x, y, dropped);
        weights.multiply(x, y, reached);
      }
      weights.put(x, y, dropped);
      thread.barrier();
      Tile::add_weighted(x, y, weights, gradients, value_sums);
      for (unsigned j = 0; j < 4; ++j) {
        const T along = inputs.row(place, query + x + Tile::kRows / 4 * j).along;
        for (unsigned i = 0; i < 4; ++i) scores[i][j] *= reached[i][j] - along;
      }
      thread.barrier();
      weights.put(x, y, scores);
      thread.barrier();
      Tile::add_weighted(x, y, weights, queries, key_sums);  // the queries bring the scale
    }
    const auto pass_on = [&](const GradientColumns<T>& to, const typename Tile::Sums& sums) {
      if (!to.wanted) return;
      Tile::for_sums(x, y, plan, place, sums,
                     [&](std::size_t row, std::size_t column, T sum, unsigned /*i*/) { to.put(row, column, sum); });
    };
    pass_on(k_gradient, key_sums);
    pass_on(v_gradient, value_sums);
  }
};

template <class T>
void backward(const WindowAttentionBackward& call, const Context<T>& context) {
  const WindowAttention& attention = call.call;
  const Workspace::Scope scope(*context.workspace);
  const AttentionPlan<T> plan(attention, context);
  const Columns<const T> gradient = context.gradient_at(call.out_gradient);
  const Span<T> along = context.workspace->template take<T>(context.rows() * plan.heads);
  launch(*context.stream, {blocks(along.size(), 128), 128, 0},
         AttentionAlong<T>{plan.heads, plan.head_width, plan.time, context.at(attention.out), gradient, along});
  const AttentionBackwardInputs<T> inputs{
      plan, context.at(attention.q), context.at(attention.k), context.at(attention.v), gradient, context.kept, along};
  with_attention_tile<T>(attention, [&]<class Tile>() {
    if (call.q_gradient.wanted()) {
      using Kernel = AttentionQueryGradient<T, Tile>;
      launch(*context.stream, attention_shape<Tile>(plan, Kernel::kSharedBytes, context),
             Kernel{inputs, sink(call.q_gradient, context)});
    }
    if (call.k_gradient.wanted() || call.v_gradient.wanted()) {
      using Kernel = AttentionKeyGradient<T, Tile>;
      launch(*context.stream, attention_shape<Tile>(plan, Kernel::kSharedBytes, context),
             Kernel{inputs, sink(call.k_gradient, context), sink(call.v_gradient, context)});
    }
  });
}

}  // namespace HYSEQ_CUDA_DEVICE
}  // namespace hyseq::kernels::cuda
