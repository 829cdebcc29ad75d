// What kernels can rely on, on either kind of device: shared memory, barriers, shuffles, recorded work, products. This
// file is translated for the emulated device and, where CUDA is, for GPUs.
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/base/error.hpp"
#include "kernels/base/numbers/sixteen_bit.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/cuda/gpu.hpp"
#include "kernels/cuda/product.hpp"
#include "kernels/cuda/reduce.hpp"

namespace hyseq::kernels::cuda {
inline namespace HYSEQ_CUDA_DEVICE {

class Device : public testing::Test {
 protected:
  void SetUp() override {
#if defined(__CUDACC__)
    const GpuState state = find_gpu();
    if (state.gpu) return;
    EXPECT_THROW(Stream(), EnvironmentError);
    GTEST_SKIP() << state.reason;
#endif
  }
};

std::vector<int> numbers_from(int first, std::size_t count) {
  std::vector<int> numbers(count);
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

/// Turns a block's numbers around through shared memory.
struct Reverse {
  static constexpr bool kCooperative = true;
  Span<int> data;
  HYSEQ_DEVICE void operator()(const Thread& thread) const {
    const Shared<int> tile = thread.shared<int>(0, thread.count());
    const std::size_t i = thread.global_index();
    tile[thread.index()] = data[i];
    thread.barrier();
    data[i] = tile[thread.count() - 1 - thread.index()];
  }
};

TEST_F(Device, ThreadsOfABlockShareMemory) {
  constexpr unsigned kThreads = 96;
  Stream stream;
  DeviceArray<int> data(3 * std::size_t{kThreads});
  data.upload(stream, numbers_from(0, data.size()));
  launch(stream, {{3, 1, 1}, kThreads, kThreads * sizeof(int)}, Reverse{data.span()});
  std::vector<int> numbers(data.size());
  data.download(stream, numbers);
  for (unsigned i = 0; i < numbers.size(); ++i) {
    EXPECT_EQ(numbers[i], static_cast<int>(i / kThreads * kThreads + kThreads - 1 - i % kThreads));
  }
}

TEST_F(Device, CopiesPartsOfAnArrayBehindTheWorkBefore) {
  Stream stream;
  DeviceArray<int> data(32);
  std::vector<int> values = numbers_from(0, 32);
  data.upload(stream, values);
  values.assign(32, -1);  // an upload has its values
  launch(stream, {{1, 1, 1}, 32, 32 * sizeof(int)}, Reverse{data.span()});
  data.upload(stream, std::vector<int>{100, 101}, 30);
  std::vector<int> end(4);
  data.download(stream, end, 28);
  EXPECT_EQ(end, (std::vector<int>{3, 2, 100, 101}));
}

/// Sums over a block's share of the numbers; kRounds of them show that the scratch memory can be used again.
struct BlockSums {
  static constexpr bool kCooperative = true;
  static constexpr unsigned kMostThreads = 256;
  Span<const double> values;
  Span<double> sums;
  unsigned rounds = 1;
  HYSEQ_DEVICE void operator()(const Thread& thread) const {
    const std::size_t i = thread.global_index();
    const Shared<double> scratch = thread.shared<double>(0, kWarp);
    double sum = 0;
    for (unsigned round = 0; round < rounds; ++round) {
      sum += block_sum(thread, i < values.size() ? values[i] : 0.0, scratch);
    }
    if (thread.index() == 7) sums[thread.block().x] = sum;
  }
};

TEST_F(Device, SumsOverABlock) {
  Stream stream;
  std::vector<double> values(1000);
  std::iota(values.begin(), values.end(), 1);
  DeviceArray<double> in(values.size());
  in.upload(stream, values);
  DeviceArray<double> out(4);
  launch(stream, {blocks(values.size(), 256), 256, block_sum_bytes<double>()}, BlockSums{in.span(), out.span(), 3});
  std::vector<double> sums(4);
  out.download(stream, sums);
  EXPECT_EQ(sums, (std::vector<double>{3 * 256 * 257 / 2.0, 3 * (257 + 512) * 128.0, 3 * (513 + 768) * 128.0,
                                       3 * (769 + 1000) * 116.0}));
}

/// Sums over a window of neighbours; while one tile is read, the next is written. Asks for much shared memory.
struct DoubleBuffer {
  static constexpr bool kCooperative = true;
  static constexpr std::size_t kApart = std::size_t{48} << 10;  // bytes between the tiles
  Span<const float> values;
  Span<float> sums;
  unsigned steps = 0;

  HYSEQ_DEVICE void operator()(const Thread& thread) const {
    const unsigned n = thread.count();
    float sum = 0;
    for (unsigned step = 0; step < steps; ++step) {
      const Shared<float> tile = thread.shared<float>(step % 2 * kApart, n);
      tile[thread.index()] = values[std::size_t{step} * n + thread.index()];
      thread.barrier();
      sum += tile[(thread.index() + 1) % n] + tile[(thread.index() + 2) % n];
    }
    sums[thread.index()] = sum;
  }
};

TEST_F(Device, ReadsOneTileWhileItWritesTheNext) {
  constexpr unsigned kThreads = 128;
  constexpr unsigned kSteps = 5;
  Stream stream;
  std::vector<float> values(std::size_t{kThreads} * kSteps);
  std::iota(values.begin(), values.end(), 1.0F);
  DeviceArray<float> in(values.size());
  in.upload(stream, values);
  DeviceArray<float> out(kThreads);
  launch(stream, {{}, kThreads, DoubleBuffer::kApart + kThreads * sizeof(float)},
         DoubleBuffer{in.span(), out.span(), kSteps});
  std::vector<float> sums(kThreads);
  out.download(stream, sums);
  for (unsigned i = 0; i < kThreads; ++i) {
    float expected = 0;
    for (unsigned step = 0; step < kSteps; ++step) {
      expected += values[step * kThreads + (i + 1) % kThreads] + values[step * kThreads + (i + 2) % kThreads];
    }
    EXPECT_EQ(sums[i], expected);
  }
}

/// Which block and thread an element comes from, in a grid of three dimensions.
struct Places {
  static constexpr bool kCooperative = false;
  Span<unsigned> places;
  HYSEQ_DEVICE void operator()(const Thread& thread) const {
    const Extent block = thread.block();
    const Extent grid = thread.grid();
    const std::size_t at = (std::size_t{block.z} * grid.y + block.y) * grid.x + block.x;
    places[at * thread.count() + thread.index()] = block.z * 1000 + block.y * 100 + block.x * 10 + thread.index();
  }
};

TEST_F(Device, CoversAGridOfThreeDimensions) {
  Stream stream;
  DeviceArray<unsigned> data(std::size_t{2} * 3 * 4 * 5);
  launch(stream, {{4, 3, 2}, 5, 0}, Places{data.span()});
  std::vector<unsigned> places(data.size());
  data.download(stream, places);
  for (unsigned i = 0; i < places.size(); ++i) {
    EXPECT_EQ(places[i], i / 60 * 1000 + i / 20 % 3 * 100 + i / 5 % 4 * 10 + i % 5);
  }
}

struct Increment {
  static constexpr bool kCooperative = false;
  Span<int> data;
  int by = 0;
  HYSEQ_DEVICE void operator()(const Thread& thread) const {
    if (thread.global_index() < data.size()) data[thread.global_index()] += by;
  }
};

TEST_F(Device, RepeatsWhatWasRecorded) {
  Stream stream;
  DeviceArray<int> data(64);
  data.upload(stream, numbers_from(0, 64));
  const Graph graph = stream.capture([&] {
    launch(stream, {blocks(64, 32), 32, 0}, Increment{data.span(), 5});
    launch(stream, {{1, 1, 1}, 64, 64 * sizeof(int)}, Reverse{data.span()});
  });
  EXPECT_FALSE(graph.empty());
  std::vector<int> numbers(64);
  data.download(stream, numbers);
  EXPECT_EQ(numbers, numbers_from(0, 64)) << "recording does nothing";
  for (int i = 0; i < 4; ++i) stream.replay(graph);
  data.download(stream, numbers);
  EXPECT_EQ(numbers, numbers_from(20, 64));
}

TEST_F(Device, RecordsAgainAfterARecordingThatFailed) {
  Stream stream;
  DeviceArray<int> data(32);
  data.upload(stream, numbers_from(0, 32));
  const auto record_and_fail = [&] {
    (void)stream.capture([&] {
      launch(stream, {{}, 32, 0}, Increment{data.span(), 1});
      data.upload(stream, numbers_from(7, 32));
    });
  };
  EXPECT_THROW(record_and_fail(), std::logic_error);
  const Graph nothing = stream.capture([] {});
  EXPECT_TRUE(nothing.empty());
  stream.replay(nothing);
  stream.replay(stream.capture([&] { launch(stream, {{}, 32, 0}, Increment{data.span(), 3}); }));
  std::vector<int> numbers(32);
  data.download(stream, numbers);
  EXPECT_EQ(numbers, numbers_from(3, 32));
}

/// Products with awkward strides against sums in double.
template <class T>
struct ProductCase {
  std::size_t members, rows, columns, inner;
  bool transpose_a, transpose_b, accumulate;
  bool one_b = false;  // all members share it
  Factors factors = Factors::full;

  static double value(std::size_t i, double shift) { return std::sin(static_cast<double>(i) * 1.7 + shift); }
  [[nodiscard]] double factor(T number) const {
    if (factors == Factors::full) return static_cast<double>(number);
    return static_cast<double>(static_cast<float>(numbers::BFloat16(static_cast<float>(number))));
  }

  void run() const {
    Stream stream;
    const std::size_t stride_a = (transpose_a ? rows : inner) + 3;
    const std::size_t stride_b = (transpose_b ? inner : columns) + 1;
    const std::size_t stride_c = columns + 2;
    const std::size_t step_a = (transpose_a ? inner : rows) * stride_a + 5;
    const std::size_t step_b = one_b ? 0 : (transpose_b ? columns : inner) * stride_b;
    const std::size_t step_c = rows * stride_c + 1;
    const auto filled = [](std::size_t size, double shift) {
      std::vector<T> values(size);
      for (std::size_t i = 0; i < size; ++i) values[i] = static_cast<T>(value(i, shift));
      return values;
    };
    const std::vector<T> a = filled(members * step_a, 0.1);
    const std::vector<T> b = filled((one_b ? 1 : members) * (transpose_b ? columns : inner) * stride_b, 0.2);
    const std::vector<T> before = filled(members * step_c, 0.3);
    DeviceArray<T> device_a(a.size());
    DeviceArray<T> device_b(b.size());
    DeviceArray<T> device_c(before.size());
    device_a.upload(stream, a);
    device_b.upload(stream, b);
    device_c.upload(stream, before);
    Product<T> product{members,
                       rows,
                       columns,
                       inner,
                       {device_a.span(), stride_a, step_a},
                       {device_b.span(), stride_b, step_b},
                       {device_c.span(), stride_c, step_c}};
    product.transpose_a = transpose_a;
    product.transpose_b = transpose_b;
    product.accumulate = accumulate;
    product.factors = factors;
    multiply(stream, product);
    std::vector<T> c(before.size());
    device_c.download(stream, c);

    for (std::size_t at = 0; at < c.size(); ++at) {
      const std::size_t m = at / step_c;
      const std::size_t i = at % step_c / stride_c;
      const std::size_t j = at % step_c % stride_c;
      if (i >= rows || j >= columns) {
        EXPECT_EQ(c[at], before[at]) << "between the rows, at " << at;
        continue;
      }
      double sum = accumulate ? static_cast<double>(before[at]) : 0;
      double size = std::abs(sum);
      for (std::size_t k = 0; k < inner; ++k) {
        const double x = factor(a[m * step_a + (transpose_a ? k * stride_a + i : i * stride_a + k)]);
        const double y = factor(b[m * step_b + (transpose_b ? j * stride_b + k : k * stride_b + j)]);
        sum += x * y;
        size += std::abs(x * y);
      }
      // Every order of adding inner + 1 numbers is within this of the sum.
      const double bound =
          static_cast<double>(inner + 1) * static_cast<double>(std::numeric_limits<T>::epsilon()) * size;
      EXPECT_NEAR(static_cast<double>(c[at]), sum, bound) << m << ", " << i << ", " << j;
    }
  }
};

template <class T>
void check_products(Factors factors) {
  for (const bool transpose_a : {false, true}) {
    for (const bool transpose_b : {false, true}) {
      for (const bool accumulate : {false, true}) {
        SCOPED_TRACE(std::string(transpose_a ? "a' " : "a ") + (transpose_b ? "b' " : "b ") +
                     (accumulate ? "+=" : "="));
        ProductCase<T>{3, 5, 7, 11, transpose_a, transpose_b, accumulate, false, factors}.run();
        ProductCase<T>{2, 1, 33, 17, transpose_a, transpose_b, accumulate, true, factors}.run();
        ProductCase<T>{1, 13, 1, 1, transpose_a, transpose_b, accumulate, false, factors}.run();
        ProductCase<T>{2, 3, 4, 0, transpose_a, transpose_b, accumulate, false, factors}.run();
      }
    }
  }
}

TEST_F(Device, MultipliesFloat) { check_products<float>(Factors::full); }
TEST_F(Device, MultipliesDouble) { check_products<double>(Factors::full); }
TEST_F(Device, MultipliesFactorsRoundedToBfloat16) { check_products<float>(Factors::bfloat16); }

TEST_F(Device, RecordsProducts) {
  Stream stream;
  DeviceArray<float> data(3);
  data.upload(stream, std::vector<float>{3, 2, 10});
  const Matrices<const float> a{data.span().from(0, 1), 1, 1};
  const Matrices<const float> b{data.span().from(1, 1), 1, 1};
  Product<float> product{1, 1, 1, 1, a, b, {data.span().from(2, 1), 1, 1}};
  product.accumulate = true;
  for (const Factors factors : {Factors::full, Factors::bfloat16}) {
    product.factors = factors;
    const Graph graph = stream.capture([&] { multiply(stream, product); });
    stream.replay(graph);
    stream.replay(graph);
  }
  std::vector<float> result(1);
  data.download(stream, result, 2);
  EXPECT_EQ(result[0], 10 + 4 * 6);
}

}  // namespace HYSEQ_CUDA_DEVICE
}  // namespace hyseq::kernels::cuda
