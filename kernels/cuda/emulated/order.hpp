// The orders in which the emulated device takes threads and blocks. A GPU promises none, so a kernel that needs one
// must not find it here.
#pragma once

#include <cstddef>
#include <numeric>
#include <random>

#include "kernels/cuda/shape.hpp"

namespace hyseq::kernels::cuda {
inline namespace HYSEQ_CUDA_DEVICE {

/// All of 0 .. count - 1 once each: number k is (first + k step) mod count.
struct Permutation {
  std::size_t first = 0;
  std::size_t step = 1;
  std::size_t count = 1;

  [[nodiscard]] std::size_t operator()(std::size_t k) const { return (first + k * step) % count; }
};

/// Draws orders, the same ones in every run of a program.
class Order {
 public:
  [[nodiscard]] Permutation next(std::size_t count) {
    std::size_t step = 1 + random_() % count;
    while (std::gcd(step, count) != 1) ++step;
    return {random_() % count, step, count};
  }
  /// An exclusive-or mask: lane ^ mask is an order of a warp's lanes.
  [[nodiscard]] unsigned next_mask() { return static_cast<unsigned>(random_() >> 8) % kWarp; }
  [[nodiscard]] bool next_bit() { return (random_() & 256) != 0; }

 private:
  std::minstd_rand random_{1};  // NOLINT(bugprone-random-generator-seed): the same orders in every run
};

}  // namespace HYSEQ_CUDA_DEVICE
}  // namespace hyseq::kernels::cuda
