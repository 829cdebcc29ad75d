#pragma once

#include "kernels/cuda/groups.hpp"
#include "kernels/dropout/dropout.hpp"

namespace hyseq::kernels::cuda {
inline namespace HYSEQ_CUDA_DEVICE {

/// The random words of a site in the step in hand, for rows that count through all members.
class DropoutWords {
 public:
  template <class T>
  DropoutWords(const DropoutSite& site, const Context<T>& context)
      : site_(site),
        step_(context.step),
        member_steps_(context.member_steps),
        member_rows_(context.member_rows()),
        time_(context.time) {}

  /// Those of elements 4 group .. 4 group + 3.
  [[nodiscard]] HYSEQ_DEVICE RandomBlock operator()(std::size_t row, std::uint64_t group) const {
    const std::size_t member = row / member_rows_;
    const std::size_t batch_row = (row - member * member_rows_) / time_;
    const StepValues& step = step_[0];
    return dropout_words(site_, {member_steps_[member].seed, step.step}, step.first_row + batch_row, row % time_,
                         group);
  }

 private:
  DropoutSite site_;
  Span<const StepValues> step_;
  Span<const MemberStepValues> member_steps_;
  std::size_t member_rows_;
  std::size_t time_;
};

/// to = or += from * factors. A group is a block of random words.
template <class T, class To>
struct DropGroup {
  static_assert(kGroup == 4);
  DropoutWords words;
  std::uint32_t threshold;
  T scale;
  Groups<T> from;
  To to;

  HYSEQ_DEVICE void operator()(std::size_t row, unsigned group) const {
    const RandomBlock drawn = words(row, group);
    Group<T> x = from.load(row, group);
    for (unsigned k = 0; k < kGroup; ++k) x[k] *= drawn[k] < threshold ? T(0) : scale;
    if constexpr (requires { to.put(row, group, x); }) {
      to.put(row, group, x);
    } else {
      to.store(row, group, x);
    }
  }
};

template <class T, class To>
void drop(const DropoutSite& site, const Groups<T>& from, const To& to, const Context<T>& context) {
  const DropGroup<T, To> body{DropoutWords(site, context), site.threshold(), static_cast<T>(site.scale()), from, to};
  for_groups(*context.stream, context.rows(), from.width(), body);
}

template <class T>
void forward(const Dropout& call, const Context<T>& context) {
  drop(call.site, Groups<T>(context.at(call.in)), Groups<T>(context.at(call.out)), context);
}

template <class T>
void backward(const DropoutBackward& call, const Context<T>& context) {
  if (!call.in_gradient.wanted()) return;
  drop(call.call.site, Groups<T>(context.gradient_at(call.out_gradient)), GroupSink<T>(call.in_gradient, context),
       context);
}

}  // namespace HYSEQ_CUDA_DEVICE
}  // namespace hyseq::kernels::cuda
