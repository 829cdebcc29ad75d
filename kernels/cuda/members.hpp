// Numbers of all members on the device, [member][parameter][element], from and to values in double.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "kernels/cuda/device.hpp"
#include "kernels/program.hpp"

namespace hyseq::kernels::cuda {
inline namespace HYSEQ_CUDA_DEVICE {

/// Where each parameter of a member begins among its numbers, and how many these are.
struct ParameterLayout {
  std::vector<std::size_t> offsets;
  std::size_t step = 0;

  explicit ParameterLayout(const Program& program) {
    constexpr std::size_t kAlign = 4;  // parameters begin where vectors of four numbers do
    for (const ParameterInfo& parameter : program.parameters) {
      offsets.push_back(step);
      step += (parameter.size() + kAlign - 1) / kAlign * kAlign;
    }
  }
};

/// values: of the shapes that the layout was made for; rounded to T.
template <class T>
void upload_member(const ParameterLayout& layout, const ParameterValues& values, std::size_t member, Stream& stream,
                   DeviceArray<T>& array) {
  std::vector<T> numbers(layout.step, T(0));
  for (std::size_t p = 0; p < values.size(); ++p) {
    std::ranges::transform(values[p], numbers.begin() + static_cast<std::ptrdiff_t>(layout.offsets[p]),
                           [](double value) { return static_cast<T>(value); });
  }
  array.upload(stream, numbers, member * layout.step);
}

template <class T>
[[nodiscard]] ParameterValues download_member(const Program& program, const ParameterLayout& layout, std::size_t member,
                                              Stream& stream, const DeviceArray<T>& array) {
  std::vector<T> numbers(layout.step);
  array.download(stream, numbers, member * layout.step);
  stream.wait();
  ParameterValues values;
  for (std::size_t p = 0; p < program.parameters.size(); ++p) {
    const T* first = numbers.data() + layout.offsets[p];
    values.emplace_back(first, first + program.parameters[p].size());
  }
  return values;
}

template <class T>
struct Zero {
  static constexpr bool kCooperative = false;
  Span<T> data;
  HYSEQ_DEVICE void operator()(const Thread& thread) const {
    const std::size_t i = thread.global_index();
    if (i < data.size()) data[i] = T{};
  }
};

template <class T>
void zero(Stream& stream, Span<T> data) {
  if (!data.empty()) launch(stream, {blocks(data.size(), 256), 256, 0}, Zero<T>{data});
}

}  // namespace HYSEQ_CUDA_DEVICE
}  // namespace hyseq::kernels::cuda
