#pragma once

#include "kernels/window_attention/dense.hpp"

namespace hyseq::kernels::dense {

/// The backward pass of one head of one batch row. Probabilities come back from the scores and the kept maximum and sum
/// of their row. A task owns a whole head, so that the sums over queries need no partial results.
template <class T>
class AttentionGradient {
 public:
  static constexpr std::size_t kBlock = AttentionHead<T>::kBlock;

  /// Numbers of scratch memory: probabilities, their gradients, dropped probabilities, one number per query.
  [[nodiscard]] static std::size_t memory() { return 3 * kBlock * kBlock + kBlock; }

  AttentionGradient(const WindowAttentionBackward& call, const AttentionHead<T>& head, const T* kept, T* memory,
                    std::uint32_t* words)
      : call_(call), head_(head), kept_(kept), words_(words) {
    p_ = memory;
    e_ = p_ + kBlock * kBlock;
    dropped_ = call.call.dropout.active() ? e_ + kBlock * kBlock : p_;
    along_ = memory + 3 * kBlock * kBlock;
  }

  void run(std::size_t time) {
    for (const GradientView* view : {&call_.q_gradient, &call_.k_gradient, &call_.v_gradient}) {
      if (view->wanted() && view->mode == GradientMode::overwrite) head_.gradient_rows(view->view, 0, time).setZero();
    }
    for (std::size_t first = 0; first < time; first += kBlock) {
      const std::size_t last = std::min(first + kBlock, time);
      // sum_i p_i c_i of a query is out_gradient . out.
      const auto g = head_.gradient_rows(call_.out_gradient, first, last - first);
      const auto out = head_.rows(call_.call.out, first, last - first);
      for (std::size_t i = 0; i < last - first; ++i) along_[i] = g.row(index(i)).dot(out.row(index(i)));
      head_.each_key_block(first, last, [&](std::size_t first_key, std::size_t last_key) {
        block(first, last - first, first_key, last_key - first_key);
      });
    }
  }

 private:
  void block(std::size_t first, std::size_t queries, std::size_t first_key, std::size_t keys) {
    const WindowAttention& call = call_.call;
    const auto q = head_.rows(call.q, first, queries);
    const auto k = head_.rows(call.k, first_key, keys);
    const auto v = head_.rows(call.v, first_key, keys);
    const auto g = head_.gradient_rows(call_.out_gradient, first, queries);
    auto p = rows_at(p_, queries, keys, kBlock);
    auto e = rows_at(e_, queries, keys, kBlock);
    p.noalias() = q * k.transpose();
    e.noalias() = g * v.transpose();
    for (std::size_t i = 0; i < queries; ++i) row(i, first + i, first_key, keys);
    if (call_.v_gradient.wanted()) {
      head_.gradient_rows(call_.v_gradient.view, first_key, keys).noalias() +=
          rows_at(dropped_, queries, keys, kBlock).transpose() * g;
    }
    if (call_.k_gradient.wanted()) {
      head_.gradient_rows(call_.k_gradient.view, first_key, keys).noalias() += e.transpose() * q;
    }
    if (call_.q_gradient.wanted()) {
      head_.gradient_rows(call_.q_gradient.view, first, queries).noalias() += e * k;
    }
  }

  /// Row i of the block: scores to probabilities, out_gradient . v to the gradient of the scores.
  void row(std::size_t i, std::size_t t, std::size_t first_key, std::size_t keys) {
    const auto seen = head_.seen(t, first_key, first_key + keys);
    T* p = p_ + i * kBlock;
    T* e = e_ + i * kBlock;
    T* dropped = dropped_ + i * kBlock;
    if (!seen.empty()) {
      const T scale = head_.scale();
      const T largest = kept_[2 * t];
      const T sum = kept_[2 * t + 1];
      for_vectors<T>(seen.end - seen.begin, [&](auto v, std::size_t j) {
        const auto score = hn::Mul(v.load(p + seen.begin + j), v.set(scale));
        v.store(hn::Div(math::exp(v.tag, hn::Sub(score, v.set(largest))), v.set(sum)), p + seen.begin + j);
      });
      if (dropped != p) {
        const std::size_t distance = head_.draw(t, first_key, seen, words_);
        head_.drop(seen, words_, distance, p, dropped);
        head_.drop(seen, words_, distance, e, e);
      }
      for_vectors<T>(seen.end - seen.begin, [&](auto v, std::size_t j) {
        T* c = e + seen.begin + j;
        const auto difference = hn::Sub(v.load(c), v.set(along_[i]));
        const auto weighted = hn::Mul(v.load(p + seen.begin + j), difference);
        v.store(hn::Mul(weighted, v.set(scale)), c);
      });
    }
    for (T* numbers : {p, e, dropped}) {
      std::fill(numbers, numbers + seen.begin, T(0));
      std::fill(numbers + seen.end, numbers + keys, T(0));
    }
  }

  const WindowAttentionBackward& call_;
  const AttentionHead<T>& head_;
  const T* kept_;
  std::uint32_t* words_;
  T* p_;
  T* e_;
  T* dropped_;
  T* along_;
};

template <class T>
void backward(const WindowAttentionBackward& call, const Context<T>& context) {
  const auto heads = static_cast<std::size_t>(call.call.heads);
  const auto head_width = static_cast<std::size_t>(call.call.q.width) / heads;
  const T* kept = context.kept_by_forward(call.call.carry);
  T* recomputed = kept == nullptr ? context.scratch->shared(context.rows() * heads * 2) : nullptr;
  context.pool->run(context.batch * heads, [&](std::size_t task, std::size_t worker) {
    const AttentionHead<T> head(call.call, task / heads, task % heads, context);
    std::uint32_t* words = context.scratch->words(worker, AttentionHead<T>::kWords);
    if (recomputed != nullptr) {
      constexpr std::size_t kBlock = AttentionHead<T>::kBlock;
      for (std::size_t first = 0; first < context.time; first += kBlock) {
        attend<T>(head, call.call, first, std::min(first + kBlock, context.time),
                  context.scratch->own(worker, attend_memory<T>(head_width)), words, nullptr,
                  recomputed + head.kept_offset(0));
      }
    }
    const T* rows = (recomputed != nullptr ? recomputed : kept) + head.kept_offset(0);
    AttentionGradient<T>(call, head, rows, context.scratch->own(worker, AttentionGradient<T>::memory()), words)
        .run(context.time);
  });
}

}  // namespace hyseq::kernels::dense
