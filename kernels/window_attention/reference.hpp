#pragma once

#include <cmath>

#include "kernels/dropout/reference.hpp"
#include "kernels/reference/context.hpp"
#include "kernels/reference/softmax.hpp"
#include "kernels/window_attention/window_attention.hpp"

namespace hyseq::kernels {

/// One query of one head over a ring of keys and values: the heart of the operation.
template <class Scalar>
class AttentionRow {
 public:
  using Numeric = numbers::Numeric<Scalar>;
  using Accumulator = typename Numeric::Accumulator;

  AttentionRow(std::size_t slots, std::size_t channels, std::size_t head_width)
      : slots_(slots), channels_(channels), head_width_(head_width), scores_(slots), ring_(slots), mix_(head_width) {}

  /// keys: [channels][slots], values: [slots][channels], both from the head's first channel on. The `count` positions
  /// that end in slot `last` are visible. Probabilities, oldest first, stay in `probabilities()`; where `factors` are
  /// given (dropout, likewise oldest first) they multiply them before the values are mixed.
  void attend(const Scalar* query, const Scalar* keys, const Scalar* values, std::size_t last, std::size_t count,
              const Accumulator& scale, const Accumulator* factors, Scalar* out) {
    // Slots of the visible positions, oldest first: a run up to the ring's end, then a run from its start.
    const std::size_t first = (last + slots_ + 1 - count) % slots_;
    const std::size_t run = std::min(count, slots_ - first);
    std::fill_n(ring_.begin(), slots_, Accumulator{});
    for (std::size_t i = 0; i < head_width_; ++i) {
      const Accumulator q = Numeric::widen(query[i]);
      if (is_exact_zero(q)) continue;  // adds a zero to every score
      const Scalar* key = keys + i * slots_;
      // Every slot, visible or not, so that the loop is one straight run.
      for (std::size_t s = 0; s < slots_; ++s) ring_[s] = ring_[s] + q * Numeric::widen(key[s]);
    }
    for (std::size_t j = 0; j < run; ++j) scores_[j] = ring_[first + j] * scale;
    for (std::size_t j = run; j < count; ++j) scores_[j] = ring_[j - run] * scale;
    softmax_in_place(scores_.data(), count);
    std::fill(mix_.begin(), mix_.end(), Accumulator{});
    for (std::size_t j = 0; j < count; ++j) {
      if (is_exact_zero(scores_[j])) continue;
      const Scalar* value = values + (j < run ? first + j : j - run) * channels_;
      const Accumulator share = factors == nullptr ? scores_[j] : scores_[j] * factors[j];
      for (std::size_t i = 0; i < head_width_; ++i) mix_[i] = mix_[i] + share * Numeric::widen(value[i]);
    }
    for (std::size_t i = 0; i < head_width_; ++i) out[i] = Numeric::round(mix_[i]);
    count_ = count;
  }

  [[nodiscard]] std::span<const Accumulator> probabilities() const { return {scores_.data(), count_}; }

