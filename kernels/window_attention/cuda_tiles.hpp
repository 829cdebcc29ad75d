// Tiles of attention on a GPU: blocks of queries meet blocks of keys in shared memory (Dao et al. 2022).
//
// A block of side x side threads handles tiles of 4 side rows. Thread (x, y) has 4 x 4 scores of a tile, those of rows
// y + side i and columns x + side j, and in sums of rows weighed by scores the same rows and some of the head's
// columns. Heads wider than a tile are taken a part at a time: scores add up over the parts, and every part of the
// results has a block of its own, which computes the scores again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kernels/cuda/pack.hpp"
#include "kernels/window_attention/cuda_plan.hpp"

namespace hyseq::kernels::cuda {
inline namespace HYSEQ_CUDA_DEVICE {

template <class T, unsigned side, unsigned columns>
struct AttentionTile {
  static constexpr unsigned kRows = 4 * side;  // and as many columns
  static constexpr unsigned kThreads = side * side;
  // More than there are, so that several blocks find room in a multiprocessor's registers.
  static constexpr unsigned kMostThreads = !std::is_same_v<T, float> ? 256 : columns <= 4 ? 512 : kThreads;
  static constexpr unsigned kWidth = side * columns;   // of a part of a head
  static constexpr unsigned kStride = kWidth / 4 + 1;  // packs from row to row: odd, so that rows lie in other banks
  static constexpr unsigned kTileStride = side + 1;    // likewise
  static constexpr unsigned kWide = columns < 4 ? columns : 4;
  using Four = Pack<T, 4>;
  using Wide = Pack<T, kWide>;
  using Scores = T[4][4];      // of rows y + side i and columns x + side j
  using Sums = T[4][columns];  // of rows y + side i and columns (x + side j) kWide + e, at j kWide + e

  static constexpr std::size_t kRowsBytes = std::size_t{kRows} * kStride * sizeof(Four);
  static constexpr std::size_t kTileBytes = std::size_t{kRows} * kTileStride * sizeof(Four);

  /// Rows of a part of a head, zero where there is nothing.
  struct Rows {
    Shared<Four> fours;
    Shared<Wide> wides;
    Shared<T> numbers;

    HYSEQ_DEVICE Rows(const Thread& thread, std::size_t first_byte)
        : fours(thread.shared<Four>(first_byte, std::size_t{kRows} * kStride)),
          wides(thread.shared<Wide>(first_byte, std::size_t{kRows} * kStride * 4 / kWide)),
          numbers(thread.shared<T>(first_byte, std::size_t{kRows} * kStride * 4)) {}

    /// Positions [first, first + kRows) of the sequence, times `factor`.
    HYSEQ_DEVICE void load(const Thread& thread, const Columns<const T>& from, const AttentionPlan<T>& plan,
                           const AttentionPlace& place, unsigned first, unsigned part, T factor = T(1)) const {
      const std::size_t row = place.sequence * plan.time + first;
      const unsigned count = plan.time - first < kRows ? plan.time - first : kRows;
      const unsigned begin = part * kWidth;
      const unsigned width = plan.head_width - begin < kWidth ? plan.head_width - begin : kWidth;
      for (unsigned i = thread.index(); i < kRows * kWidth; i += kThreads) {
        const unsigned r = i / kWidth;
        const unsigned c = i % kWidth;
        const bool there = r < count && c < width;
        numbers[r * kStride * 4 + c] =
            there ? from.at(row + r, std::size_t{place.head} * plan.head_width + begin + c) * factor : T(0);
      }
    }
  };

  /// Weights of a tile: for every column a pack per group of rows y + side i.
  struct Weights {
    Shared<Four> fours;
    Shared<T> numbers;

    HYSEQ_DEVICE Weights(const Thread& thread, std::size_t first_byte)
        : fours(thread.shared<Four>(first_byte, std::size_t{kRows} * kTileStride)),
          numbers(thread.shared<T>(first_byte, std::size_t{kRows} * kTileStride * 4)) {}

    [[nodiscard]] static HYSEQ_DEVICE unsigned at(unsigned row, unsigned column) {
      return (column * kTileStride + row % side) * 4 + row / side;
    }
    HYSEQ_DEVICE void put(unsigned x, unsigned y, const Scores& scores) const {
      for (unsigned j = 0; j < 4; ++j) {
        fours[(x + side * j) * kTileStride + y] = Four{{scores[0][j], scores[1][j], scores[2][j], scores[3][j]}};
      }
    }
    /// Multiplies by what lies there. A thread reads only what it puts.
    HYSEQ_DEVICE void multiply(unsigned x, unsigned y, Scores& scores) const {
      for (unsigned j = 0; j < 4; ++j) {
        const Four factors = fours[(x + side * j) * kTileStride + y];
        for (unsigned i = 0; i < 4; ++i) scores[i][j] *= factors[i];
      }
    }

    /// Dropout factors of queries from first_query on and keys from first_key on; rows are queries, or keys. A block of
    /// random words serves four distances.
    HYSEQ_DEVICE void draw(const Thread& thread, const AttentionPlan<T>& plan, const AttentionPlace& place,
                           unsigned first_query, unsigned first_key, bool rows_are_queries) const {
      const std::uint64_t row = plan.step[0].first_row + place.batch_row;
      const DropoutKey key{plan.member_steps[place.member].seed, plan.step[0].step};
      for (unsigned i = thread.index(); i < kRows * (kRows / 4 + 1); i += kThreads) {
        const unsigned query = i % kRows;
        const unsigned t = first_query + query;
        // Key k lies at distance ahead - k. Groups of four distances, the farthest first; what nobody sees counts as
        // dropped.
        const int ahead = static_cast<int>(t) - static_cast<int>(first_key);
        const int group = floor_quarter(ahead) - static_cast<int>(i / kRows);
        RandomBlock words{};
        if (group >= 0 && static_cast<unsigned>(group) * 4 < plan.window && t < plan.time) {
          const auto distance = static_cast<std::uint64_t>(group) * 4;
          words = dropout_words(plan.site, key, row, t, probability_element(place.head, distance) / 4);
        }
        for (int w = 0; w < 4; ++w) {
          const int k = ahead - 4 * group - w;
          if (k < 0 || k >= static_cast<int>(kRows)) continue;
          const auto column = static_cast<unsigned>(k);
          const T factor = words[static_cast<unsigned>(w)] < plan.dropped_below ? T(0) : plan.dropout_scale;
          numbers[rows_are_queries ? at(query, column) : at(column, query)] = factor;
        }
      }
    }

   private:
    [[nodiscard]] static HYSEQ_DEVICE int floor_quarter(int value) {
      return value >= 0 ? value / 4 : -((3 - value) / 4);
    }
  };

  /// Adds to the scores what a part of the columns gives: products of `rows` and `others`.
  static HYSEQ_DEVICE void add_products(unsigned x, unsigned y, const Rows& rows, const Rows& others,
                                        const AttentionPlan<T>& plan, unsigned part, Scores& scores) {
    const unsigned left = plan.head_width - part * kWidth;
    const unsigned groups = ((left < kWidth ? left : kWidth) + 3) / 4;
    for (unsigned g = 0; g < groups; ++g) {
      Four a[4];
      Four b[4];
      for (unsigned i = 0; i < 4; ++i) a[i] = rows.fours[(y + side * i) * kStride + g];
      for (unsigned j = 0; j < 4; ++j) b[j] = others.fours[(x + side * j) * kStride + g];
      for (unsigned i = 0; i < 4; ++i) {
        for (unsigned j = 0; j < 4; ++j) {
          for (unsigned e = 0; e < 4; ++e) scores[i][j] += a[i][e] * b[j][e];
        }
      }
    }
  }

  /// sums[row] += sum over the tile's columns of weight * others[column].
  static HYSEQ_DEVICE void add_weighted(unsigned x, unsigned y, const Weights& weights, const Rows& others,
                                        Sums& sums) {
#if defined(__CUDACC__)
#pragma unroll(std::is_same_v <T, float> ? 4 : 1)
#endif
    for (unsigned column = 0; column < kRows; ++column) {
      const Four weight = weights.fours[column * kTileStride + y];
      for (unsigned j = 0; j < columns / kWide; ++j) {
        const Wide numbers = others.wides[column * (kStride * 4 / kWide) + x + side * j];
        for (unsigned i = 0; i < 4; ++i) {
          for (unsigned e = 0; e < kWide; ++e) sums[i][j * kWide + e] += weight[i] * numbers[e];
        }
      }
    }
  }

  [[nodiscard]] static HYSEQ_DEVICE unsigned parts(const AttentionPlan<T>& plan) {
    return (plan.head_width + kWidth - 1) / kWidth;
  }

  /// visit(row, column, value) for the sums that exist; columns count within all heads.
  template <class Visit>
  static HYSEQ_DEVICE void for_sums(unsigned x, unsigned y, const AttentionPlan<T>& plan, const AttentionPlace& place,
                                    const Sums& sums, const Visit& visit) {
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned t = place.tile * kRows + y + side * i;
      for (unsigned j = 0; j < columns / kWide; ++j) {
        for (unsigned e = 0; e < kWide; ++e) {
          const unsigned c = place.part * kWidth + (x + side * j) * kWide + e;
          if (t < plan.time && c < plan.head_width) {
            visit(place.sequence * plan.time + t, std::size_t{place.head} * plan.head_width + c, sums[i][j * kWide + e],
                  i);
          }
        }
      }
    }
  }
};

/// run.template operator()<AttentionTile<...>>() with the tile for heads of this width: what a block's shared memory
/// and a thread's registers hold.
template <class T, class Run>
void with_attention_tile(const WindowAttention& call, const Run& run) {
  const int width = call.q.width / call.heads;
  if constexpr (std::is_same_v<T, float>) {
    if (width <= 8) {
      run.template operator()<AttentionTile<T, 8, 1>>();
    } else if (width <= 16) {
      run.template operator()<AttentionTile<T, 8, 2>>();
    } else if (width <= 32) {
      run.template operator()<AttentionTile<T, 8, 4>>();
    } else if (width <= 64) {
      run.template operator()<AttentionTile<T, 16, 4>>();
    } else {
      run.template operator()<AttentionTile<T, 16, 8>>();
    }
  } else {
    if (width <= 32) {
      run.template operator()<AttentionTile<T, 8, 4>>();
    } else {
      run.template operator()<AttentionTile<T, 8, 8>>();
    }
  }
}

template <class Tile, class T>
[[nodiscard]] Shape attention_shape(const AttentionPlan<T>& plan, std::size_t shared_bytes, const Context<T>& context) {
  const unsigned tiles = (plan.time + Tile::kRows - 1) / Tile::kRows;
  const unsigned parts = (plan.head_width + Tile::kWidth - 1) / Tile::kWidth;
  return {{tiles * plan.heads * parts, static_cast<unsigned>(context.batch), static_cast<unsigned>(context.members)},
          Tile::kThreads,
          shared_bytes};
}

}  // namespace HYSEQ_CUDA_DEVICE
}  // namespace hyseq::kernels::cuda
