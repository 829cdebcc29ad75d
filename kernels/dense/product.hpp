// Matrix products in tiles, by Eigen.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#define EIGEN_DONT_PARALLELIZE
#define EIGEN_MPL2_ONLY
#include <Eigen/Core>

namespace hyseq::kernels::dense {

template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using Rows = Eigen::Map<Matrix<T>, Eigen::Unaligned, Eigen::OuterStride<>>;
template <class T>
using ConstRows = Eigen::Map<const Matrix<T>, Eigen::Unaligned, Eigen::OuterStride<>>;

[[nodiscard]] inline Eigen::Index index(std::size_t value) { return static_cast<Eigen::Index>(value); }

/// `count` rows of `width` numbers, row-major, `stride` apart.
template <class T>
[[nodiscard]] Rows<T> rows_at(T* first, std::size_t count, std::size_t width, std::size_t stride) {
  return {first, index(count), index(width), Eigen::OuterStride<>(index(stride))};
}
template <class T>
[[nodiscard]] ConstRows<T> rows_at(const T* first, std::size_t count, std::size_t width, std::size_t stride) {
  return {first, index(count), index(width), Eigen::OuterStride<>(index(stride))};
}

/// Blocks of products as for caches of these sizes: Eigen asks the processor otherwise, and sums would depend on it.
inline void fix_blocking() {
  Eigen::setCpuCacheSizes(std::ptrdiff_t{32} << 10, std::ptrdiff_t{1} << 20, std::ptrdiff_t{4} << 20);
}

/// A matrix of results cut into tiles, each the work of one task: large ones amortise the packing of the operands,
/// several keep the threads busy. The cut depends on the shape alone.
class Tiling {
 public:
  Tiling(std::size_t rows, std::size_t columns) : rows_(rows), columns_(columns) {
    // Eigen's kernel for AVX-512 is 48 columns wide.
    constexpr std::array<std::array<std::size_t, 2>, 5> kLimits = {
        {{256, 384}, {256, 192}, {128, 192}, {128, 96}, {64, 96}}};
    constexpr std::size_t kEnough = 16;
    for (const auto& limit : kLimits) {
      height_ = piece(rows, limit[0]);
      width_ = piece(columns, limit[1]);
      if (count() >= kEnough) break;
    }
  }

  [[nodiscard]] std::size_t count() const { return down() * across(); }

  struct Tile {
    std::size_t row;
    std::size_t rows;
    std::size_t column;
    std::size_t columns;
  };
  [[nodiscard]] Tile operator[](std::size_t index) const {
    const std::size_t row = index / across() * height_;
    const std::size_t column = index % across() * width_;
    return {row, std::min(height_, rows_ - row), column, std::min(width_, columns_ - column)};
  }

 private:
  /// The length of equal pieces of at most `limit`, in multiples of 16.
  static std::size_t piece(std::size_t length, std::size_t limit) {
    const std::size_t pieces = (length + limit - 1) / limit;
    return ((length + pieces - 1) / pieces + 15) / 16 * 16;
  }
  [[nodiscard]] std::size_t down() const { return (rows_ + height_ - 1) / height_; }
  [[nodiscard]] std::size_t across() const { return (columns_ + width_ - 1) / width_; }

  std::size_t rows_;
  std::size_t columns_;
  std::size_t height_ = 0;
  std::size_t width_ = 0;
};

}  // namespace hyseq::kernels::dense
