#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>
#include <typeinfo>

#include <cuda_bf16.h>

#include "kernels/base/error.hpp"
#include "kernels/cuda/nvidia/products.hpp"
#include "kernels/cuda/product.hpp"

namespace hyseq::kernels::cuda {
inline namespace HYSEQ_CUDA_DEVICE {

/// Rounds a factor to bfloat16: the matrices of all members, rows of `stride` numbers, the surplus zero. A thread does
/// four columns.
struct RoundFactor {
  static constexpr bool kCooperative = false;
  static constexpr unsigned kColumns = 4;
  Span<const float> from;
  Span<std::uint16_t> to;
  std::size_t from_stride = 0;
  std::size_t from_step = 0;
  unsigned members = 0;
  unsigned rows = 0;
  unsigned columns = 0;
  unsigned stride = 0;  // a multiple of four

  HYSEQ_DEVICE void operator()(const Thread& thread) const {
    const std::size_t i = thread.global_index();
    const unsigned groups = stride / kColumns;
    if (i >= std::size_t{rows} * groups) return;
    const std::size_t row = i / groups;
    const auto first = static_cast<unsigned>(i % groups) * kColumns;
    for (unsigned m = thread.block().y; m < members; m += thread.grid().y) {
      const std::size_t source = m * from_step + row * from_stride + first;
      const std::size_t target = (std::size_t{m} * rows + row) * stride + first;
      ushort4 rounded;
      rounded.x = bits(source, first);
      rounded.y = bits(source + 1, first + 1);
      rounded.z = bits(source + 2, first + 2);
      rounded.w = bits(source + 3, first + 3);
      *reinterpret_cast<ushort4*>(&to[target]) = rounded;
    }
  }

 private:
  [[nodiscard]] HYSEQ_DEVICE std::uint16_t bits(std::size_t index, unsigned column) const {
    return column < columns ? __bfloat16_as_ushort(__float2bfloat16_rn(from[index])) : std::uint16_t{0};
  }
};

/// Sets the matrices of a sum of no products to zero.
template <class T>
struct Clear {
  static constexpr bool kCooperative = false;
  Matrices<T> matrices;
  std::size_t members = 0;
  std::size_t rows = 0;
  std::size_t columns = 0;

  HYSEQ_DEVICE void operator()(const Thread& thread) const {
    const std::size_t i = thread.global_index();
    if (i >= members * rows * columns) return;
    const std::size_t row = i / columns;
    matrices.data[row / rows * matrices.step + row % rows * matrices.stride + i % columns] = T(0);
  }
};

namespace {

/// A factor as cuBLAS takes it.
struct Operand {
  const void* data = nullptr;
  cudaDataType_t type = CUDA_R_32F;
  int stride = 0;
  long long step = 0;
  cublasOperation_t operation = CUBLAS_OP_N;
};

int as_int(std::size_t value) {
  if (value > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw EnvironmentError("cuBLAS multiplies matrices of up to 2,147,483,647 rows and columns, not " +
                           std::to_string(value));
  }
  return static_cast<int>(value);
}

template <class T>
constexpr cudaDataType_t kType = std::is_same_v<T, double> ? CUDA_R_64F : CUDA_R_32F;

template <class T>
Operand operand(const Matrices<const T>& matrices, bool transpose) {
  return {matrices.data.data(), kType<T>, as_int(matrices.stride), static_cast<long long>(matrices.step),
          transpose ? CUBLAS_OP_T : CUBLAS_OP_N};
}

/// Sizes of a factor in bfloat16. Rows of a multiple of 16 bytes let cuBLAS use its fastest kernels.
struct RoundedSize {
  std::size_t members = 1;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t stride = 0;

  RoundedSize(const Product<float>& product, const Matrices<const float>& matrices, std::size_t stored_rows,
              std::size_t stored_columns)
      : members(matrices.step == 0 ? 1 : product.members),
        rows(stored_rows),
        columns(stored_columns),
        stride((stored_columns + 7) / 8 * 8) {}
  [[nodiscard]] std::size_t numbers() const { return members * rows * stride; }
};

Operand rounded(Stream& stream, const Matrices<const float>& matrices, bool transpose, const RoundedSize& size,
                Span<std::uint16_t> room) {
  RoundFactor kernel{.from = matrices.data,
                     .to = room,
                     .from_stride = matrices.stride,
                     .from_step = matrices.step,
                     .members = static_cast<unsigned>(as_int(size.members)),
                     .rows = static_cast<unsigned>(as_int(size.rows)),
                     .columns = static_cast<unsigned>(as_int(size.columns)),
                     .stride = static_cast<unsigned>(as_int(size.stride))};
  Extent grid = blocks(size.rows * size.stride / RoundFactor::kColumns, 256);
  grid.y = static_cast<unsigned>(std::min<std::size_t>(size.members, 65535));
  launch(stream, {grid, 256, 0}, kernel);
  return {room.data(), CUDA_R_16BF, as_int(size.stride),
          matrices.step == 0 ? 0 : static_cast<long long>(size.rows * size.stride),
          transpose ? CUBLAS_OP_T : CUBLAS_OP_N};
}

/// cuBLAS stores columns one after the other. So stored, our matrices are their transposes, and c' = b' a'.
template <class T>
void multiply_operands(Stream& stream, const Product<T>& product, const Operand& a, const Operand& b) {
  const T one = 1;
  const T before = product.accumulate ? T(1) : T(0);
  stream.submit(typeid(Product<T>), [&] {
    const cublasStatus_t status =
        cublas().multiply(stream.products().handle(), b.operation, a.operation, as_int(product.columns),
                          as_int(product.rows), as_int(product.inner), &one, b.data, b.type, b.stride, b.step, a.data,
                          a.type, a.stride, a.step, &before, product.c.data.data(), kType<T>, as_int(product.c.stride),
                          static_cast<long long>(product.c.step), as_int(product.members),
                          std::is_same_v<T, double> ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
    if (status != CUBLAS_STATUS_SUCCESS) {
      throw EnvironmentError(std::string("cuBLAS cannot multiply: ") + cublas().status_string(status));
    }
  });
}

void multiply_rounded(Stream& stream, const Product<float>& product) {
  const RoundedSize size_a(product, product.a, product.transpose_a ? product.inner : product.rows,
                           product.transpose_a ? product.rows : product.inner);
  const RoundedSize size_b(product, product.b, product.transpose_b ? product.columns : product.inner,
                           product.transpose_b ? product.inner : product.columns);
  const Span<std::uint16_t> room = stream.products().room(size_a.numbers() + size_b.numbers());
  const Operand a = rounded(stream, product.a, product.transpose_a, size_a, room.from(0, size_a.numbers()));
  const Operand b =
      rounded(stream, product.b, product.transpose_b, size_b, room.from(size_a.numbers(), size_b.numbers()));
  multiply_operands(stream, product, a, b);
}

}  // namespace

template <class T>
void multiply(Stream& stream, const Product<T>& product) {
  const std::size_t results = product.members * product.rows * product.columns;
  if (results == 0) return;
  if (product.inner == 0) {
    if (product.accumulate) return;
    launch(stream, {blocks(results, 256), 256, 0}, Clear<T>{product.c, product.members, product.rows, product.columns});
    return;
  }
  if constexpr (std::is_same_v<T, float>) {
    if (product.factors == Factors::bfloat16) return multiply_rounded(stream, product);
  }
  multiply_operands(stream, product, operand(product.a, product.transpose_a), operand(product.b, product.transpose_b));
}

template void multiply<float>(Stream& stream, const Product<float>& product);
template void multiply<double>(Stream& stream, const Product<double>& product);

}  // namespace HYSEQ_CUDA_DEVICE
}  // namespace hyseq::kernels::cuda
