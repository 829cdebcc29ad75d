// What a kernel sees of a GPU. The counterpart of emulated/thread.hpp without its checks.
#pragma once

#include <cstddef>
#include <type_traits>

#include <cuda_runtime.h>

#include "kernels/cuda/shape.hpp"

namespace hyseq::kernels::cuda {
inline namespace HYSEQ_CUDA_DEVICE {

/// Global memory of known size.
template <class T>
class Span {
 public:
  Span() = default;
  HYSEQ_EVERYWHERE Span(T* data, std::size_t size) : data_(data), size_(size) {}
  // NOLINTNEXTLINE(google-explicit-constructor): as with std::span
  HYSEQ_EVERYWHERE operator Span<const T>() const { return {data_, size_}; }

  [[nodiscard]] HYSEQ_EVERYWHERE std::size_t size() const { return size_; }
  [[nodiscard]] HYSEQ_EVERYWHERE bool empty() const { return size_ == 0; }
  [[nodiscard]] HYSEQ_EVERYWHERE T* data() const { return data_; }
  [[nodiscard]] HYSEQ_DEVICE T& operator[](std::size_t index) const { return data_[index]; }
  [[nodiscard]] HYSEQ_EVERYWHERE Span from(std::size_t first, std::size_t count) const {
    return {data_ + first, count};
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// An array in shared memory.
template <class T>
class Shared {
 public:
  HYSEQ_DEVICE Shared(T* data, std::size_t size) : data_(data), size_(size) {}
  [[nodiscard]] HYSEQ_DEVICE std::size_t size() const { return size_; }
  [[nodiscard]] HYSEQ_DEVICE T& operator[](std::size_t index) const { return data_[index]; }
  [[nodiscard]] HYSEQ_DEVICE Shared from(std::size_t first, std::size_t count) const { return {data_ + first, count}; }

 private:
  T* data_;
  std::size_t size_;
};

class Thread {
 public:
  [[nodiscard]] HYSEQ_DEVICE unsigned index() const { return threadIdx.x; }
  [[nodiscard]] HYSEQ_DEVICE unsigned count() const { return blockDim.x; }
  [[nodiscard]] HYSEQ_DEVICE unsigned lane() const { return threadIdx.x % kWarp; }
  [[nodiscard]] HYSEQ_DEVICE unsigned warp() const { return threadIdx.x / kWarp; }
  [[nodiscard]] HYSEQ_DEVICE Extent block() const { return {blockIdx.x, blockIdx.y, blockIdx.z}; }
  [[nodiscard]] HYSEQ_DEVICE Extent grid() const { return {gridDim.x, gridDim.y, gridDim.z}; }
  [[nodiscard]] HYSEQ_DEVICE std::size_t global_index() const {
    return std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  }

  HYSEQ_DEVICE void barrier() const { __syncthreads(); }

  template <class T>
  [[nodiscard]] HYSEQ_DEVICE T shuffle(T value, unsigned lane) const {
    static_assert(std::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8));
    return __shfl_sync(kWholeWarp, value, static_cast<int>(lane % kWarp));
  }
  template <class T>
  [[nodiscard]] HYSEQ_DEVICE T shuffle_xor(T value, unsigned mask) const {
    static_assert(std::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8));
    return __shfl_xor_sync(kWholeWarp, value, static_cast<int>(mask % kWarp));
  }

  template <class T>
  [[nodiscard]] HYSEQ_DEVICE Shared<T> shared(std::size_t first_byte, std::size_t count) const {
    static_assert(sizeof(T) % 4 == 0 && alignof(T) <= 16);
    extern __shared__ __align__(16) unsigned char memory[];
    return {reinterpret_cast<T*>(memory + first_byte), count};
  }

 private:
  static constexpr unsigned kWholeWarp = 0xffffffffU;
};

}  // namespace HYSEQ_CUDA_DEVICE
}  // namespace hyseq::kernels::cuda
