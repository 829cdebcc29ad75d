#pragma once

#include <cmath>

#include "kernels/reference/context.hpp"
#include "kernels/window_attention/window_attention.hpp"

namespace hyseq::kernels {

/// Softmax in place of ordered numbers, shifted by their maximum, and of enclosures in exact real arithmetic and
/// complex numbers by the shift-free 1 / sum_j exp(x_j - x_i), which keeps the correlation between numerator and
/// denominator.
template <class Accumulator>
void softmax_in_place(Accumulator* x, std::size_t count) {
  if constexpr (numbers::Numeric<Accumulator>::ordered) {
    Accumulator largest = x[0];
    for (std::size_t j = 1; j < count; ++j) largest = largest < x[j] ? x[j] : largest;
    Accumulator sum{};
    for (std::size_t j = 0; j < count; ++j) {
      x[j] = numbers::exp(x[j] - largest);
      sum = sum + x[j];
    }
    for (std::size_t j = 0; j < count; ++j) x[j] = x[j] / sum;
  } else {
    const std::vector<Accumulator> scores(x, x + count);
    for (std::size_t i = 0; i < count; ++i) {
      Accumulator sum{};
      for (std::size_t j = 0; j < count; ++j) {
        sum = sum + (i == j ? constant<Accumulator>(1) : numbers::exp(scores[j] - scores[i]));
      }
      x[i] = constant<Accumulator>(1) / sum;
    }
  }
}

/// Softmax in place of intervals that enclose what the shifted formula above computes in T: its own rounding does not
/// follow the shift-free formula, so the result is the intersection of two enclosures,
///   - the shifted formula in intervals, exact for points but blind to the correlation of numerator and denominator;
///   - the exact softmax, shift-free, widened by the rounding of the shifted formula. With unit roundoff u: a
///   difference
///     x_j - max whose exp does not vanish lies above the underflow threshold -M and is off by at most M u, its exp by
///     2 u more, the sum by count u, the quotient by u; exps in the subnormal range by a smallest number each.
template <numbers::RealNumber T>
void softmax_in_place(numbers::Interval<T>* x, std::size_t count) {
  using Format = numbers::Interval<T>;
  using Exact = numbers::Interval<numbers::ExactReal>;
  const std::vector<Format> scores(x, x + count);
  Format largest = scores[0];
  bool points = true;
  for (const Format& score : scores) {
    largest = {std::max(largest.lower, score.lower), std::max(largest.upper, score.upper)};
    points = points && numbers::is_point(score);
  }
  Format sum{};
  for (std::size_t j = 0; j < count; ++j) {
    const Format difference = scores[j] - largest;
    if (difference == Format::whole()) {  // infinities: the result may be NaN
      std::fill_n(x, count, Format::whole());
      return;
    }
    x[j] = numbers::exp(Format(difference.lower, std::min(difference.upper, 0.0)));
    sum = sum + x[j];
  }
  sum.lower = std::max(sum.lower, 1.0);  // one exp is exactly 1, and rounded sums of what is not negative never fall
  for (std::size_t j = 0; j < count; ++j) x[j] = x[j] / sum;
  if (points) return;

  constexpr double roundoff = static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;
  constexpr double least = static_cast<double>(std::numeric_limits<T>::denorm_min());
  const double relative = 1.01 * roundoff * (2 * (4 - Format::underflow_threshold) + static_cast<double>(count) + 8);
  const double absolute = 2 * least * static_cast<double>(count + 4);
  for (std::size_t i = 0; i < count; ++i) {
    Exact rest(0.0);
    for (std::size_t j = 0; j < count; ++j) {
      if (j == i) continue;
      rest = rest + numbers::exp(Exact(scores[j].lower, scores[j].upper) - Exact(scores[i].lower, scores[i].upper));
    }
    const Exact exact = Exact(1.0) / (Exact(1.0) + rest);
    x[i] = {std::max(x[i].lower, exact.lower * (1 - relative) - absolute),
            std::min(x[i].upper, exact.upper * (1 + relative) + absolute)};
  }
}

/// One query of one head over a ring of keys and values: the heart of the operation.
template <class Scalar>
class AttentionRow {
 public:
  using Numeric = numbers::Numeric<Scalar>;
  using Accumulator = typename Numeric::Accumulator;

  AttentionRow(std::size_t slots, std::size_t channels, std::size_t head_width)
      : slots_(slots), channels_(channels), head_width_(head_width), scores_(slots), ring_(slots), mix_(head_width) {}

  /// keys: [channels][slots], values: [slots][channels], both from the head's first channel on. The `count` positions
  /// that end in slot `last` are visible. Probabilities, oldest first, stay in `probabilities()`.
  void attend(const Scalar* query, const Scalar* keys, const Scalar* values, std::size_t last, std::size_t count,
              const Accumulator& scale, Scalar* out) {
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
      for (std::size_t i = 0; i < head_width_; ++i) mix_[i] = mix_[i] + scores_[j] * Numeric::widen(value[i]);
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
        attention.attend(q + first, keys + first * slots, values + first, slot, count, scale, out + first);
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

}  // namespace hyseq::kernels
