#include "kernels/dense/session.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "kernels/checks.hpp"
#include "kernels/lanes/flush_subnormals.hpp"

namespace hyseq::kernels::dense {
namespace {

/// Rows whose distance is a multiple of a large power of two compete for the same lines of the caches: those get a line
/// more.
template <class T>
std::size_t stride_of(const BufferInfo& info) {
  constexpr std::size_t kLine = 64 / sizeof(T);
  constexpr std::size_t kCrowded = 1024 / sizeof(T);
  const auto width = static_cast<std::size_t>(info.width);
  return width % kCrowded == 0 ? width + kLine : width;
}

template <class T>
std::vector<std::size_t> strides_of(const std::vector<BufferInfo>& infos) {
  std::vector<std::size_t> strides;
  for (const BufferInfo& info : infos) strides.push_back(stride_of<T>(info));
  return strides;
}

/// Sizes `buffers` for `rows` rows and lists where they are.
template <class T>
void reserve(const std::vector<std::size_t>& strides, std::size_t rows, std::vector<AlignedVector<T>>& buffers,
             std::vector<T*>& pointers) {
  buffers.resize(strides.size());
  pointers.resize(strides.size());
  for (std::size_t i = 0; i < strides.size(); ++i) {
    if (buffers[i].size() < rows * strides[i]) buffers[i].resize(rows * strides[i]);
    pointers[i] = buffers[i].data();
  }
}

}  // namespace

template <class T>
Arrays<T> zero_arrays(const Program& program) {
  Arrays<T> arrays;
  for (const ParameterInfo& parameter : program.parameters) arrays.emplace_back(parameter.size());
  return arrays;
}

template <class T>
void assign(const ParameterValues& values, Arrays<T>& arrays) {
  for (std::size_t p = 0; p < values.size(); ++p) {
    std::transform(values[p].begin(), values[p].end(), arrays[p].begin(),
                   [](double value) { return static_cast<T>(value); });
  }
}

template <class T>
ParameterValues to_values(const Arrays<T>& arrays) {
  ParameterValues values;
  for (const auto& array : arrays) values.emplace_back(array.begin(), array.end());
  return values;
}

template <class T>
Session<T>::Session(const Program& program, const InstructionSet& set, Pool& pool, const Arrays<T>& parameters,
                    Arrays<T>* gradients)
    : program_(program),
      bodies_(set.bodies<T>()),
      strides_(strides_of<T>(program.buffers)),
      gradient_strides_(strides_of<T>(program.gradients)),
      kept_(program.carries.size()),
      scratch_(pool.threads()) {
  for (const auto& array : parameters) parameter_pointers_.push_back(array.data());
  if (gradients != nullptr) {
    for (auto& array : *gradients) parameter_gradient_pointers_.push_back(array.data());
  }
  context_.program = &program_;
  context_.parameters = parameter_pointers_.data();
  context_.parameter_gradients = parameter_gradient_pointers_.data();
  context_.strides = strides_.data();
  context_.gradient_strides = gradient_strides_.data();
  context_.kept = kept_.data();
  context_.pool = &pool;
  context_.scratch = &scratch_;
}

template <class T>
void Session<T>::place(const Block& block) {
  const std::size_t rows = block.batch * block.time;
  check_size(block.tokens.size(), rows, "tokens");
  if (!block.segments.empty()) check_size(block.segments.size(), rows, "segments");
  if (!block.targets.empty()) check_size(block.targets.size(), rows, "targets");
  check_tokens(program_, block.tokens, block.time);
  check_targets(block.targets, block.valid_below, program_.vocabulary);
  position_.resize(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t t = row % block.time;
    const bool starts = t == 0 || (!block.segments.empty() && block.segments[row] != block.segments[row - 1]);
    position_[row] = starts ? 0 : position_[row - 1] + 1;
  }
  reserve(strides_, rows, buffers_, buffer_pointers_);
  context_.batch = block.batch;
  context_.time = block.time;
  context_.first_row = block.first_row;
  context_.tokens = block.tokens.data();
  context_.targets = block.targets.empty() ? nullptr : block.targets.data();
  context_.valid_below = block.valid_below;
  context_.loss_weight = block.valid > 0 ? 1 / static_cast<double>(block.valid) : 0;
  context_.position = position_.data();
  context_.dropout = block.dropout;
  context_.buffers = buffer_pointers_.data();
  for (Kept<T>& kept : kept_) kept.valid = false;
}

template <class T>
void Session<T>::forward(bool keep) {
  const FlushSubnormals flush;
  context_.keep = keep;
  for (const Operation& operation : program_.forward) bodies_.forward(operation, context_);
}

template <class T>
typename Session<T>::LossSum Session<T>::loss(std::span<std::uint8_t> correct) {
  const FlushSubnormals flush;
  const std::size_t rows = context_.rows();
  losses_.resize(rows);
  correct_.resize(rows);
  bodies_.cross_entropy(program_.logits, losses_.data(), correct_.data(), context_);
  LossSum result;
  for (std::size_t row = 0; row < rows; ++row) {
    result.sum += losses_[row];
    result.valid += context_.counts(row) ? 1 : 0;
    result.correct += correct_[row];
  }
  if (!correct.empty()) std::copy(correct_.begin(), correct_.end(), correct.begin());
  return result;
}

template <class T>
void Session<T>::LossSum::add(const LossSum& other) {
  sum += other.sum;
  valid += other.valid;
  correct += other.correct;
}

template <class T>
LossResult Session<T>::LossSum::mean() const {
  return {valid > 0 ? sum / static_cast<double>(valid) : 0, valid, correct};
}

template <class T>
void Session<T>::reserve_gradients() {
  reserve(gradient_strides_, context_.rows(), gradients_, gradient_pointers_);
  context_.gradients = gradient_pointers_.data();
}

template <class T>
void Session<T>::backward() {
  const FlushSubnormals flush;
  reserve_gradients();
  for (const BackwardOperation& operation : program_.backward) bodies_.backward(operation, context_);
}

template <class T>
std::vector<double> Session<T>::values(const View& view) const {
  std::vector<double> values;
  values.reserve(context_.rows() * static_cast<std::size_t>(view.width));
  for (std::size_t row = 0; row < context_.rows(); ++row) {
    values.insert(values.end(), context_.at(view, row), context_.at(view, row) + view.width);
  }
  return values;
}

template <class T>
ParameterValues Session<T>::unpacked(const std::vector<BufferInfo>& infos, const Buffers& buffers) const {
  ParameterValues values;
  for (std::size_t i = 0; i < infos.size(); ++i) {
    auto& to = values.emplace_back();
    for (std::size_t row = 0; row < context_.rows(); ++row) {
      const T* from = buffers[i].data() + row * stride_of<T>(infos[i]);
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
    std::fill(buffers[i].begin(), buffers[i].end(), std::numeric_limits<T>::quiet_NaN());
    if (values == nullptr) continue;
    for (std::size_t j = 0; j < (*values)[i].size(); ++j) {
      buffers[i][j / width * stride_of<T>(infos[i]) + j % width] = static_cast<T>((*values)[i][j]);
    }
  }
}

template <class T>
void Session<T>::fill_buffers(const ParameterValues* values) {
  fill(program_.buffers, values, buffers_);
}

template <class T>
void Session<T>::fill_gradient_buffers(const ParameterValues* values) {
  reserve_gradients();
  fill(program_.gradients, values, gradients_);
}

template class Session<float>;
template class Session<double>;
template Arrays<float> zero_arrays(const Program& program);
template Arrays<double> zero_arrays(const Program& program);
template void assign(const ParameterValues& values, Arrays<float>& arrays);
template void assign(const ParameterValues& values, Arrays<double>& arrays);
template ParameterValues to_values(const Arrays<float>& arrays);
template ParameterValues to_values(const Arrays<double>& arrays);

}  // namespace hyseq::kernels::dense
