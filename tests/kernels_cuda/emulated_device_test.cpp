// The emulated device catches what a GPU does not: one table of planted faults, each of which must be told by its name.
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/cuda/device.hpp"
#include "kernels/cuda/gpu.hpp"
#include "kernels/cuda/product.hpp"
#include "kernels/cuda/reduce.hpp"

namespace hyseq::kernels::cuda {
namespace {

constexpr unsigned kThreads = 96;

enum class Fault {
  none,
  no_barrier,               // a thread reads what another has written since the last barrier
  no_second_barrier,        // a thread writes what another has read since
  race_within_a_warp,       // neighbours, with a shuffle between them that orders nothing
  two_writers,              // of one element, even of equal values
  not_at_the_barrier,       // one thread has come to its end
  two_barriers,             // half of the threads wait at another one
  not_at_the_shuffle,       // one lane waits at a barrier
  two_shuffles,             // half of a warp is at another one
  outside_shared,           // by one
  outside_shared_at_start,  // an array that the block has no room for
  misaligned_shared,
  never_written,   // shared memory is not cleared
  outside_global,  // by one
  outside_part,    // a part of an array that sticks out
  kernel_throws,
};

/// Turns each block's numbers around and back again, with a fault where one is wanted.
struct Faulty {
  static constexpr bool kCooperative = true;
  Span<int> data;
  Fault fault = Fault::none;
  std::shared_ptr<int> alive;  // counts the copies: what is on a thread's stack has to go with it

  [[nodiscard]] bool is(Fault which) const { return fault == which; }

  /// The first barrier, and what may go wrong at it.
  void meet(const Thread& thread) const {
    const bool even = thread.index() % 2 == 0;
    if (is(Fault::two_barriers) && even) thread.barrier();
    if (is(Fault::two_shuffles) && even) (void)thread.shuffle_xor(1, 1);
    if (is(Fault::two_shuffles) && !even) (void)thread.shuffle_xor(2, 1);
    if (is(Fault::not_at_the_shuffle) && thread.warp() == 0 && thread.index() != 5) (void)thread.shuffle_xor(3, 1);
    if (!is(Fault::no_barrier)) thread.barrier();
  }

