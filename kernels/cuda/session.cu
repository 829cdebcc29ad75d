#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>
#include <variant>

#include "kernels/causal_conv/cuda.hpp"
#include "kernels/checks.hpp"
#include "kernels/cuda/session.hpp"
#include "kernels/dropout/cuda.hpp"
#include "kernels/elementwise/cuda.hpp"
#include "kernels/embedding/cuda.hpp"
#include "kernels/layer_norm/cuda.hpp"
#include "kernels/linear/cuda.hpp"
#include "kernels/pairing.hpp"
#include "kernels/rms_norm/cuda.hpp"
#include "kernels/rotary/cuda.hpp"
#include "kernels/selective_scan/cuda_backward.hpp"
#include "kernels/softmax_cross_entropy/cuda.hpp"
#include "kernels/window_attention/cuda_backward.hpp"

namespace hyseq::kernels::cuda {
inline namespace HYSEQ_CUDA_DEVICE {
namespace {

/// Rows begin at multiples of 16 bytes, so that vectors of four numbers can be read at once.
template <class T>
std::size_t stride_of(int width) {
  constexpr std::size_t kVector = 16 / sizeof(T);
  return (static_cast<std::size_t>(width) + kVector - 1) / kVector * kVector;
}

template <class T>
std::vector<std::size_t> strides_of(const std::vector<BufferInfo>& infos) {
  std::vector<std::size_t> strides;
  for (const BufferInfo& info : infos) strides.push_back(stride_of<T>(info.width));
  return strides;
}

// Operations that say nothing else keep nothing for their backward call.
template <class Call>
std::size_t kept_size(const Call& /*call*/, const Program& /*program*/, std::size_t /*members*/, std::size_t /*batch*/,
                      std::size_t /*time*/) {
  return 0;
}

/// Positions in the segment, and tokens inside the vocabulary.
std::vector<std::uint32_t> positions(const Rows& block) {
  std::vector<std::uint32_t> position(block.batch * block.time);
  for (std::size_t row = 0; row < position.size(); ++row) {
    const bool starts =
        row % block.time == 0 || (!block.segments.empty() && block.segments[row] != block.segments[row - 1]);
    position[row] = starts ? 0 : position[row - 1] + 1;
  }
  return position;
}

void check(const Rows& block, const Program& program) {
  const std::size_t rows = block.members * block.batch * block.time;
  check_size(block.tokens.size(), rows, "tokens");
  if (!block.segments.empty()) check_size(block.segments.size(), block.batch * block.time, "segments");
  if (!block.targets.empty()) check_size(block.targets.size(), rows, "targets");
  check_targets(block.targets, block.valid_below, program.vocabulary);
  check_tokens(program, block.tokens, block.time);
}

}  // namespace

template <class T>
Session<T>::Session(const Program& program, const ParameterLayout& layout, Stream& stream, std::size_t members,
                    Span<const T> parameters, Span<T> gradients, Factors factors)
    : program_(program),
      stream_(stream),
      buffers_(program.buffers.size()),
      gradients_(program.gradients.size()),
      kept_(program.forward.size()),
      member_steps_(members) {
  for (const BackwardOperation& operation : program.backward) forward_of_.push_back(forward_index(program, operation));
  context_.program = &program_;
  context_.stream = &stream_;
  context_.workspace = &workspace_;
  context_.members = members;
  context_.factors = factors;
  context_.strides = strides_of<T>(program.buffers);
  context_.gradient_strides = strides_of<T>(program.gradients);
  context_.parameters = parameters;
  context_.parameter_gradients = gradients;
  context_.offsets = layout.offsets;
  context_.parameter_step = layout.step;
  context_.step = step_.span();
  context_.member_steps = member_steps_.span();
}

template <class T>
void Session<T>::place(const Rows& block, bool backward) {
  check(block, program_);
  backward_ = backward;
  context_.batch = block.batch;
  context_.time = block.time;
  reserve(backward);
  tokens_.upload(stream_, block.tokens);
  position_.upload(stream_, positions(block));
  std::vector<std::int32_t> targets(context_.rows(), -1);
  for (std::size_t row = 0; row < block.targets.size(); ++row) {
    if (is_valid_target(block.targets[row], block.valid_below)) targets[row] = block.targets[row];
  }
  targets_.upload(stream_, targets);
  if (backward) index_tokens(block);
}

template <class T>
void Session<T>::set_step(const StepValues& step, std::span<const MemberStepValues> members) {
  step_.upload(stream_, std::span(&step, 1));
  member_steps_.upload(stream_, members);
}

template <class T>
template <class U>
void Session<T>::grow(DeviceArray<U>& array, std::size_t size) {
  if (array.size() >= size) return;
  array = DeviceArray<U>(size);
  ++generation_;
}

template <class T>
void Session<T>::reserve(bool backward) {
  const std::size_t rows = context_.rows();
  const auto reserve_all = [&](Buffers& arrays, const std::vector<std::size_t>& strides, std::vector<Span<T>>& spans) {
    spans.clear();
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      grow(arrays[i], rows * strides[i]);
      spans.push_back(arrays[i].span());
    }
  };
  reserve_all(buffers_, context_.strides, context_.buffers);
  if (backward) reserve_all(gradients_, context_.gradient_strides, context_.gradients);
  for (std::size_t i = 0; backward && i < kept_.size(); ++i) {
    grow(kept_[i], std::visit(
                       [&](const auto& call) {
                         return kept_size(call, program_, context_.members, context_.batch, context_.time);
                       },
                       program_.forward[i]));
  }
  grow(tokens_, rows);
  grow(targets_, rows);
  grow(position_, context_.member_rows());
  grow(losses_, rows);
  grow(hits_, rows);
  if (backward) {
    grow(starts_, context_.members * (static_cast<std::size_t>(program_.vocabulary) + 1));
    grow(order_, rows);
  }
  context_.tokens = tokens_.span();
  context_.targets = targets_.span();
  context_.position = position_.span();
  context_.token_index = {starts_.span(), order_.span()};
}

template <class T>
void Session<T>::index_tokens(const Rows& block) {
  const auto vocabulary = static_cast<std::size_t>(program_.vocabulary);
  const std::size_t rows = context_.member_rows();
  std::vector<std::uint32_t> starts(context_.members * (vocabulary + 1), 0);
  std::vector<std::uint32_t> order(context_.rows());
  for (std::size_t m = 0; m < context_.members; ++m) {
    const auto tokens = block.tokens.subspan(m * rows, rows);
    const auto first = std::span(starts).subspan(m * (vocabulary + 1), vocabulary + 1);
    for (const std::int32_t token : tokens) ++first[static_cast<std::size_t>(token) + 1];
    for (std::size_t v = 0; v < vocabulary; ++v) first[v + 1] += first[v];
    std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
    for (std::size_t row = 0; row < rows; ++row) {
      order[m * rows + next[static_cast<std::size_t>(tokens[row])]++] = static_cast<std::uint32_t>(row);
    }
  }
  starts_.upload(stream_, starts);
  order_.upload(stream_, order);
}

template <class T>
void Session<T>::forward() {
  for (std::size_t i = 0; i < program_.forward.size(); ++i) {
    context_.kept = backward_ ? kept_[i].span() : Span<T>();
    std::visit([&](const auto& call) { cuda::forward(call, context_); }, program_.forward[i]);
  }
}

template <class T>
void Session<T>::loss(Span<LossSums> sums) {
  cross_entropy(program_.logits, losses_.span(), hits_.span(), sums, context_);
}

template <class T>
void Session<T>::backward() {
  for (std::size_t i = 0; i < program_.backward.size(); ++i) {
    context_.kept = forward_of_[i] < kept_.size() ? kept_[forward_of_[i]].span() : Span<T>();
    std::visit([&](const auto& call) { cuda::backward(call, context_); }, program_.backward[i]);
  }
}

template <class T>
void Session<T>::download_hits(std::span<std::uint8_t> hits) {
  hits_.download(stream_, hits);
  stream_.wait();
}

template <class T>
std::vector<double> Session<T>::values(const View& view) {
  const auto buffer = static_cast<std::size_t>(view.buffer);
  const std::size_t stride = context_.strides[buffer];
  std::vector<T> all(context_.rows() * stride);
  buffers_[buffer].download(stream_, all);
  stream_.wait();
  std::vector<double> values;
  for (std::size_t row = 0; row < context_.rows(); ++row) {
    const T* from = all.data() + row * stride + static_cast<std::size_t>(view.offset);
    values.insert(values.end(), from, from + view.width);
  }
  return values;
}

template <class T>
ParameterValues Session<T>::unpacked(const std::vector<BufferInfo>& infos, Buffers& buffers) {
  ParameterValues values;
  for (std::size_t i = 0; i < infos.size(); ++i) {
    const std::size_t stride = stride_of<T>(infos[i].width);
    std::vector<T> all(context_.rows() * stride);
    buffers[i].download(stream_, all);
    stream_.wait();
    auto& to = values.emplace_back();
    for (std::size_t row = 0; row < context_.rows(); ++row) {
      const T* from = all.data() + row * stride;
      to.insert(to.end(), from, from + infos[i].width);
    }
  }
  return values;
}

template <class T>
void Session<T>::fill(const std::vector<BufferInfo>& infos, const ParameterValues* values, Buffers& buffers) {
  check_buffer_values(infos, values, context_.rows());
  for (std::size_t i = 0; i < infos.size(); ++i) {
    const auto width = static_cast<std::size_t>(infos[i].width);
    const std::size_t stride = stride_of<T>(infos[i].width);
    std::vector<T> all(buffers[i].size(), std::numeric_limits<T>::quiet_NaN());
    if (values != nullptr) {
      for (std::size_t j = 0; j < (*values)[i].size(); ++j) {
        all[j / width * stride + j % width] = static_cast<T>((*values)[i][j]);
      }
    }
    buffers[i].upload(stream_, all);
  }
}

template class Session<float>;
template class Session<double>;

}  // namespace HYSEQ_CUDA_DEVICE
}  // namespace hyseq::kernels::cuda
