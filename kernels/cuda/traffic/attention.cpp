// Windowed attention: pairs of tiles, as the kernels go through them.
#include "kernels/cuda/traffic/counter.hpp"
#include "kernels/window_attention/cuda_tiles.hpp"

namespace hyseq::kernels::cuda {
namespace {

/// Tiles of keys that the tiles of queries of one sequence meet, all together.
std::size_t query_pairs(std::size_t tile, std::size_t window, std::size_t time) {
  std::size_t pairs = 0;
  for (std::size_t first = 0; first < time; first += tile) {
    const std::size_t oldest = first - std::min(first, window - 1);
    pairs += ceil_quotient(std::min(first + tile, time) - oldest, tile);
  }
  return pairs;
}

/// Tiles of queries that the tiles of keys meet.
std::size_t key_pairs(std::size_t tile, std::size_t window, std::size_t time) {
  std::size_t pairs = 0;
  for (std::size_t first = 0; first < time; first += tile) {
    const std::size_t last = std::min(first + tile, time);
    for (std::size_t query = first; query < time && query - std::min(query, window - 1) < last; query += tile) ++pairs;
  }
  return pairs;
}

/// Sizes of an attention, by name.
struct Attention {
  Quantity heads;
  Quantity width;       // columns of all heads
  Quantity head_width;  // up to a multiple of four
  Quantity tile;
  Quantity part_width;
  Quantity parts;
  Quantity dropped;
  Quantity all_heads;  // M B H
  std::size_t tile_rows = 0;
  std::size_t window = 0;
  std::size_t time = 0;

  Attention(const WindowAttention& call, const Counter& counter)
      : heads("H", call.heads),
        width("w", call.q.width),
        head_width("h", ceil_quotient(static_cast<std::size_t>(call.q.width / call.heads), 4) * 4),
        dropped("δ", call.dropout.active() ? 1 : 0),
        all_heads(counter.members * counter.batch * heads),
        window(static_cast<std::size_t>(call.window)),
        time(counter.sizes.time) {
    with_attention_tile<float>(call, [&]<class Tile>() {
      const auto own = static_cast<std::size_t>(call.q.width / call.heads);
      tile_rows = Tile::kRows;
      tile = {"T", Tile::kRows};
      part_width = {"q", Tile::kWidth};
      parts = {"p", ceil_quotient(own, Tile::kWidth)};
    });
  }
  /// Scores that blocks compute, masked ones included.
  [[nodiscard]] Quantity scores(const Quantity& pairs) const { return all_heads * parts * pairs * tile * tile; }
  [[nodiscard]] Quantity words(const Quantity& pairs) const {
    return dropped * all_heads * parts * pairs * tile * Quantity("(T/4 + 1)", tile.value() / 4 + 1);
  }
};

}  // namespace

void count(const WindowAttention& call, Counter& counter) {
  const Attention x(call, counter);
  const Quantity pairs("J", query_pairs(x.tile_rows, x.window, x.time));
  counter.add("AttentionForward", "attention",
              {.bytes = 16 * counter.rows * x.width + 8 * counter.rows * x.heads + 4 * counter.batch * counter.time,
               .operations = x.scores(pairs) * (2 * x.head_width + 2 * x.part_width + 2 + x.dropped) +
                             x.all_heads * x.parts * pairs * x.tile * x.part_width,
               .functions = x.scores(pairs),
               .words = x.words(pairs)});
}

void count(const WindowAttentionBackward& call, Counter& counter) {
  const char* purpose = "attention, backward";
  const Attention x(call.call, counter);
  counter.add(
      "AttentionAlong", purpose,
      {.bytes = 8 * counter.rows * x.width + 4 * counter.rows * x.heads, .operations = 2 * counter.rows * x.width});
  const Quantity read = 16 * counter.rows * x.width + 12 * counter.rows * x.heads + 4 * counter.batch * counter.time;
  if (call.q_gradient.wanted()) {
    const Quantity pairs("J", query_pairs(x.tile_rows, x.window, x.time));
    counter.add("AttentionQueryGradient", purpose,
                {.bytes = read + 4 * counter.rows * x.width * (1 + adds(call.q_gradient)),
                 .operations = x.scores(pairs) * (4 * x.head_width + 2 * x.part_width + 5 + x.dropped),
                 .functions = x.scores(pairs),
                 .words = x.words(pairs)});
  }
  const Gradients gradients{call.k_gradient, call.v_gradient};
  if (gradients.wanted > 0) {
    const Quantity pairs("K", key_pairs(x.tile_rows, x.window, x.time));
    const Quantity written = 4 * counter.rows * x.width * (gradients.wanted + gradients.adds);
    counter.add("AttentionKeyGradient", purpose,
                {.bytes = read + written,
                 .operations = x.scores(pairs) * (4 * x.head_width + 4 * x.part_width + 4 + 2 * x.dropped),
                 .functions = x.scores(pairs),
                 .words = x.words(pairs)});
  }
}

}  // namespace hyseq::kernels::cuda
