#pragma once

#include "kernels/selective_scan/dense.hpp"

namespace hyseq::kernels::dense {

/// Where the tasks of a backward call leave what others add up.
template <class T>
struct ScanSums {
  T* inputs;  // [group][row][grad B, grad C]
  T* rates;   // [batch row][vector][state][lane]
  T* skips;   // [batch row][vector][lane]
};

/// One batch row and a group of vectors, chunk by chunk from the end. Gradients of B and C are sums over all channels:
/// lanes are added up once for the whole group.
template <class T>
class ScanGradient {
 public:
  using Lanes = ScanLanes<T>;
  using D = typename Lanes::D;
  using V = typename Lanes::V;
  static constexpr std::size_t kLanes = Lanes::kLanes;
  static constexpr std::size_t kGroup = 4;

  [[nodiscard]] static std::size_t groups(const SelectiveScan& call) {
    return (Lanes::vectors(call) + kGroup - 1) / kGroup;
  }
  [[nodiscard]] static std::size_t memory(std::size_t states) {
    return (1 + 3 * kGroup + 4 * kChunk) * states * kLanes + kGroup * kLanes;
  }

  ScanGradient(const SelectiveScanBackward& call, std::size_t batch_row, std::size_t group, T* memory,
               const Context<T>& context)
      : call_(call), context_(context), batch_row_(batch_row), group_(group) {
    size_ = static_cast<std::size_t>(call.call.input.width) * kLanes;
    state_ = memory;
    rate_ = state_ + size_;
    adjoint_ = rate_ + kGroup * size_;
    rate_sum_ = adjoint_ + kGroup * size_;
    decay_ = rate_sum_ + kGroup * size_;
    held_ = decay_ + kChunk * size_;
    sums_ = held_ + kChunk * size_;
    skip_sum_ = sums_ + 2 * kChunk * size_;
  }

  /// kept: the checkpoints of all rows and vectors.
  void run(const T* kept, const ScanSums<T>& sums) {
    const std::size_t vectors = Lanes::vectors(call_.call);
    const std::size_t first = group_ * kGroup;
    const std::size_t last = std::min(first + kGroup, vectors);
    const std::size_t chunks = Lanes::chunks(context_.time);
    std::fill_n(adjoint_, kGroup * size_, T(0));
    std::fill_n(rate_sum_, kGroup * size_, T(0));
    std::fill_n(skip_sum_, kGroup * kLanes, T(0));
    for (std::size_t v = first; v < last; ++v) Lanes(call_.call, v, context_).rates(rate_ + (v - first) * size_);
    for (std::size_t chunk = chunks; chunk-- > 0;) {
      std::fill_n(sums_, 2 * kChunk * size_, T(0));
      for (std::size_t v = first; v < last; ++v) {
        const T* checkpoint = kept + ((batch_row_ * vectors + v) * chunks + chunk) * size_;
        walk_back(Lanes(call_.call, v, context_), v - first, chunk, checkpoint);
      }
      add_lanes(chunk, sums.inputs);
    }
    for (std::size_t v = first; v < last; ++v) {
      const std::size_t to = batch_row_ * vectors + v;
      // grad log_rate = A * grad A.
      for (std::size_t i = 0; i < size_; ++i) {
        const std::size_t from = (v - first) * size_ + i;
        sums.rates[to * size_ + i] = rate_sum_[from] * rate_[from] * static_cast<T>(math::kLn2);
      }
      std::copy_n(skip_sum_ + (v - first) * kLanes, kLanes, sums.skips + to * kLanes);
    }
  }

