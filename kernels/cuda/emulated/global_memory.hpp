// The arrays of the emulated device, and a check for races through them: a kernel whose threads or blocks depend on
// each other's writes comes to something else when they run in another order.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "kernels/cuda/emulated/order.hpp"
#include "kernels/cuda/shape.hpp"

namespace hyseq::kernels::cuda {
inline namespace HYSEQ_CUDA_DEVICE {

/// For DeviceArray. An array belongs to the thread of the host that made it, wherever it ends.
void add_global_memory(std::byte* first, std::size_t bytes);
void remove_global_memory(const std::byte* first);

/// While there is one, every kernel that this thread of the host gives to a device runs twice on the same memory, with
/// its blocks and the threads of simple kernels in order and in reverse, and DeviceFault is thrown where a byte of this
/// thread's arrays differs. For tests: all arrays are copied for every kernel.
class BothOrders {
 public:
  BothOrders();
  BothOrders(const BothOrders&) = delete;
  BothOrders& operator=(const BothOrders&) = delete;
  ~BothOrders();

  [[nodiscard]] static bool wanted();
};

/// Calls run(order of the blocks, threads in reverse) for both orders and compares.
void run_in_both_orders(std::size_t blocks, const std::function<void(const Permutation&, bool)>& run);

}  // namespace HYSEQ_CUDA_DEVICE
}  // namespace hyseq::kernels::cuda
