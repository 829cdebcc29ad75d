#include "kernels/cuda/product.hpp"

#include <string>
#include <typeinfo>

#include <Eigen/Core>

#include "kernels/base/numbers/sixteen_bit.hpp"

namespace hyseq::kernels::cuda {
inline namespace HYSEQ_CUDA_DEVICE {
namespace {

template <class T>
using RowMajor = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using Strided = Eigen::Map<T, Eigen::Unaligned, Eigen::OuterStride<>>;

Eigen::Index index(std::size_t value) { return static_cast<Eigen::Index>(value); }

/// The last element that a product touches must lie inside, and rows must not overlap: cuBLAS refuses that.
template <class T>
T* checked(const Matrices<T>& matrices, std::size_t member, std::size_t rows, std::size_t columns) {
  if (matrices.stride < columns) {
    throw DeviceFault("a matrix has rows of " + std::to_string(columns) + " numbers that begin " +
                      std::to_string(matrices.stride) + " apart");
  }
  const std::size_t extent = rows == 0 || columns == 0 ? 0 : (rows - 1) * matrices.stride + columns;
  return matrices.data.from(member * matrices.step, extent).data();
}

template <class T>
RowMajor<T> factor(const Matrices<const T>& matrices, std::size_t member, std::size_t rows, std::size_t columns,
                   bool transpose, Factors factors) {
  const std::size_t stored_rows = transpose ? columns : rows;
  const std::size_t stored_columns = transpose ? rows : columns;
  const Strided<const RowMajor<T>> stored(checked(matrices, member, stored_rows, stored_columns), index(stored_rows),
                                          index(stored_columns), Eigen::OuterStride<>(index(matrices.stride)));
  RowMajor<T> result = transpose ? RowMajor<T>(stored.transpose()) : RowMajor<T>(stored);
  if (factors == Factors::bfloat16) {
    result = result.unaryExpr(
        [](T value) { return static_cast<T>(static_cast<float>(numbers::BFloat16(static_cast<float>(value)))); });
  }
  return result;
}

template <class T>
void multiply_now(const Product<T>& product) {
  if (product.members > 1 && product.c.step == 0) throw DeviceFault("products of several members go to one place");
  for (std::size_t m = 0; m < product.members; ++m) {
    const RowMajor<T> a = factor(product.a, m, product.rows, product.inner, product.transpose_a, product.factors);
    const RowMajor<T> b = factor(product.b, m, product.inner, product.columns, product.transpose_b, product.factors);
    Strided<RowMajor<T>> c(checked(product.c, m, product.rows, product.columns), index(product.rows),
                           index(product.columns), Eigen::OuterStride<>(index(product.c.stride)));
    if (product.accumulate) {
      c.noalias() += a * b;
    } else {
      c.noalias() = a * b;
    }
  }
}

}  // namespace

template <class T>
void multiply(Stream& stream, const Product<T>& product) {
  stream.submit(typeid(Product<T>), [product] { multiply_now(product); });
}

template void multiply<float>(Stream& stream, const Product<float>& product);
template void multiply<double>(Stream& stream, const Product<double>& product);

}  // namespace HYSEQ_CUDA_DEVICE
}  // namespace hyseq::kernels::cuda
