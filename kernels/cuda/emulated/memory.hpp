// Memory of the emulated device.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>

#include "kernels/cuda/emulated/global_memory.hpp"
#include "kernels/cuda/emulated/stream.hpp"
#include "kernels/cuda/emulated/thread.hpp"
#include "kernels/cuda/shape.hpp"

namespace hyseq::kernels::cuda {
inline namespace HYSEQ_CUDA_DEVICE {

/// An array on the device. Not initialised; here all bits are set, which is a NaN in every format.
template <class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  explicit DeviceArray(std::size_t size) : data_(std::make_unique_for_overwrite<T[]>(size).release()), size_(size) {
    std::memset(static_cast<void*>(data_.get()), 0xff, size * sizeof(T));
    add_global_memory(reinterpret_cast<std::byte*>(data_.get()), size * sizeof(T));
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] Span<T> span() { return {data_.get(), size_}; }
  [[nodiscard]] Span<const T> span() const { return {data_.get(), size_}; }

  /// Copies to or from elements [first, first + values.size()), behind all work of the stream so far. Not part of a
  /// recorded graph. When a call returns, its values may change (upload) or have come (download). Throws DeviceFault
  /// where they do not fit.
  void upload(Stream& stream, std::span<const T> values, std::size_t first = 0) {
    stream.refuse_while_recording();
    std::ranges::copy(values, span().from(first, values.size()).data());
  }
  void download(Stream& stream, std::span<T> values, std::size_t first = 0) const {
    stream.refuse_while_recording();
    std::copy_n(span().from(first, values.size()).data(), values.size(), values.data());
  }

 private:
  struct Release {
    void operator()(T* data) const {
      remove_global_memory(reinterpret_cast<const std::byte*>(data));
      std::default_delete<T[]>{}(data);
    }
  };

  std::unique_ptr<T[], Release> data_;
  std::size_t size_ = 0;
};

}  // namespace HYSEQ_CUDA_DEVICE
}  // namespace hyseq::kernels::cuda
