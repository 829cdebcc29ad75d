// Sums over the threads of a warp and of a block, in one fixed order.
#pragma once

#include <cstddef>

#include "kernels/cuda/device.hpp"

namespace hyseq::kernels::cuda {
inline namespace HYSEQ_CUDA_DEVICE {

/// The sum over the warp, for all of its threads.
template <class T>
[[nodiscard]] HYSEQ_DEVICE T warp_sum(const Thread& thread, T value) {
  for (unsigned mask = kWarp / 2; mask > 0; mask /= 2) value += thread.shuffle_xor(value, mask);
  return value;
}

template <class T>
[[nodiscard]] HYSEQ_DEVICE T warp_max(const Thread& thread, T value) {
  for (unsigned mask = kWarp / 2; mask > 0; mask /= 2) {
    const T other = thread.shuffle_xor(value, mask);
    value = other > value ? other : value;
  }
  return value;
}

/// Bytes of shared memory that block_sum() needs.
template <class T>
[[nodiscard]] constexpr std::size_t block_sum_bytes() {
  return kWarp * sizeof(T);
}

/// The sum over the block, for all of its threads. scratch: kWarp elements of shared memory, free again behind the
/// barrier that comes after.
template <class T>
[[nodiscard]] HYSEQ_DEVICE T block_sum(const Thread& thread, T value, const Shared<T>& scratch) {
  value = warp_sum(thread, value);
  thread.barrier();  // whoever used scratch before has done with it
  if (thread.lane() == 0) scratch[thread.warp()] = value;
  thread.barrier();
  return warp_sum(thread, thread.lane() < thread.count() / kWarp ? static_cast<T>(scratch[thread.lane()]) : T(0));
}

}  // namespace HYSEQ_CUDA_DEVICE
}  // namespace hyseq::kernels::cuda
