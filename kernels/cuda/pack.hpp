// A few numbers side by side, read and written together: accesses of up to 16 bytes.
#pragma once

#include <cstddef>

#include "kernels/cuda/shape.hpp"

namespace hyseq::kernels::cuda {
inline namespace HYSEQ_CUDA_DEVICE {

template <class T, unsigned count>
struct alignas(count * sizeof(T) < 16 ? count * sizeof(T) : std::size_t{16}) Pack {
  T numbers[count];

  [[nodiscard]] HYSEQ_DEVICE T& operator[](unsigned i) { return numbers[i]; }
  [[nodiscard]] HYSEQ_DEVICE const T& operator[](unsigned i) const { return numbers[i]; }
};

}  // namespace HYSEQ_CUDA_DEVICE
}  // namespace hyseq::kernels::cuda
