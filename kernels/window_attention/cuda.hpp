#pragma once

#include <limits>

#include "kernels/window_attention/cuda_tiles.hpp"

namespace hyseq::kernels::cuda {
inline namespace HYSEQ_CUDA_DEVICE {

/// A tile of queries passes over the tiles of keys that it sees; the softmax grows with them (Milakov, Gimelshein
/// 2018).
template <class T, class Tile>
struct AttentionForward {
  static constexpr bool kCooperative = true;
  static constexpr unsigned kMostThreads = Tile::kMostThreads;
  static constexpr std::size_t kSharedBytes = 2 * Tile::kRowsBytes + Tile::kTileBytes;

  AttentionPlan<T> plan;
  Columns<const T> q;
  Columns<const T> k;
  Columns<const T> v;
  Columns<T> out;
  Span<T> kept;  // [sequence][head][position][largest score, sum], or empty

  HYSEQ_DEVICE void operator()(const Thread& thread) const {
    const AttentionPlace place(thread, plan, Tile::kRows);
    const typename Tile::Rows queries(thread, 0);
    const typename Tile::Rows keys(thread, Tile::kRowsBytes);  // and values
    const typename Tile::Weights weights(thread, 2 * Tile::kRowsBytes);
    const unsigned x = thread.index() % (Tile::kRows / 4);
    const unsigned y = thread.index() / (Tile::kRows / 4);
    const unsigned first = place.tile * Tile::kRows;
    const unsigned last = first + Tile::kRows < plan.time ? first + Tile::kRows : plan.time;
    const unsigned parts = Tile::parts(plan);
    Softmax softmax;
    typename Tile::Sums sums;
    for (unsigned i = 0; i < 4; ++i) {
      softmax.seen[i] = first_seen(plan, place.batch_row, first + y + Tile::kRows / 4 * i);
      softmax.largest[i] = -std::numeric_limits<T>::infinity();
      softmax.sum[i] = T(0);
      for (T& sum : sums[i]) sum = T(0);
    }
    const unsigned oldest = first_seen(plan, place.batch_row, first);
    for (unsigned key = oldest; key < last; key += Tile::kRows) {
      typename Tile::Scores scores = {};
      for (unsigned part = 0; part < parts; ++part) {
        thread.barrier();
        // Scaled queries, so that a score is a sum of products and nothing else: as such it is the same in every
        // kernel.
        if (parts > 1 || key == oldest) queries.load(thread, q, plan, place, first, part, plan.scale);
        keys.load(thread, k, plan, place, key, part);
        if (part == 0 && plan.dropped_below > 0) weights.draw(thread, plan, place, first, key, true);
        thread.barrier();
        Tile::add_products(x, y, queries, keys, plan, part, scores);
      }
      softmax.add(thread, x, first + y, key, scores, sums);
      if (plan.dropped_below > 0) weights.multiply(x, y, scores);
      weights.put(x, y, scores);
      thread.barrier();
      keys.load(thread, v, plan, place, key, place.part);
      thread.barrier();
      Tile::add_weighted(x, y, weights, keys, sums);
    }
    for (T& sum : softmax.sum) {
      for (unsigned mask = Tile::kRows / 8; mask > 0; mask /= 2) sum += thread.shuffle_xor(sum, mask);
    }
    Tile::for_sums(x, y, plan, place, sums, [&](std::size_t row, std::size_t column, T sum, unsigned i) {
      out.at(row, column) = sum / softmax.sum[i];
    });
    if (kept.empty() || place.part != 0 || x != 0) return;
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned t = first + y + Tile::kRows / 4 * i;
      if (t >= plan.time) continue;
      const std::size_t at = (place.sequence * plan.heads + place.head) * plan.time + t;
      kept[2 * at] = softmax.largest[i];
      kept[2 * at + 1] = softmax.sum[i];
    }
  }

 private:
  /// Of the thread's four rows. The sums are those of the thread's own columns until the end.
  struct Softmax {
    unsigned seen[4];  // first position
    T largest[4];
    T sum[4];

    /// Scores of keys from `key` on become e^(score - largest so far), 0 where they are not seen.
    HYSEQ_DEVICE void add(const Thread& thread, unsigned x, unsigned t, unsigned key, typename Tile::Scores& scores,
                          typename Tile::Sums& sums) {
      for (unsigned i = 0; i < 4; ++i, t += Tile::kRows / 4) {
        const auto sees = [&](unsigned j) {
          const unsigned other = key + x + Tile::kRows / 4 * j;
          return other >= seen[i] && other <= t;
        };
        T most = largest[i];
        for (unsigned j = 0; j < 4; ++j) most = sees(j) && scores[i][j] > most ? scores[i][j] : most;
        for (unsigned mask = Tile::kRows / 8; mask > 0; mask /= 2) {
          const T other = thread.shuffle_xor(most, mask);
          most = other > most ? other : most;
        }
        const T factor = most == largest[i] ? T(1) : std::exp(largest[i] - most);
        largest[i] = most;
        sum[i] *= factor;
        for (T& weighted : sums[i]) weighted *= factor;
        for (unsigned j = 0; j < 4; ++j) {
          scores[i][j] = sees(j) ? softmax_share(scores[i][j], most) : T(0);
          sum[i] += scores[i][j];
        }
      }
    }
  };
};

/// Numbers that a forward call keeps: largest score and sum of the softmax of every row and head.
[[nodiscard]] inline std::size_t kept_size(const WindowAttention& call, const Program& /*program*/, std::size_t members,
                                           std::size_t batch, std::size_t time) {
  return 2 * members * batch * time * static_cast<std::size_t>(call.heads);
}

template <class T>
void forward(const WindowAttention& call, const Context<T>& context) {
  const AttentionPlan<T> plan(call, context);
  with_attention_tile<T>(call, [&]<class Tile>() {
    using Kernel = AttentionForward<T, Tile>;
    launch(
        *context.stream, attention_shape<Tile>(plan, Kernel::kSharedBytes, context),
        Kernel{plan, context.at(call.q), context.at(call.k), context.at(call.v), context.at(call.out), context.kept});
  });
}

}  // namespace HYSEQ_CUDA_DEVICE
}  // namespace hyseq::kernels::cuda
