// Memory of a GPU.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>

#include <cuda_runtime.h>

#include "kernels/cuda/nvidia/stream.hpp"
#include "kernels/cuda/nvidia/thread.hpp"
#include "kernels/cuda/shape.hpp"

namespace hyseq::kernels::cuda {
inline namespace HYSEQ_CUDA_DEVICE {

/// `bytes` of device memory, 256-byte aligned. EnvironmentError, with what is left, where there is no room.
[[nodiscard]] void* allocate(std::size_t bytes);

/// Throws std::logic_error where [first, first + count) is not inside `size` elements.
void check_range(std::size_t first, std::size_t count, std::size_t size);

/// An array on the device. Not initialised.
template <class T>
class DeviceArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  DeviceArray() = default;
  explicit DeviceArray(std::size_t size) : data_(static_cast<T*>(allocate(size * sizeof(T)))), size_(size) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] Span<T> span() { return {data_.get(), size_}; }
  [[nodiscard]] Span<const T> span() const { return {data_.get(), size_}; }

  /// Copies to or from elements [first, first + values.size()), behind all work of the stream so far. Not part of a
  /// recorded graph. When a call returns, its values may change (upload) or have come (download).
  void upload(Stream& stream, std::span<const T> values, std::size_t first = 0) {
    check_range(first, values.size(), size_);
    stream.upload(data_.get() + first, values.data(), values.size_bytes());
  }
  void download(Stream& stream, std::span<T> values, std::size_t first = 0) const {
    check_range(first, values.size(), size_);
    stream.download(values.data(), data_.get() + first, values.size_bytes());
  }

 private:
  struct Free {
    void operator()(T* data) const { (void)cudaFree(data); }
  };
  std::unique_ptr<T, Free> data_;
  std::size_t size_ = 0;
};

}  // namespace HYSEQ_CUDA_DEVICE
}  // namespace hyseq::kernels::cuda
