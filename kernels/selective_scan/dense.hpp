// The scan with channels in the vector lanes: a task takes one batch row and one vector of channels through time.
#pragma once

#include <cmath>

#include "kernels/dense/context.hpp"
#include "kernels/dense/vectors.hpp"
#include "kernels/selective_scan/selective_scan.hpp"

namespace hyseq::kernels::dense {

/// The states before every kChunk-th token are kept for the backward pass, which recomputes those between.
inline constexpr std::size_t kChunk = 16;

/// One vector of channels, the last ones perhaps fewer than it has lanes.
template <class T>
class ScanLanes {
 public:
  using D = Tag<T>;
  using V = hn::Vec<D>;
  static constexpr std::size_t kLanes = dense::kLanes<T>;
  static constexpr std::size_t kTogether = 4;

  ScanLanes(const SelectiveScan& call, std::size_t vector, const Context<T>& context)
      : call_(call), context_(context), first_(vector * kLanes) {
    states_ = static_cast<std::size_t>(call.input.width);
    used_ = std::min(kLanes, static_cast<std::size_t>(call.u.width) - first_);
  }

  [[nodiscard]] static std::size_t vectors(const SelectiveScan& call) {
    return (static_cast<std::size_t>(call.u.width) + kLanes - 1) / kLanes;
  }
  [[nodiscard]] static std::size_t chunks(std::size_t time) { return (time + kChunk - 1) / kChunk; }
  /// Numbers that the states at the checkpoints of all rows take: [batch row][vector][chunk][state][lane].
  [[nodiscard]] static std::size_t kept_size(const SelectiveScan& call, const Context<T>& context) {
    return context.batch * vectors(call) * chunks(context.time) * static_cast<std::size_t>(call.input.width) * kLanes;
  }

  [[nodiscard]] HWY_INLINE V load(const T* row) const {
    return used_ == kLanes ? Whole<T>().load(row + first_) : Part<T>{used_}.load(row + first_);
  }
  HWY_INLINE void store(V value, T* row) const {
    if (used_ == kLanes) {
      Whole<T>().store(value, row + first_);
    } else {
      Part<T>{used_}.store(value, row + first_);
    }
  }
  [[nodiscard]] std::size_t first() const { return first_; }
  [[nodiscard]] std::size_t used() const { return used_; }
  [[nodiscard]] std::size_t states() const { return states_; }

  /// A log2(e) with A = -exp(log_rate), as [state][lane]: decays are powers of two.
  void rates(T* to) const {
    const D d;
    const T scale = static_cast<T>(-math::kLog2E);
    const T* log_rate = context_.parameter(call_.log_rate);
    for (std::size_t n = 0; n < states_; ++n) {
      HWY_ALIGN T lanes[kLanes] = {};
      for (std::size_t c = 0; c < used_; ++c) lanes[c] = log_rate[(first_ + c) * states_ + n];
      hn::Store(hn::Mul(math::exp(d, hn::Load(d, lanes)), hn::Set(d, scale)), d, to + n * kLanes);
    }
  }

  /// Moves `state` [state][lane] over one row of the batch. decays and kept_part, [state][lane] each or null, receive a
  /// and a s_{t-1}.
  template <bool record>
  HWY_INLINE V advance(std::size_t row, const T* rate, T* state, T* decays, T* kept_part) const {
    const D d;
    if (context_.position[row] == 0) std::fill_n(state, states_ * kLanes, T(0));
    const V step = load(context_.at(call_.step, row));
    const V drive = hn::Mul(step, load(context_.at(call_.u, row)));
    const T* input = context_.at(call_.input, row);
    const T* output = context_.at(call_.output, row);
    // Four states at a time: chains of instructions that wait for nothing but themselves.
    V sums[kTogether];
    for (V& sum : sums) sum = hn::Zero(d);
    const auto move = [&](std::size_t n, V a, V& sum) {
      const V held = hn::Mul(a, hn::Load(d, state + n * kLanes));
      const V s = hn::MulAdd(drive, hn::Set(d, input[n]), held);
      hn::Store(s, d, state + n * kLanes);
      if constexpr (record) {
        hn::Store(a, d, decays + n * kLanes);
        hn::Store(held, d, kept_part + n * kLanes);
      } else {
        sum = hn::MulAdd(s, hn::Set(d, output[n]), sum);
      }
    };
    std::size_t n = 0;
    for (; n + kTogether <= states_; n += kTogether) {
      V exponents[kTogether];
      V a[kTogether];
      for (std::size_t i = 0; i < kTogether; ++i) exponents[i] = hn::Mul(step, hn::Load(d, rate + (n + i) * kLanes));
      math::exp2_each(d, exponents, a);
      for (std::size_t i = 0; i < kTogether; ++i) move(n + i, a[i], sums[i]);
    }
    for (; n < states_; ++n) move(n, math::exp2(d, hn::Mul(step, hn::Load(d, rate + n * kLanes))), sums[0]);
    return hn::Add(hn::Add(sums[0], sums[1]), hn::Add(sums[2], sums[3]));
  }

 private:
  const SelectiveScan& call_;
  const Context<T>& context_;
  std::size_t first_;
  std::size_t used_ = 0;
  std::size_t states_ = 0;
};

/// One batch row of one vector; checkpoints [chunk][state][lane] or null, memory: 2 * states * lanes.
template <class T>
void scan_forward(const SelectiveScan& call, const ScanLanes<T>& lanes, std::size_t batch_row, T* memory,
                  T* checkpoints, bool write, const Context<T>& context) {
  const std::size_t size = lanes.states() * ScanLanes<T>::kLanes;
  T* rate = memory;
  T* state = memory + size;
  lanes.rates(rate);
  std::fill_n(state, size, T(0));
  const auto skip = lanes.load(context.parameter(call.skip));
  for (std::size_t t = 0; t < context.time; ++t) {
    const std::size_t row = batch_row * context.time + t;
    if (checkpoints != nullptr && t % kChunk == 0) std::copy_n(state, size, checkpoints + t / kChunk * size);
    const auto sum = lanes.template advance<false>(row, rate, state, nullptr, nullptr);
    if (write) lanes.store(hn::MulAdd(skip, lanes.load(context.at(call.u, row)), sum), context.at(call.out, row));
  }
}

template <class T>
void forward(const SelectiveScan& call, const Context<T>& context) {
  using Lanes = ScanLanes<T>;
  const std::size_t vectors = Lanes::vectors(call);
  const std::size_t size = static_cast<std::size_t>(call.input.width) * Lanes::kLanes;
  const std::size_t chunks = Lanes::chunks(context.time);
  T* kept = context.keep_for_backward(call.carry, Lanes::kept_size(call, context));
  context.pool->run(context.batch * vectors, [&](std::size_t task, std::size_t worker) {
    const Lanes lanes(call, task % vectors, context);
    T* checkpoints = kept == nullptr ? nullptr : kept + task * chunks * size;
    scan_forward(call, lanes, task / vectors, context.scratch->own(worker, 2 * size), checkpoints, true, context);
  });
}

}  // namespace hyseq::kernels::dense
