// The namespace of the device in hand, and how a kernel is spread over it. See device.hpp.
#pragma once

#include <cstddef>

#include "kernels/base/everywhere.hpp"

#if defined(__CUDACC__)
#define HYSEQ_CUDA_DEVICE nvidia
#define HYSEQ_DEVICE __device__
#else
#define HYSEQ_CUDA_DEVICE emulated
#define HYSEQ_DEVICE
#endif

namespace hyseq::kernels::cuda {
inline namespace HYSEQ_CUDA_DEVICE {

struct Extent {
  unsigned x = 1;
  unsigned y = 1;
  unsigned z = 1;
};

/// How a kernel is spread out. threads: of a block, a multiple of 32 where the kernel is cooperative, at most
/// most_threads() of the kernel.
struct Shape {
  Extent grid;
  unsigned threads = 256;
  std::size_t shared_bytes = 0;
};

/// Blocks of `threads` that cover `count` elements.
[[nodiscard]] constexpr Extent blocks(std::size_t count, unsigned threads) {
  return {static_cast<unsigned>((count + threads - 1) / threads), 1, 1};
}

inline constexpr unsigned kWarp = 32;

/// Threads that a block of a kernel has at most: its kMostThreads where it has one, and else 256. The fewer, the more
/// registers each can have.
template <class Kernel>
[[nodiscard]] constexpr unsigned most_threads() {
  if constexpr (requires { Kernel::kMostThreads; }) {
    return Kernel::kMostThreads;
  } else {
    return 256;
  }
}

}  // namespace HYSEQ_CUDA_DEVICE
}  // namespace hyseq::kernels::cuda
