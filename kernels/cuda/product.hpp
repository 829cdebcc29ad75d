// Matrix products of a device: cuBLAS on a GPU, Eigen on the emulated device.
#pragma once

#include <cstddef>

#include "kernels/cuda/device.hpp"

namespace hyseq::kernels::cuda {
inline namespace HYSEQ_CUDA_DEVICE {

/// Row-major matrices, one per member: element (i, j) of member m is data[m * step + i * stride + j].
template <class T>
struct Matrices {
  Span<T> data;
  std::size_t stride = 0;
  std::size_t step = 0;
};

/// Precision of the factors of a product: as they are, or rounded to bfloat16 with sums in float (float only).
enum class Factors { full, bfloat16 };

/// c[m] = op(a[m]) op(b[m]), or c[m] += where `accumulate`, for all members m: op(a) is [rows, inner], op(b)
/// [inner, columns], c [rows, columns].
template <class T>
struct Product {
  std::size_t members = 1;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t inner = 0;
  Matrices<const T> a;
  Matrices<const T> b;
  Matrices<T> c;
  bool transpose_a = false;
  bool transpose_b = false;
  bool accumulate = false;
  Factors factors = Factors::full;
};

template <class T>
void multiply(Stream& stream, const Product<T>& product);

extern template void multiply<float>(Stream& stream, const Product<float>& product);
extern template void multiply<double>(Stream& stream, const Product<double>& product);

}  // namespace HYSEQ_CUDA_DEVICE
}  // namespace hyseq::kernels::cuda
