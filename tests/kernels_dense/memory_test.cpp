// Memory that attention takes at lengths where a score per pair of positions would be felt.
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "kernels/dense/engine.hpp"
#include "tests/kernels_dense/hybrid.hpp"

namespace hyseq::kernels::dense {
namespace {

/// The most memory that the process has held since reset_peak(), in MiB; 0 where the system does not say.
double peak() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word == "VmHWM:") {
      double kib = 0;
      status >> kib;
      return kib / 1024;
    }
  }
  return 0;
}
void reset_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }

TEST(DenseMemory, GrowsWithTheLengthAndNotWithItsSquare) {
  Sizes sizes;
  sizes.width = 4;
  sizes.heads = 1;
  sizes.states = 1;
  sizes.rows = 1;
  for (const int window : {64, 1 << 30}) {
    sizes.window = window;
    double taken[2] = {};
    for (const std::size_t half : {0U, 1U}) {
      sizes.time = half == 0 ? 4096 : 8192;
      const Hybrid model(sizes);
      const ForwardRequest request = model.request(NumberFormat::float32);
      reset_peak();
      const double before = peak();
      if (before == 0) GTEST_SKIP() << "no peak of memory on this system";
      static_cast<void>(dense_engine().forward(request));
      taken[half] = peak() - before;
    }
    // All scores of 8192 positions are 256 MiB.
    EXPECT_LT(taken[1], 64) << window;
    EXPECT_LT(taken[1], 3 * taken[0] + 4) << window;
  }
}

}  // namespace
}  // namespace hyseq::kernels::dense
