// A program bound to the parameters of all members on the device: the buffers of one micro-batch and the lists run on
// them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/cuda/context.hpp"
#include "kernels/cuda/members.hpp"
#include "kernels/softmax_cross_entropy/softmax_cross_entropy.hpp"

namespace hyseq::kernels::cuda {
inline namespace HYSEQ_CUDA_DEVICE {

/// Rows of one call, for all members. Members share the segments.
struct Rows {
  std::size_t members = 1;
  std::size_t batch = 1;
  std::size_t time = 1;
  std::span<const std::int32_t> tokens;         // [members, batch, time]
  std::span<const std::int32_t> segments = {};  // [batch, time], or empty
  std::span<const std::int32_t> targets = {};   // [members, batch, time], or empty
  std::int32_t valid_below = 0;
};

template <class T>
class Session {
 public:
  /// Everything is borrowed. `gradients` may be empty where nothing runs backward.
  Session(const Program& program, const ParameterLayout& layout, Stream& stream, std::size_t members,
          Span<const T> parameters, Span<T> gradients, Factors factors = Factors::full);

  /// Takes the rows in hand. Grows what is too small. InputError where spans do not fit or a token lies outside the
  /// vocabulary.
  void place(const Rows& block, bool backward);
  /// What the rows in hand are in their step. Values are copied.
  void set_step(const StepValues& step, std::span<const MemberStepValues> members);
  [[nodiscard]] Span<const StepValues> step() const { return step_.span(); }
  [[nodiscard]] Span<const MemberStepValues> member_steps() const { return member_steps_.span(); }
  /// Changes with every growth: work recorded before points to memory that is gone.
  [[nodiscard]] std::size_t generation() const { return generation_; }

  /// These only give work to the stream, and may be recorded.
  void forward();
  /// Losses and hits of the rows in hand; sums over the rows of each member are added to `sums`.
  void loss(Span<LossSums> sums);
  /// Runs the backward list; gradients of parameters accumulate.
  void backward();

  /// Hits of the rows in hand behind loss(): [members, batch, time].
  void download_hits(std::span<std::uint8_t> hits);
  /// Columns of a buffer, [members, batch, time, view.width].
  [[nodiscard]] std::vector<double> values(const View& view);
  /// Buffers as the rows in hand have them, [buffer][members, batch, time, width].
  [[nodiscard]] ParameterValues buffers() { return unpacked(program_.buffers, buffers_); }
  [[nodiscard]] ParameterValues gradient_buffers() { return unpacked(program_.gradients, gradients_); }
  /// Fills buffers likewise, before a list runs; null: with NaN. InputError where sizes do not fit.
  void fill_buffers(const ParameterValues* values) { fill(program_.buffers, values, buffers_); }
  void fill_gradient_buffers(const ParameterValues* values) { fill(program_.gradients, values, gradients_); }

 private:
  using Buffers = std::vector<DeviceArray<T>>;

  template <class U>
  void grow(DeviceArray<U>& array, std::size_t size);
  void reserve(bool backward);
  void index_tokens(const Rows& block);
  [[nodiscard]] ParameterValues unpacked(const std::vector<BufferInfo>& infos, Buffers& buffers);
  void fill(const std::vector<BufferInfo>& infos, const ParameterValues* values, Buffers& buffers);

  const Program& program_;
  Stream& stream_;
  Buffers buffers_;
  Buffers gradients_;
  Buffers kept_;                         // per forward call
  std::vector<std::size_t> forward_of_;  // per backward call; one past the last for the loss
  DeviceArray<std::int32_t> tokens_;
  DeviceArray<std::int32_t> targets_;
  DeviceArray<std::uint32_t> position_;
  DeviceArray<std::uint32_t> starts_;
  DeviceArray<std::uint32_t> order_;
  DeviceArray<StepValues> step_{1};
  DeviceArray<MemberStepValues> member_steps_;
  DeviceArray<double> losses_;
  DeviceArray<std::uint8_t> hits_;
  Workspace workspace_;
  std::size_t generation_ = 0;
  bool backward_ = false;
  Context<T> context_;
};

extern template class Session<float>;
extern template class Session<double>;

}  // namespace HYSEQ_CUDA_DEVICE
}  // namespace hyseq::kernels::cuda