 private:
  void walk_back(const Lanes& lanes, std::size_t slot, std::size_t chunk, const T* checkpoint) {
    const D d;
    const SelectiveScan& scan = call_.call;
    const std::size_t first = chunk * kChunk;
    const std::size_t last = std::min(first + kChunk, context_.time);
    const T* rate = rate_ + slot * size_;
    T* adjoint = adjoint_ + slot * size_;  // a_{t+1} r_{t+1}
    T* rate_sum = rate_sum_ + slot * size_;
    std::copy_n(checkpoint, size_, state_);
    for (std::size_t t = first; t < last; ++t) {
      const std::size_t at = (t - first) * size_;
      lanes.template advance<true>(batch_row_ * context_.time + t, rate, state_, decay_ + at, held_ + at);
    }
    const V skip = lanes.load(context_.parameter(scan.skip));
    V skip_sum = hn::Load(d, skip_sum_ + slot * kLanes);
    for (std::size_t t = last; t-- > first;) {
      const std::size_t row = batch_row_ * context_.time + t;
      const V u = lanes.load(context_.at(scan.u, row));
      const V step = lanes.load(context_.at(scan.step, row));
      const V g = lanes.load(context_.gradient_at(call_.out_gradient, row));
      const V drive = hn::Mul(step, u);
      const T* input = context_.at(scan.input, row);
      const T* output = context_.at(scan.output, row);
      // Two chains of sums each, so that one does not wait for its own last addition.
      V through_input[2] = {hn::Zero(d), hn::Zero(d)};
      V through_decay[2] = {hn::Zero(d), hn::Zero(d)};
      const auto state = [&](std::size_t n, V& input_part, V& decay_part) {
        const std::size_t i = n * kLanes;
        const std::size_t at = (t - first) * size_ + i;
        const V held = hn::Load(d, held_ + at);
        const V b = hn::Set(d, input[n]);
        const V r = hn::MulAdd(g, hn::Set(d, output[n]), hn::Load(d, adjoint + i));
        T* input_sum = sums_ + 2 * (t - first) * size_ + i;
        T* output_sum = input_sum + size_;
        hn::Store(hn::MulAdd(drive, r, hn::Load(d, input_sum)), d, input_sum);
        hn::Store(hn::MulAdd(g, hn::MulAdd(drive, b, held), hn::Load(d, output_sum)), d, output_sum);
        input_part = hn::MulAdd(r, b, input_part);
        const V decayed = hn::Mul(r, held);
        decay_part = hn::MulAdd(decayed, hn::Load(d, rate + i), decay_part);
        hn::Store(hn::MulAdd(decayed, step, hn::Load(d, rate_sum + i)), d, rate_sum + i);
        hn::Store(hn::Mul(hn::Load(d, decay_ + at), r), d, adjoint + i);
      };
      std::size_t n = 0;
      for (; n + 2 <= lanes.states(); n += 2) {
        state(n, through_input[0], through_decay[0]);
        state(n + 1, through_input[1], through_decay[1]);
      }
      if (n < lanes.states()) state(n, through_input[0], through_decay[0]);
      const V through_b = hn::Add(through_input[0], through_input[1]);
      // The rates are in units of log2(e).
      const V through_a = hn::Mul(hn::Add(through_decay[0], through_decay[1]), hn::Set(d, static_cast<T>(math::kLn2)));
      if (context_.position[row] == 0) std::fill_n(adjoint, size_, T(0));
      skip_sum = hn::MulAdd(g, u, skip_sum);
      pass(lanes, call_.u_gradient, row, hn::MulAdd(step, through_b, hn::Mul(skip, g)));
      pass(lanes, call_.step_gradient, row, hn::MulAdd(u, through_b, through_a));
    }
    hn::Store(skip_sum, d, skip_sum_ + slot * kLanes);
  }

  void pass(const Lanes& lanes, const GradientView& to, std::size_t row, V value) const {
    if (!to.wanted()) return;
    T* gradient = context_.gradient_at(to.view, row);
    if (to.mode == GradientMode::accumulate) value = hn::Add(lanes.load(gradient), value);
    lanes.store(value, gradient);
  }

  void add_lanes(std::size_t chunk, T* inputs) const {
    const D d;
    const std::size_t first = chunk * kChunk;
    const std::size_t last = std::min(first + kChunk, context_.time);
    const std::size_t numbers = 2 * size_ / kLanes;
    for (std::size_t t = first; t < last; ++t) {
      T* to = inputs + (group_ * context_.rows() + batch_row_ * context_.time + t) * numbers;
      const T* from = sums_ + 2 * (t - first) * size_;
      for (std::size_t i = 0; i < numbers; ++i) to[i] = hn::GetLane(hn::SumOfLanes(d, hn::Load(d, from + i * kLanes)));
    }
  }