  void operator()(const Thread& thread) const {
    const std::shared_ptr<int> held = alive;
    const Shared<int> tile = thread.shared<int>(is(Fault::misaligned_shared) ? 2 : 0,
                                                is(Fault::outside_shared_at_start) ? kThreads + 1 : kThreads);
    const std::size_t i = thread.global_index();
    const unsigned mirrored = kThreads - 1 - thread.index();
    const bool last = thread.index() == kThreads - 1;
    if (!is(Fault::never_written) || !last) tile[thread.index()] = data[i];
    if (is(Fault::two_writers)) tile[thread.index() / 2] = 1;
    if (is(Fault::race_within_a_warp)) {
      const int other = thread.shuffle_xor(1, 1);
      data[i] = tile[thread.index() ^ static_cast<unsigned>(other)];
    }
    if (is(Fault::not_at_the_barrier) && thread.index() == 5) return;
    meet(thread);
    const int value = tile[mirrored + (is(Fault::outside_shared) && thread.index() == 0 ? 1 : 0)];
    if (!is(Fault::no_second_barrier)) thread.barrier();
    tile[thread.index()] = value;
    if (is(Fault::kernel_throws) && last) throw std::runtime_error("the kernel's own");
    thread.barrier();
    if (thread.shuffle(static_cast<int>(thread.lane()), 3) != 3) throw std::runtime_error("a shuffle went wrong");
    const Span<int> to = is(Fault::outside_part) ? data.from(i, data.size()) : data;
    to[is(Fault::outside_global) ? i + 1 : i] = tile[mirrored];
  }
};

struct Planted {
  Fault fault;
  const char* told;  // part of the message
};

// The table.
const Planted kPlanted[] = {
    {Fault::no_barrier, " of shared memory, which "},
    {Fault::no_second_barrier, "a race"},
    {Fault::race_within_a_warp, "a race"},
    {Fault::two_writers, "a race"},
    {Fault::not_at_the_barrier, "do not meet"},
    {Fault::two_barriers, "do not meet"},
    {Fault::not_at_the_shuffle, "do not meet"},
    {Fault::two_shuffles, "do not meet"},
    {Fault::outside_shared, "index 96 of 96 elements of shared memory"},
    {Fault::outside_shared_at_start, "shared memory up to byte 388 of 384"},
    {Fault::misaligned_shared, "shared memory from byte 2 on"},
    {Fault::never_written, "which nobody wrote"},
    {Fault::outside_global, "index 288 of 288 elements of global memory"},
    {Fault::outside_part, "of global memory"},
    {Fault::kernel_throws, "the kernel's own"},
};

std::string run(Fault fault) {
  Stream stream;
  const std::vector<int> numbers(std::size_t{3} * kThreads, 4);
  DeviceArray<int> data(numbers.size());
  data.upload(stream, numbers);
  Faulty kernel;
  kernel.data = data.span();
  kernel.fault = fault;
  kernel.alive = std::make_shared<int>();
  std::string told = "none";
  try {
    launch(stream, {{3, 1, 1}, kThreads, kThreads * sizeof(int)}, kernel);
  } catch (const std::exception& error) {
    told = error.what();
  }
  EXPECT_EQ(kernel.alive.use_count(), 1) << "threads left things behind";
  return told;
}

TEST(EmulatedDevice, CatchesEveryPlantedFaultAndIsWellAfterwards) {
  EXPECT_EQ(run(Fault::none), "none");
  for (const Planted& planted : kPlanted) {
    const std::string told = run(planted.fault);
    EXPECT_NE(told.find(planted.told), std::string::npos) << told << " does not say: " << planted.told;
    EXPECT_EQ(run(Fault::none), "none") << "after " << planted.told;
  }
}

/// Adds to every number one that lies `far` further on: another thread's where far > 0.
struct AddAnother {
  static constexpr bool kCooperative = false;
  Span<int> data;
  std::size_t far = 0;

  void operator()(const Thread& thread) const {
    const std::size_t i = thread.global_index();
    data[i] += data[(i + far) % data.size()];
  }
};

/// Every block leaves its number in the same place.
struct LastBlock {
  static constexpr bool kCooperative = true;
  Span<int> data;

