// Attention in blocks of queries and keys (Dao et al. 2022): memory grows with the length, never with its square, and
// blocks of keys that no query of a block sees are never touched.
#pragma once

#include <cmath>

#include "kernels/dense/product.hpp"
#include "kernels/dropout/dense.hpp"
#include "kernels/window_attention/window_attention.hpp"

namespace hyseq::kernels::dense {

/// One head of one batch row.
template <class T>
class AttentionHead {
 public:
  static constexpr std::size_t kBlock = 64;  // queries, and keys, of a block
  static constexpr std::size_t kWords = padded_words(kBlock / 4 + 2);

  AttentionHead(const WindowAttention& call, std::size_t batch_row, std::size_t head, const Context<T>& context)
      : call_(call), context_(context), batch_row_(batch_row), head_(head) {
    head_width_ = static_cast<std::size_t>(call.q.width / call.heads);
    scale_ = static_cast<T>(1 / std::sqrt(static_cast<double>(head_width_)));
  }

  [[nodiscard]] std::size_t head_width() const { return head_width_; }
  [[nodiscard]] T scale() const { return scale_; }
  [[nodiscard]] std::size_t stride(const View& view) const { return context_.stride(view); }

  /// Rows [first, first + count) of this head's columns.
  [[nodiscard]] ConstRows<T> rows(const View& view, std::size_t first, std::size_t count) const {
    const T* from = context_.at(view, row(first)) + head_ * head_width_;
    return rows_at(from, count, head_width_, context_.stride(view));
  }
  [[nodiscard]] Rows<T> gradient_rows(const View& view, std::size_t first, std::size_t count) const {
    T* from = context_.gradient_at(view, row(first)) + head_ * head_width_;
    return rows_at(from, count, head_width_, context_.gradient_stride(view));
  }

  /// The first position that position t sees.
  [[nodiscard]] std::size_t first_seen(std::size_t t) const {
    const auto window = static_cast<std::size_t>(call_.window);
    const std::size_t back = std::min<std::size_t>(window - 1, context_.position[row(t)]);
    return t - back;
  }
  /// What position t sees of keys [first, last), as [begin, end) within them; empty where begin >= end.
  struct Seen {
    std::size_t begin;
    std::size_t end;
    [[nodiscard]] bool empty() const { return begin >= end; }
  };
  [[nodiscard]] Seen seen(std::size_t t, std::size_t first, std::size_t last) const {
    const std::size_t begin = std::max(first_seen(t), first);
    const std::size_t end = std::min(t + 1, last);
    return begin < end ? Seen{begin - first, end - first} : Seen{0, 0};
  }

  /// visit(first, last) for the blocks of keys that queries [first_query, last_query) see something of, oldest first.
  template <class Visit>
  void each_key_block(std::size_t first_query, std::size_t last_query, const Visit& visit) const {
    for (std::size_t first = first_seen(first_query); first < last_query; first += kBlock) {
      visit(first, std::min(first + kBlock, last_query));
    }
  }

  /// The random words of (query t, keys first + j) for j in `keys`; word `distance - j` is that of key j, where
  /// `distance` is what comes back.
  std::size_t draw(std::size_t t, std::size_t first, const Seen& keys, std::uint32_t* words) const {
    const std::size_t farthest = t - (first + keys.begin);
    const std::size_t nearest = t - (first + keys.end - 1);
    const std::size_t block = nearest / 4;
    dropout_words(call_.dropout, context_.dropout, context_.first_row + batch_row_, t,
                  probability_element(head_, 4 * block) / 4, farthest / 4 - block + 1, words);
    return t - first - 4 * block;
  }
  /// to[j] = from[j] * the dropout factor of key j.
  void drop(const Seen& keys, const std::uint32_t* words, std::size_t distance, const T* from, T* to) const {
    const std::uint32_t threshold = call_.dropout.threshold();
    const T scale = static_cast<T>(call_.dropout.scale());
    for (std::size_t j = keys.begin; j < keys.end; ++j) {
      to[j] = from[j] * (words[distance - j] < threshold ? T(0) : scale);
    }
  }

  /// What a forward call keeps: [batch row, head, position][maximum, sum].
  [[nodiscard]] std::size_t kept_offset(std::size_t t) const {
    return ((batch_row_ * static_cast<std::size_t>(call_.heads) + head_) * context_.time + t) * 2;
  }

 private:
  [[nodiscard]] std::size_t row(std::size_t t) const { return batch_row_ * context_.time + t; }

  const WindowAttention& call_;
  const Context<T>& context_;
  std::size_t batch_row_;
  std::size_t head_;
  std::size_t head_width_ = 0;
  T scale_ = 0;
};

/// Softmax of a block of queries over keys that arrive block by block (Milakov, Gimelshein 2018).
template <class T>
class OnlineSoftmax {
 public:
  static constexpr std::size_t kMemory = 2 * AttentionHead<T>::kBlock;

  OnlineSoftmax(T* memory, std::size_t queries) : largest_(memory), sum_(memory + AttentionHead<T>::kBlock) {
    std::fill_n(largest_, queries, -std::numeric_limits<T>::infinity());
    std::fill_n(sum_, queries, T(0));
  }

