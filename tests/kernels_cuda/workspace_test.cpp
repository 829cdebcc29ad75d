// Scratch memory: taken in turns, never moved, the same for the same calls.
#include "kernels/cuda/workspace.hpp"

#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

namespace hyseq::kernels::cuda {
namespace {

TEST(CudaWorkspace, HandsOutWhatASecondScopeDoesNotGetAsWell) {
  Workspace workspace;
  const Workspace::Scope outer(workspace);
  const Span<double> first = workspace.take<double>(3);
  const Span<float> second = workspace.take<float>(5);
  EXPECT_EQ(first.size(), 3U);
  EXPECT_GE(reinterpret_cast<const char*>(second.data()), reinterpret_cast<const char*>(first.data() + 3));
  const float* place = nullptr;
  {
    const Workspace::Scope inner(workspace);
    place = workspace.take<float>(7).data();
    EXPECT_GE(place, second.data() + 5);
  }
  EXPECT_EQ(workspace.take<float>(1).data(), place);
}

TEST(CudaWorkspace, GrowsWithoutMovingAndGivesTheSameMemoryTheSecondTime) {
  Workspace workspace;
  const auto calls = [&] {
    std::vector<const void*> places;
    for (const std::size_t size : {10U, 300000U, 20U, 900000U, 5U}) {
      const Workspace::Scope scope(workspace);
      places.push_back(workspace.take<float>(size).data());
      places.push_back(workspace.take<double>(size / 2).data());
    }
    return places;
  };
  const auto first = calls();
  const std::size_t held = workspace.bytes();
  EXPECT_GE(held, 900000 * (sizeof(float) + sizeof(double) / 2));
  EXPECT_EQ(calls(), first);
  EXPECT_EQ(workspace.bytes(), held);
}

#if !defined(__CUDACC__)
TEST(CudaWorkspace, ForgetsWhatTheCallBeforeWrote) {
  Workspace workspace;
  for (int turn = 0; turn < 2; ++turn) {
    const Workspace::Scope scope(workspace);
    const Span<float> numbers = workspace.take<float>(9);
    for (std::size_t i = 0; i < 9; ++i) {
      EXPECT_TRUE(std::isnan(numbers[i]));
      numbers[i] = 1;
    }
  }
}
#endif

}  // namespace
}  // namespace hyseq::kernels::cuda
