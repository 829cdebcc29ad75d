// The product of matrices whose elements are vectors, one number per member:
//
//   C[m][n] = init[m][n] + sum_k A[m][k] B[k][n]
//
// All strides are free, so the same code serves a linear map, both of its gradients, the tied output head, and the
// scores and values of attention, where a banded matrix is a row stride. Tiles of C stay in registers while k runs; the
// tile sizes follow from the number of registers (Goto, van de Geijn 2008, with vectors in place of scalars).
#if defined(HYSEQ_KERNELS_LANES_PRODUCT_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef HYSEQ_KERNELS_LANES_PRODUCT_INL_HPP
#undef HYSEQ_KERNELS_LANES_PRODUCT_INL_HPP
#else
#define HYSEQ_KERNELS_LANES_PRODUCT_INL_HPP
#endif

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "kernels/lanes/context-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace hyseq::kernels::HWY_NAMESPACE {

/// Element (i, j) is the vector at data + (i * row + j * column) * lanes. No data: a matrix of zeros.
template <class T>
struct Matrix {
  T* data = nullptr;
  std::size_t row = 0;
  std::size_t column = 1;
};

namespace product_detail {

// A tile of r x c sums needs r c registers, min(r, c) operands and one more.
inline constexpr std::size_t kRegisters = HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON ? 32 : 16;
inline constexpr std::size_t kWidest = kRegisters == 32 ? 6 : 4;
inline constexpr std::size_t kDepth = 96;  // a panel of a tile's rows and columns stays in the first cache

constexpr bool fits(std::size_t rows, std::size_t columns) {
  return rows * columns + std::min(rows, columns) + 1 <= kRegisters;
}

/// One tile; strides are in numbers here.
template <class T>
struct TileCall {
  std::size_t depth;
  const T* a;
  std::size_t a_row;
  std::size_t a_column;
  const T* b;
  std::size_t b_row;
  std::size_t b_column;
  const T* init;
  std::size_t init_row;
  std::size_t init_column;
  T* c;
  std::size_t c_row;
  std::size_t c_column;
  bool starts_from_init;  // else init is added last, so that the products need not wait for it
};

template <class D, std::size_t kRows, std::size_t kColumns>
HWY_NOINLINE void tile(const TileCall<hn::TFromD<D>>& call) {
  using T = hn::TFromD<D>;
  using V = hn::Vec<D>;
  const D d;
  const TileCall<T> mine = call;  // in registers, whatever the stores below may overwrite
  V sum[kRows][kColumns];
#pragma GCC unroll 8
  for (std::size_t i = 0; i < kRows; ++i) {
#pragma GCC unroll 8
    for (std::size_t j = 0; j < kColumns; ++j) {
      sum[i][j] =
          mine.starts_from_init ? hn::Load(d, mine.init + i * mine.init_row + j * mine.init_column) : hn::Zero(d);
    }
  }
  const T* HWY_RESTRICT a = mine.a;
  const T* HWY_RESTRICT b = mine.b;
  for (std::size_t k = mine.depth; k > 0; --k) {
    // The shorter side stays in registers.
    if constexpr (kColumns <= kRows) {
      V right[kColumns];
#pragma GCC unroll 8
      for (std::size_t j = 0; j < kColumns; ++j) right[j] = hn::Load(d, b + j * mine.b_column);
#pragma GCC unroll 8
      for (std::size_t i = 0; i < kRows; ++i) {
        const V left = hn::Load(d, a + i * mine.a_row);
#pragma GCC unroll 8
        for (std::size_t j = 0; j < kColumns; ++j) sum[i][j] = hn::MulAdd(left, right[j], sum[i][j]);
      }
    } else {
      V left[kRows];
#pragma GCC unroll 8
      for (std::size_t i = 0; i < kRows; ++i) left[i] = hn::Load(d, a + i * mine.a_row);
#pragma GCC unroll 8
      for (std::size_t j = 0; j < kColumns; ++j) {
        const V right = hn::Load(d, b + j * mine.b_column);
#pragma GCC unroll 8
        for (std::size_t i = 0; i < kRows; ++i) sum[i][j] = hn::MulAdd(left[i], right, sum[i][j]);
      }
    }
    a += mine.a_column;
    b += mine.b_row;
  }
  if (mine.init != nullptr && !mine.starts_from_init) {
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kRows; ++i) {
#pragma GCC unroll 8
      for (std::size_t j = 0; j < kColumns; ++j) {
        sum[i][j] = hn::Add(sum[i][j], hn::Load(d, mine.init + i * mine.init_row + j * mine.init_column));
      }
    }
  }
#pragma GCC unroll 8
  for (std::size_t i = 0; i < kRows; ++i) {
#pragma GCC unroll 8
    for (std::size_t j = 0; j < kColumns; ++j) hn::Store(sum[i][j], d, mine.c + i * mine.c_row + j * mine.c_column);
  }
}