  /// Scores of query i for `keys` become exp(score * scale - maximum so far). Returns the factor that brings what was
  /// summed before to the new maximum.
  T add(std::size_t i, T scale, std::size_t keys, T* scores) {
    for_vectors<T>(keys,
                   [&](auto v, std::size_t j) { v.store(hn::Mul(v.load(scores + j), v.set(scale)), scores + j); });
    const T before = largest_[i];
    const T largest = std::max(before, largest_of(scores, keys));
    const T factor = before == largest ? T(1) : std::exp(before - largest);
    const T added = sum_vectors<T>(keys, [&](auto v, std::size_t j) {
      const auto p = math::exp(v.tag, hn::Sub(v.load(scores + j), v.set(largest)));
      v.store(p, scores + j);
      return p;
    });
    largest_[i] = largest;
    sum_[i] = sum_[i] * factor + added;
    return factor;
  }
  [[nodiscard]] T largest(std::size_t i) const { return largest_[i]; }
  [[nodiscard]] T sum(std::size_t i) const { return sum_[i]; }

 private:
  T* largest_;
  T* sum_;
};

/// One block of queries. out: the first query's, or null where only the sums are
/// wanted; kept: [time][maximum, sum] of the head, or null.
template <class T>
void attend(const AttentionHead<T>& head, const WindowAttention& call, std::size_t first, std::size_t last, T* memory,
            std::uint32_t* words, T* out, T* kept) {
  constexpr std::size_t kBlock = AttentionHead<T>::kBlock;
  const std::size_t queries = last - first;
  OnlineSoftmax<T> softmax(memory, queries);
  T* scores = memory + OnlineSoftmax<T>::kMemory;
  T* mixed = scores + kBlock * kBlock;
  const auto q = head.rows(call.q, first, queries);
  auto mix = rows_at(mixed, queries, head.head_width(), head.head_width());
  mix.setZero();
  head.each_key_block(first, last, [&](std::size_t first_key, std::size_t last_key) {
    const std::size_t keys = last_key - first_key;
    auto s = rows_at(scores, queries, keys, kBlock);
    s.noalias() = q * head.rows(call.k, first_key, keys).transpose();
    for (std::size_t i = 0; i < queries; ++i) {
      const auto seen = head.seen(first + i, first_key, last_key);
      T* row = scores + i * kBlock;
      if (!seen.empty()) {
        const T factor = softmax.add(i, head.scale(), seen.end - seen.begin, row + seen.begin);
        if (factor != T(1)) mix.row(index(i)) *= factor;
        if (call.dropout.active()) head.drop(seen, words, head.draw(first + i, first_key, seen, words), row, row);
      }
      std::fill(row, row + seen.begin, T(0));
      std::fill(row + seen.end, row + keys, T(0));
    }
    if (out != nullptr) mix.noalias() += s * head.rows(call.v, first_key, keys);
  });
  for (std::size_t i = 0; i < queries; ++i) {
    if (kept != nullptr) {
      kept[2 * (first + i)] = softmax.largest(i);
      kept[2 * (first + i) + 1] = softmax.sum(i);
    }
  }
  if (out == nullptr) return;
  const std::size_t out_stride = head.stride(call.out);
  for (std::size_t i = 0; i < queries; ++i) {
    const T sum = softmax.sum(i);
    const T* from = mixed + i * head.head_width();
    T* to = out + i * out_stride;
    for_vectors<T>(head.head_width(),
                   [&](auto v, std::size_t c) { v.store(hn::Div(v.load(from + c), v.set(sum)), to + c); });
  }
}

template <class T>
[[nodiscard]] std::size_t attend_memory(std::size_t head_width) {
  constexpr std::size_t kBlock = AttentionHead<T>::kBlock;
  return OnlineSoftmax<T>::kMemory + kBlock * kBlock + kBlock * head_width;
}

template <class T>
void forward(const WindowAttention& call, const Context<T>& context) {
  constexpr std::size_t kBlock = AttentionHead<T>::kBlock;
  const auto heads = static_cast<std::size_t>(call.heads);
  const auto head_width = static_cast<std::size_t>(call.q.width) / heads;
  const std::size_t blocks = (context.time + kBlock - 1) / kBlock;
  T* kept = context.keep_for_backward(call.carry, context.rows() * heads * 2);
  context.pool->run(context.batch * heads * blocks, [&](std::size_t task, std::size_t worker) {
    const std::size_t batch_row = task / (heads * blocks);
    const std::size_t h = task / blocks % heads;
    const std::size_t first = task % blocks * kBlock;
    const std::size_t last = std::min(first + kBlock, context.time);
    const AttentionHead<T> head(call, batch_row, h, context);
    T* out = context.at(call.out, batch_row * context.time + first) + h * head_width;
    attend(head, call, first, last, context.scratch->own(worker, attend_memory<T>(head_width)),
           context.scratch->words(worker, AttentionHead<T>::kWords), out,
           kept == nullptr ? nullptr : kept + head.kept_offset(0));
  });
}

}  // namespace hyseq::kernels::dense