  void operator()(const Thread& thread) const {
    if (thread.index() == 0) data[0] = static_cast<int>(thread.block().x);
  }
};

template <class Kernel>
std::string run_in_both_orders(Kernel kernel) {
  Stream stream;
  std::vector<int> numbers(std::size_t{3} * kThreads);
  std::iota(numbers.begin(), numbers.end(), 1);
  DeviceArray<int> data(numbers.size());
  data.upload(stream, numbers);
  kernel.data = data.span();
  const BothOrders both;
  try {
    launch(stream, {{3, 1, 1}, kThreads, 0}, kernel);
  } catch (const DeviceFault& fault) {
    return fault.what();
  }
  return "none";
}

TEST(EmulatedDevice, BothOrdersTellRacesThroughGlobalMemory) {
  EXPECT_EQ(run_in_both_orders(AddAnother{{}, 0}), "none");
  for (const std::string& told : {run_in_both_orders(AddAnother{{}, 1}), run_in_both_orders(AddAnother{{}, kThreads}),
                                  run_in_both_orders(LastBlock{})}) {
    EXPECT_NE(told.find("of an array in global memory depends on the order"), std::string::npos) << told;
  }
  EXPECT_NE(run_in_both_orders(LastBlock{}).find("LastBlock"), std::string::npos);
  EXPECT_FALSE(BothOrders::wanted());
}

TEST(EmulatedDevice, TellsWhereAFaultIs) {
  EXPECT_NE(run(Fault::outside_global).find(", thread 95 of block (2, 0, 0) of "), std::string::npos);
  const std::string meeting = run(Fault::not_at_the_barrier);
  EXPECT_NE(meeting.find("95 (as thread 0) at the barrier of emulated_device_test.cpp:"), std::string::npos) << meeting;
  EXPECT_NE(meeting.find("1 (as thread 5) at the end"), std::string::npos) << meeting;
}

TEST(EmulatedDevice, RunsInEveryThreadOfTheHost) {
  std::vector<std::string> told(3);
  std::vector<std::thread> threads;
  for (std::string& text : told) {
    threads.emplace_back([&] {
      (void)run(Fault::not_at_the_shuffle);
      text = run(Fault::none);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(told, std::vector<std::string>(3, "none"));
}

/// One thread after the other sees what those before it did, which no GPU promises.
struct Chain {
  static constexpr bool kCooperative = false;
  Span<int> data;
  void operator()(const Thread& thread) const {
    const std::size_t i = thread.global_index();
    data[i] = i == 0 ? 1 : data[i - 1] + 1;
  }
};

TEST(EmulatedDevice, PromisesNoOrder) {
  Stream stream;
  DeviceArray<int> data(64);
  int in_order = 0;
  constexpr int kTries = 20;
  for (int i = 0; i < kTries; ++i) {
    data.upload(stream, std::vector<int>(64, 0));
    launch(stream, {blocks(64, 8), 8, 0}, Chain{data.span()});
    std::vector<int> numbers(64);
    data.download(stream, numbers);
    in_order += numbers.back() == 64 ? 1 : 0;
  }
  EXPECT_LT(in_order, kTries / 2);
}

struct Nothing {
  static constexpr bool kCooperative = true;
  static constexpr unsigned kMostThreads = 128;
  void operator()(const Thread& /*thread*/) const {}
};
struct PlainBarrier {
  static constexpr bool kCooperative = false;
  void operator()(const Thread& thread) const { thread.barrier(); }
};

TEST(EmulatedDevice, KeepsTheLimitsOfAGpu) {
  Stream stream;
  EXPECT_NO_THROW(launch(stream, {{}, 128, std::size_t{163} << 10}, Nothing{}));
  EXPECT_THROW(launch(stream, {{}, 160, 0}, Nothing{}), DeviceFault) << "kMostThreads";
  EXPECT_THROW(launch(stream, {{}, 48, 0}, Nothing{}), DeviceFault) << "half a warp";
  EXPECT_THROW(launch(stream, {{}, 0, 0}, Nothing{}), DeviceFault);
  EXPECT_THROW(launch(stream, {{}, 128, (std::size_t{163} << 10) + 1}, Nothing{}), DeviceFault);
  EXPECT_THROW(launch(stream, {{1, 65536, 1}, 128, 0}, Nothing{}), DeviceFault);
  EXPECT_THROW(launch(stream, {blocks(0, 128), 128, 0}, Nothing{}), DeviceFault) << "no blocks";
  EXPECT_THROW(launch(stream, {{}, 32, 0}, PlainBarrier{}), DeviceFault);
}

TEST(EmulatedDevice, ChecksTheMatricesOfAProduct) {
  Stream stream;
  DeviceArray<float> data(12);
  const Matrices<const float> factor{data.span().from(0, 4), 2, 4};
  const Product<float> fits{1, 2, 2, 2, factor, factor, {data.span().from(8, 4), 2, 4}};
  EXPECT_NO_THROW(multiply(stream, fits));
  Product<float> wrong = fits;
  wrong.rows = 3;
  EXPECT_THROW(multiply(stream, wrong), DeviceFault) << "outside";
  wrong = fits;
  wrong.a.stride = 1;
  EXPECT_THROW(multiply(stream, wrong), DeviceFault) << "rows overlap";
  wrong = fits;
  wrong.members = 2;
  wrong.a.step = wrong.b.step = wrong.c.step = 0;
  EXPECT_THROW(multiply(stream, wrong), DeviceFault) << "two results in one place";
}

TEST(Gpu, IsDescribedOrMissedForAReason) {
  const GpuState state = find_gpu();
  EXPECT_NE(state.gpu.has_value(), !state.reason.empty());
  if (state.gpu) {
    EXPECT_GE(state.gpu->capability_major, 8);
    EXPECT_GT(state.gpu->memory, 0U);
  }
}

}  // namespace
}  // namespace hyseq::kernels::cuda