  const SelectiveScanBackward& call_;
  const Context<T>& context_;
  std::size_t batch_row_;
  std::size_t group_;
  std::size_t size_ = 0;  // states * lanes
  T* state_;
  T* rate_;      // [group][state][lane]
  T* adjoint_;   // likewise
  T* rate_sum_;  // likewise
  T* decay_;     // [chunk][state][lane]
  T* held_;      // likewise
  T* sums_;      // [chunk][grad B, grad C][state][lane]
  T* skip_sum_;  // [group][lane]
};

/// Adds up what the groups and the batch rows left, in their order.
template <class T>
void collect(const SelectiveScanBackward& call, const ScanSums<T>& sums, const Context<T>& context) {
  const std::size_t states = static_cast<std::size_t>(call.call.input.width);
  const std::size_t groups = ScanGradient<T>::groups(call.call);
  const auto pass = [&](const GradientView& to, std::size_t offset, std::size_t row) {
    if (!to.wanted()) return;
    T* gradient = context.gradient_at(to.view, row);
    for_vectors<T>(states, [&](auto v, std::size_t n) {
      auto sum = hn::Zero(v.tag);
      for (std::size_t group = 0; group < groups; ++group) {
        sum = hn::Add(sum, v.load(sums.inputs + (group * context.rows() + row) * 2 * states + offset + n));
      }
      put(v, to.mode, sum, gradient + n);
    });
  };
  context.for_row_tiles(2 * states * groups, [&](std::size_t first, std::size_t last, std::size_t /*worker*/) {
    for (std::size_t row = first; row < last; ++row) {
      pass(call.input_gradient, 0, row);
      pass(call.output_gradient, states, row);
    }
  });
  const std::size_t vectors = ScanLanes<T>::vectors(call.call);
  constexpr std::size_t kLanes = dense::kLanes<T>;
  context.pool->run(vectors, [&](std::size_t v, std::size_t /*worker*/) {
    const ScanLanes<T> lanes(call.call, v, context);
    T* rates = context.parameter_gradient(call.call.log_rate) + lanes.first() * states;
    T* skips = context.parameter_gradient(call.call.skip) + lanes.first();
    for (std::size_t b = 0; b < context.batch; ++b) {
      const T* rate = sums.rates + (b * vectors + v) * states * kLanes;
      const T* skip = sums.skips + (b * vectors + v) * kLanes;
      for (std::size_t c = 0; c < lanes.used(); ++c) {
        for (std::size_t n = 0; n < states; ++n) rates[c * states + n] += rate[n * kLanes + c];
        skips[c] += skip[c];
      }
    }
  });
}

template <class T>
void backward(const SelectiveScanBackward& call, const Context<T>& context) {
  using Lanes = ScanLanes<T>;
  const SelectiveScan& scan = call.call;
  const auto states = static_cast<std::size_t>(scan.input.width);
  const std::size_t vectors = Lanes::vectors(scan);
  const std::size_t groups = ScanGradient<T>::groups(scan);
  const std::size_t size = states * Lanes::kLanes;
  const T* kept = context.kept_by_forward(scan.carry);
  const std::size_t inputs = groups * context.rows() * 2 * states;
  const std::size_t rates = context.batch * vectors * size;
  const std::size_t skips = context.batch * vectors * Lanes::kLanes;
  const std::size_t checkpoints = kept == nullptr ? Lanes::kept_size(scan, context) : 0;
  T* memory = context.scratch->shared(checkpoints + rates + skips + inputs);
  if (kept == nullptr) {
    context.pool->run(context.batch * vectors, [&](std::size_t task, std::size_t worker) {
      scan_forward(scan, Lanes(scan, task % vectors, context), task / vectors, context.scratch->own(worker, 2 * size),
                   memory + task * Lanes::chunks(context.time) * size, false, context);
    });
    kept = memory;
  }
  const ScanSums<T> sums{memory + checkpoints + rates + skips, memory + checkpoints, memory + checkpoints + rates};
  context.pool->run(context.batch * groups, [&](std::size_t task, std::size_t worker) {
    T* own = context.scratch->own(worker, ScanGradient<T>::memory(states));
    ScanGradient<T>(call, task / groups, task % groups, own, context).run(kept, sums);
  });
  collect(call, sums, context);
}

}  // namespace hyseq::kernels::dense
