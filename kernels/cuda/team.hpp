// Threads that work on one row together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>

#include "kernels/cuda/device.hpp"
#include "kernels/cuda/groups.hpp"

namespace hyseq::kernels::cuda {
inline namespace HYSEQ_CUDA_DEVICE {

/// Threads per row: a power of two that divides a warp, or a whole block for long rows. It depends on the width alone,
/// as the order of a row's sums does.
[[nodiscard]] constexpr unsigned team_size(unsigned width) {
  const unsigned groups = (width + kGroup - 1) / kGroup;
  if (groups > 1024) return 256;
  if (groups > 256) return 128;
  unsigned size = 1;
  while (size < groups && size < kWarp) size *= 2;
  return size;
}

/// A block's teams, and how many blocks there are for `rows` rows.
[[nodiscard]] inline Shape team_shape(std::size_t rows, unsigned width) {
  const unsigned size = team_size(width);
  if (size > kWarp) return {blocks(rows, 1), size, kWarp * sizeof(double)};
  const std::size_t needed = (rows * size + kWarp - 1) / kWarp * kWarp;
  const auto threads = static_cast<unsigned>(std::min<std::size_t>(256, needed));
  return {blocks(rows, threads / size), threads, 0};
}

/// The team that a thread of such a block belongs to. All threads of a block sum as often, those of teams without a row
/// as well.
class Team {
 public:
  HYSEQ_DEVICE Team(const Thread& thread, unsigned width) : thread_(thread), size_(team_size(width)) {}

  [[nodiscard]] HYSEQ_DEVICE std::size_t row() const {
    return std::size_t{thread_.block().x} * (thread_.count() / size_) + thread_.index() / size_;
  }
  /// Among the `size` threads of the team.
  [[nodiscard]] HYSEQ_DEVICE unsigned lane() const { return thread_.index() % size_; }
  [[nodiscard]] HYSEQ_DEVICE unsigned size() const { return size_; }

  template <class T>
  [[nodiscard]] HYSEQ_DEVICE T sum(T value) const {
    return combine(value, T(0), [](T a, T b) { return a + b; });
  }
  /// Numbers that are none are passed over.
  template <class T>
  [[nodiscard]] HYSEQ_DEVICE T max(T value) const {
    return combine(value, -std::numeric_limits<T>::infinity(), [](T a, T b) { return b > a ? b : a; });
  }

 private:
  template <class T, class Operation>
  [[nodiscard]] HYSEQ_DEVICE T combine(T value, T neutral, const Operation& operation) const {
    value = in_warp(value, size_ < kWarp ? size_ : kWarp, operation);
    if (size_ <= kWarp) return value;
    const Shared<T> scratch = thread_.template shared<T>(0, kWarp);
    thread_.barrier();  // whoever used scratch before has done with it
    if (thread_.lane() == 0) scratch[thread_.warp()] = value;
    thread_.barrier();
    const T part = thread_.lane() < size_ / kWarp ? static_cast<T>(scratch[thread_.lane()]) : neutral;
    return in_warp(part, kWarp, operation);
  }
  template <class T, class Operation>
  [[nodiscard]] HYSEQ_DEVICE T in_warp(T value, unsigned size, const Operation& operation) const {
    for (unsigned mask = size / 2; mask > 0; mask /= 2) value = operation(value, thread_.shuffle_xor(value, mask));
    return value;
  }

  const Thread& thread_;
  unsigned size_;
};

}  // namespace HYSEQ_CUDA_DEVICE
}  // namespace hyseq::kernels::cuda