template <class D>
using Tile = void (*)(const TileCall<hn::TFromD<D>>&);

template <class D, std::size_t kIndex>
constexpr Tile<D> tile_at() {
  constexpr std::size_t kRows = kIndex / kWidest + 1;
  constexpr std::size_t kColumns = kIndex % kWidest + 1;
  if constexpr (fits(kRows, kColumns)) {
    return &tile<D, kRows, kColumns>;
  } else {
    return nullptr;
  }
}

template <class D, std::size_t... kIndex>
constexpr std::array<Tile<D>, sizeof...(kIndex)> tile_table(std::index_sequence<kIndex...> /*indices*/) {
  return {tile_at<D, kIndex>()...};
}

/// [rows - 1][columns - 1]
template <class D>
inline constexpr auto kTiles = tile_table<D>(std::make_index_sequence<kWidest * kWidest>());

struct TileShape {
  std::size_t rows;
  std::size_t columns;
};

/// The largest tiles that cover rows x columns in the fewest calls.
inline TileShape choose_tile(std::size_t rows, std::size_t columns) {
  constexpr TileShape kShapes32[] = {{5, 5}, {4, 6}, {6, 4}};
  constexpr TileShape kShapes16[] = {{3, 4}, {4, 3}};
  const auto tiles = [&](const TileShape& shape) {
    return ((rows + shape.rows - 1) / shape.rows) * ((columns + shape.columns - 1) / shape.columns);
  };
  TileShape best = kRegisters == 32 ? kShapes32[0] : kShapes16[0];
  const auto consider = [&](const auto& shapes) {
    for (const TileShape& shape : shapes) {
      if (tiles(shape) < tiles(best)) best = shape;
    }
  };
  if constexpr (kRegisters == 32) {
    consider(kShapes32);
  } else {
    consider(kShapes16);
  }
  return best;
}

}  // namespace product_detail

/// See the head of the file. C may be init (to accumulate) but must not overlap A or B.
template <class D>
void product(D /*d*/, std::size_t rows, std::size_t columns, std::size_t depth, const Matrix<const hn::TFromD<D>>& a,
             const Matrix<const hn::TFromD<D>>& b, const Matrix<const hn::TFromD<D>>& init,
             const Matrix<hn::TFromD<D>>& c) {
  using T = hn::TFromD<D>;
  constexpr std::size_t kLanes = LaneContext<D>::kLanes;
  const product_detail::TileShape shape = product_detail::choose_tile(rows, columns);
  const std::size_t row_tiles = (rows + shape.rows - 1) / shape.rows;
  const std::size_t column_tiles = (columns + shape.columns - 1) / shape.columns;
  product_detail::TileCall<T> call{};
  call.a_row = a.row * kLanes;
  call.a_column = a.column * kLanes;
  call.b_row = b.row * kLanes;
  call.b_column = b.column * kLanes;
  call.c_row = c.row * kLanes;
  call.c_column = c.column * kLanes;
  for (std::size_t k = 0; k < depth || k == 0; k += product_detail::kDepth) {
    const Matrix<const T> from = k == 0 ? init : Matrix<const T>{c.data, c.row, c.column};
    call.depth = std::min(product_detail::kDepth, depth - k);
    // Sums that are cut into several depths have the bits of those that are not.
    call.starts_from_init = from.data != nullptr && depth > product_detail::kDepth;
    call.init_row = from.row * kLanes;
    call.init_column = from.column * kLanes;
    const auto run = [&](std::size_t row_tile, std::size_t column_tile) {
      // Tiles of nearly the same size, none of them a sliver.
      const std::size_t i = row_tile * rows / row_tiles;
      const std::size_t j = column_tile * columns / column_tiles;
      const std::size_t tile_rows = (row_tile + 1) * rows / row_tiles - i;
      const std::size_t tile_columns = (column_tile + 1) * columns / column_tiles - j;
      call.a = a.data + i * call.a_row + k * call.a_column;
      call.b = b.data + k * call.b_row + j * call.b_column;
      call.init = from.data == nullptr ? nullptr : from.data + i * call.init_row + j * call.init_column;
      call.c = c.data + i * call.c_row + j * call.c_column;
      product_detail::kTiles<D>[(tile_rows - 1) * product_detail::kWidest + tile_columns - 1](call);
    };
    // The larger operand is read once, the smaller one stays near.
    if (columns >= rows) {
      for (std::size_t j = 0; j < column_tiles; ++j) {
        for (std::size_t i = 0; i < row_tiles; ++i) run(i, j);
      }
    } else {
      for (std::size_t i = 0; i < row_tiles; ++i) {
        for (std::size_t j = 0; j < column_tiles; ++j) run(i, j);
      }
    }
  }
}

}  // namespace hyseq::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