 private:
  std::size_t slots_;
  std::size_t channels_;
  std::size_t head_width_;
  std::size_t count_ = 0;
  std::vector<Accumulator> scores_;
  std::vector<Accumulator> ring_;
  std::vector<Accumulator> mix_;
};

/// Dropout of one row's and head's probabilities, oldest first.
template <class Scalar>
void probability_factors(const DropoutSite& site, const Context<Scalar>& context, std::size_t row, std::size_t head,
                         std::size_t count, std::vector<typename Context<Scalar>::Accumulator>& factors) {
  factors.resize(count);
  for (std::size_t j = 0; j < count; ++j) {
    factors[j] = constant<typename Context<Scalar>::Accumulator>(
        dropout_factor(site, context, row, probability_element(head, count - 1 - j)));
  }
}

template <class Scalar>
void reference(const WindowAttention& call, const Context<Scalar>& context) {
  using Numeric = typename Context<Scalar>::Numeric;
  using Accumulator = typename Numeric::Accumulator;
  const auto channels = static_cast<std::size_t>(call.q.width);
  const auto heads = static_cast<std::size_t>(call.heads);
  const std::size_t head_width = channels / heads;
  const auto slots = static_cast<std::size_t>(context.layout->entries[static_cast<std::size_t>(call.carry)].slots);
  const Accumulator scale =
      numbers::Numeric<Accumulator>::from_double(1.0 / std::sqrt(static_cast<double>(head_width)));
  AttentionRow<Scalar> attention(slots, channels, head_width);
  std::vector<Accumulator> factors;
  std::vector<double>* record = nullptr;
  if (context.trace != nullptr) {
    const std::string& name = context.program->carries[static_cast<std::size_t>(call.carry)].name;
    record = &context.trace->values[name.substr(0, name.rfind('.')) + ".probabilities"];
  }
  for (std::size_t b = 0; b < context.batch; ++b) {
    Scalar* keys = context.carried(call.carry, b);
    Scalar* values = keys + channels * slots;
    for (std::size_t t = 0; t < context.time; ++t) {
      const std::size_t row = b * context.time + t;
      const std::uint64_t position = context.position[row];
      const auto slot = static_cast<std::size_t>(position % slots);
      const std::size_t count = position < slots ? static_cast<std::size_t>(position) + 1 : slots;
      const Scalar* k = context.at(call.k, row);
      const Scalar* v = context.at(call.v, row);
      for (std::size_t c = 0; c < channels; ++c) keys[c * slots + slot] = k[c];
      std::copy_n(v, channels, values + slot * channels);
      if (context.store_only) continue;
      const Scalar* q = context.at(call.q, row);
      Scalar* out = context.at(call.out, row);
      for (std::size_t h = 0; h < heads; ++h) {
        const std::size_t first = h * head_width;
        if (call.dropout.active()) probability_factors(call.dropout, context, row, h, count, factors);
        attention.attend(q + first, keys + first * slots, values + first, slot, count, scale,
                         call.dropout.active() ? factors.data() : nullptr, out + first);
        if (record != nullptr) {
          const auto probabilities = attention.probabilities();
          for (std::size_t distance = 0; distance < slots; ++distance) {
            record->push_back(
                distance < count ? numbers::Numeric<Accumulator>::to_double(probabilities[count - 1 - distance]) : 0.0);
          }
        }
      }
    }
  }
}

template <class Scalar>
void reference(const WindowAttentionBackward& call, const Context<Scalar>& context) {
  using Numeric = typename Context<Scalar>::Numeric;
  using Accumulator = typename Numeric::Accumulator;
  const WindowAttention& forward = call.call;
  const auto channels = static_cast<std::size_t>(forward.q.width);
  const auto heads = static_cast<std::size_t>(forward.heads);
  const std::size_t head_width = channels / heads;
  const auto window = static_cast<std::size_t>(forward.window);
  const auto scale = constant<Accumulator>(1.0 / std::sqrt(static_cast<double>(head_width)));
  std::vector<Accumulator> p;
  std::vector<Accumulator> m;  // dropout factors
  std::vector<Accumulator> c;  // what reaches the probabilities
  for (std::size_t b = 0; b < context.batch; ++b) {
    std::vector<Accumulator> q_sums(context.time * channels);  // [time][channels]
    std::vector<Accumulator> k_sums(context.time * channels);
    std::vector<Accumulator> v_sums(context.time * channels);
    for (std::size_t t = 0; t < context.time; ++t) {
      const std::size_t row = b * context.time + t;
      const std::size_t count = context.position[row] < window ? context.position[row] + 1 : window;
      const std::size_t oldest = t + 1 - count;
      const Scalar* gradient = context.gradient_at(call.out_gradient, row);
      const Scalar* q = context.at(forward.q, row);
      for (std::size_t h = 0; h < heads; ++h) {
        const std::size_t begin = h * head_width;
        const std::size_t end = begin + head_width;
        p.assign(count, Accumulator{});
        m.assign(count, constant<Accumulator>(1));
        c.assign(count, Accumulator{});
        for (std::size_t j = 0; j < count; ++j) {
          const Scalar* k = context.at(forward.k, b * context.time + oldest + j);
          for (std::size_t i = begin; i < end; ++i) p[j] = p[j] + Numeric::widen(q[i]) * Numeric::widen(k[i]);
          p[j] = p[j] * scale;
        }
        softmax_in_place(p.data(), count);
        if (forward.dropout.active()) probability_factors(forward.dropout, context, row, h, count, m);
        Accumulator mean{};
        for (std::size_t j = 0; j < count; ++j) {
          const Scalar* v = context.at(forward.v, b * context.time + oldest + j);
          Accumulator* v_sum = v_sums.data() + (oldest + j) * channels;
          for (std::size_t i = begin; i < end; ++i) {
            const Accumulator g = Numeric::widen(gradient[i]);
            v_sum[i] = v_sum[i] + p[j] * m[j] * g;
            c[j] = c[j] + g * Numeric::widen(v[i]);
          }
          c[j] = c[j] * m[j];
          mean = mean + p[j] * c[j];
        }
        for (std::size_t j = 0; j < count; ++j) {
          const Accumulator e = p[j] * (c[j] - mean) * scale;
          const Scalar* k = context.at(forward.k, b * context.time + oldest + j);
          Accumulator* q_sum = q_sums.data() + t * channels;
          Accumulator* k_sum = k_sums.data() + (oldest + j) * channels;
          for (std::size_t i = begin; i < end; ++i) {
            q_sum[i] = q_sum[i] + e * Numeric::widen(k[i]);
            k_sum[i] = k_sum[i] + e * Numeric::widen(q[i]);
          }
        }
      }
    }
    for (std::size_t i = 0; i < context.time * channels; ++i) {
      const std::size_t row = b * context.time + i / channels;
      if (call.q_gradient.wanted()) context.contribute(call.q_gradient, row, i % channels, q_sums[i]);
      if (call.k_gradient.wanted()) context.contribute(call.k_gradient, row, i % channels, k_sums[i]);
      if (call.v_gradient.wanted()) context.contribute(call.v_gradient, row, i % channels, v_sums[i]);
    }
  }
}

}  // namespace hyseq::kernels
