// The emulated device: what a kernel may do gives what a GPU would give, and what it may not do is caught.
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/cuda/device.hpp"
#include "kernels/cuda/product.hpp"
#include "kernels/cuda/reduce.hpp"

namespace hyseq::kernels::cuda {
namespace {

constexpr unsigned kThreads = 96;

/// Turns a block's numbers around through shared memory. The second barrier and the bounds can be left out.
struct Reverse {
  static constexpr bool kCooperative = true;
  Span<int> data;
  bool barrier = true;
  bool all_meet = true;
  std::size_t beyond = 0;

  HYSEQ_DEVICE void operator()(const Thread& thread) const {
    const Shared<int> tile = thread.shared<int>(0, thread.count());
    const std::size_t i = thread.global_index();
    tile[thread.index()] = data[i];
    if (!all_meet && thread.index() == 5) return;
    if (barrier) thread.barrier();
    data[i] = tile[thread.count() - 1 - thread.index() + beyond];
  }
};

std::vector<int> reversed(const Reverse& how, unsigned grid = 3) {
  Stream stream;
  std::vector<int> numbers(std::size_t{grid} * kThreads);
  std::iota(numbers.begin(), numbers.end(), 0);
  DeviceArray<int> data(numbers.size());
  data.upload(stream, numbers);
  Reverse kernel = how;
  kernel.data = data.span();
  launch(stream, {{grid, 1, 1}, kThreads, kThreads * sizeof(int)}, kernel);
  data.download(stream, numbers);
  return numbers;
}

std::string fault(const Reverse& how) {
  try {
    (void)reversed(how);
  } catch (const DeviceFault& fault) {
    return fault.what();
  }
  return "none";
}

TEST(EmulatedDevice, ThreadsOfABlockShareMemory) {
  const std::vector<int> numbers = reversed({});
  for (unsigned block = 0; block < 3; ++block) {
    for (unsigned i = 0; i < kThreads; ++i) {
      EXPECT_EQ(numbers[block * kThreads + i], static_cast<int>(block * kThreads + kThreads - 1 - i));
    }
  }
}

TEST(EmulatedDevice, CatchesAMissingBarrier) {
  EXPECT_NE(fault({.data = {}, .barrier = false}).find("shared memory"), std::string::npos);
}

TEST(EmulatedDevice, CatchesABarrierThatNotAllReach) {
  EXPECT_NE(fault({.data = {}, .all_meet = false}).find("do not meet"), std::string::npos);
}

TEST(EmulatedDevice, CatchesAnIndexOutsideSharedMemory) {
  EXPECT_EQ(fault({.data = {}, .beyond = kThreads}).find("index "), 0U);
}

struct BlockSums {
  static constexpr bool kCooperative = true;
  Span<const double> values;
  Span<double> sums;
  HYSEQ_DEVICE void operator()(const Thread& thread) const {
    const std::size_t i = thread.global_index();
    const double sum = block_sum(thread, i < values.size() ? values[i] : 0.0, thread.shared<double>(0, kWarp));
    if (thread.index() == 7) sums[thread.block().x] = sum;
  }
};

TEST(EmulatedDevice, SumsOverABlock) {
  Stream stream;
  std::vector<double> values(1000);
  std::iota(values.begin(), values.end(), 1);
  DeviceArray<double> in(values.size());
  in.upload(stream, values);
  DeviceArray<double> out(4);
  launch(stream, {blocks(values.size(), 256), 256, block_sum_bytes<double>()}, BlockSums{in.span(), out.span()});
  std::vector<double> sums(4);
  out.download(stream, sums);
  EXPECT_EQ(sums,
            (std::vector<double>{256 * 257 / 2.0, (257 + 512) * 128.0, (513 + 768) * 128.0, (769 + 1000) * 116.0}));
}

}  // namespace
}  // namespace hyseq::kernels::cuda
