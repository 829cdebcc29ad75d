#pragma once

#include <cmath>

#include "kernels/base/numbers/functions.hpp"
#include "kernels/cuda/groups.hpp"
#include "kernels/cuda/reduce.hpp"
#include "kernels/cuda/team.hpp"
#include "kernels/softmax_cross_entropy/softmax_cross_entropy.hpp"

namespace hyseq::kernels::cuda {
inline namespace HYSEQ_CUDA_DEVICE {

/// One row's softmax, by its team. Groups: as many as the row has, or 0 where nothing is asked.
template <class T>
struct SoftmaxRow {
  T largest;
  T sum;  // of exp(x - largest)

  HYSEQ_DEVICE SoftmaxRow(const Team& team, const Groups<T>& x, std::size_t row, unsigned groups) {
    T own = -std::numeric_limits<T>::infinity();
    for (unsigned g = team.lane(); g < groups; g += team.size()) {
      const Group<T> v = x.load(row, g);
      for (unsigned k = 0; k < x.size(g); ++k) own = v[k] > own ? v[k] : own;
    }
    largest = team.max(own);
    T part = 0;
    for (unsigned g = team.lane(); g < groups; g += team.size()) {
      const Group<T> v = x.load(row, g);
      for (unsigned k = 0; k < x.size(g); ++k) part += numbers::exp(v[k] - largest);
    }
    sum = team.sum(part);
  }
};

template <class T>
struct CrossEntropyRows {
  static constexpr bool kCooperative = true;
  Groups<T> logits;
  Span<const std::int32_t> targets;
  Span<double> losses;
  Span<std::uint8_t> hits;
  std::size_t rows;

  HYSEQ_DEVICE void operator()(const Thread& thread) const {
    const Team team(thread, logits.width());
    const std::size_t row = team.row();
    const std::int32_t target = row < rows ? targets[row] : -1;
    const unsigned groups = target >= 0 ? logits.count() : 0;
    const SoftmaxRow<T> softmax(team, logits, row, groups);
    const T answer = groups > 0 ? logits.at(row, static_cast<std::size_t>(target)) : T(0);
    // Whether the answer is larger than every other; never where something is not a number.
    unsigned smaller = 0;
    for (unsigned g = team.lane(); g < groups; g += team.size()) {
      const Group<T> v = logits.load(row, g);
      for (unsigned k = 0; k < logits.size(g); ++k) smaller += v[k] < answer ? 1U : 0U;
    }
    smaller = team.sum(smaller);
    if (row < rows && team.lane() == 0) {
      losses[row] = groups > 0 ? static_cast<double>(std::log(softmax.sum) + (softmax.largest - answer)) : 0.0;
      hits[row] = groups > 0 && smaller + 1 == logits.width() ? 1 : 0;
    }
  }
};

/// sums[member] += its rows. A block per member.
struct SumLosses {
  static constexpr bool kCooperative = true;
  Span<const double> losses;
  Span<const std::uint8_t> hits;
  Span<LossSums> sums;
  std::size_t member_rows;

  HYSEQ_DEVICE void operator()(const Thread& thread) const {
    const std::size_t member = thread.block().x;
    double loss = 0;
    unsigned correct = 0;
    for (std::size_t i = thread.index(); i < member_rows; i += thread.count()) {
      loss += losses[member * member_rows + i];
      correct += hits[member * member_rows + i];
    }
    loss = block_sum(thread, loss, thread.shared<double>(0, kWarp));
    correct = block_sum(thread, correct, thread.shared<unsigned>(block_sum_bytes<double>(), kWarp));
    if (thread.index() == 0) {
      LossSums& to = sums[member];
      to.loss += loss;
      to.correct += correct;
    }
  }
};

/// losses[row]: the row's cross-entropy in double, 0 where its target does not count; hits[row]: 1 where the arg-max is
/// unique and equals a target that counts, else 0. Both are added to the sums of the row's member.
template <class T>
void cross_entropy(const View& logits, Span<double> losses, Span<std::uint8_t> hits, Span<LossSums> sums,
                   const Context<T>& context) {
  const CrossEntropyRows<T> rows{Groups<T>(context.at(logits)), context.targets, losses, hits, context.rows()};
  launch(*context.stream, team_shape(context.rows(), rows.logits.width()), rows);
  const Extent members{static_cast<unsigned>(context.members), 1, 1};
  launch(*context.stream, {members, 256, block_sum_bytes<double>() + block_sum_bytes<unsigned>()},
         SumLosses{losses, hits, sums, context.member_rows()});
}

template <class T>
struct CrossEntropyBackwardRows {
  static constexpr bool kCooperative = true;
  Groups<T> logits;
  Groups<T> logits_gradient;
  Span<const std::int32_t> targets;
  Span<const MemberStepValues> member_steps;
  std::size_t rows;
  std::size_t member_rows;

  HYSEQ_DEVICE void operator()(const Thread& thread) const {
    const Team team(thread, logits.width());
    const std::size_t row = team.row();
    const std::int32_t target = row < rows ? targets[row] : -1;
    const bool counts = target >= 0;
    const SoftmaxRow<T> softmax(team, logits, row, counts ? logits.count() : 0);
    const T weight = counts ? static_cast<T>(member_steps[row / member_rows].loss_weight) : T(0);
    const T factor = weight / softmax.sum;
    const unsigned groups = row < rows ? logits.count() : 0;
    for (unsigned g = team.lane(); g < groups; g += team.size()) {
      Group<T> v = logits.load(row, g);
      for (unsigned k = 0; k < kGroup; ++k) {
        const bool is_answer = kGroup * g + k == static_cast<unsigned>(target);
        v[k] = counts ? numbers::exp(v[k] - softmax.largest) * factor - (is_answer ? weight : T(0)) : T(0);
      }
      logits_gradient.store(row, g, v);
    }
  }
};

template <class T>
void backward(const CrossEntropyBackward& call, const Context<T>& context) {
  const CrossEntropyBackwardRows<T> kernel{Groups<T>(context.at(call.logits)),
                                           Groups<T>(context.gradient_at(call.logits_gradient)),
                                           context.targets,
                                           context.member_steps,
                                           context.rows(),
                                           context.member_rows()};
  launch(*context.stream, team_shape(context.rows(), kernel.logits.width()), kernel);
}

}  // namespace HYSEQ_CUDA_DEVICE
}  // namespace hyseq::kernels::cuda
