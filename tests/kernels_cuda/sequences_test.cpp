// Operations whose rows see earlier ones, beyond what the engine suite tries: several members at once, lengths and
// widths across the edges of chunks, pieces and tiles, segments longer than a tile.
#include <cmath>

#include <gtest/gtest.h>

#include "kernels/causal_conv/cuda.hpp"
#include "kernels/rotary/cuda.hpp"
#include "kernels/selective_scan/cuda_backward.hpp"
#include "kernels/window_attention/cuda_backward.hpp"
#include "tests/kernels_cuda/members.hpp"

namespace hyseq::kernels::cuda {
namespace {

enum class Packing { none, short_segments, long_segments };

/// A case whose numbers differ from member to member.
CaseBuilder builder_for(std::size_t member, const std::string& name, std::size_t batch, std::size_t time,
                        Packing packing) {
  CaseBuilder builder(name, batch, time);
  for (std::size_t m = 0; m < member; ++m) (void)builder.normals(1, 1);
  builder.made().small = false;  // what complex steps give, the engine suite has
  if (packing == Packing::short_segments) builder.pack();
  if (packing == Packing::long_segments) {
    builder.made().name += ", long segments";
    for (std::size_t row = 0; row < batch * time; ++row) {
      const std::size_t t = row % time + 11 * (row / time);
      builder.made().segments.push_back(t < 40 ? 1 : t < 170 ? 2 : t < 173 ? 3 : 4);
    }
  }
  return builder;
}

struct ScanSize {
  std::size_t members;
  std::size_t channels;
  std::size_t states;
  std::size_t batch;
  std::size_t time;
  Packing packing = Packing::none;
  double step = 0.2;
};

ProgramCase scan_case(const ScanSize& size, std::size_t member) {
  CaseBuilder builder =
      builder_for(member, "scan of " + std::to_string(size.channels) + " x " + std::to_string(size.states), size.batch,
                  size.time, size.packing);
  SelectiveScan call;
  call.u = builder.input(size.channels);
  std::vector<double> steps = builder.normals(size.batch * size.time * size.channels, size.step);
  for (double& step : steps) step = std::abs(step);
  call.step = builder.input(size.channels, steps);
  call.input = builder.input(size.states);
  call.output = builder.input(size.states);
  call.out = builder.output(size.channels);
  call.log_rate = builder.parameter({size.channels, size.states});
  call.skip = builder.parameter({size.channels});
  call.carry = builder.carry(CarryKind::scan_state, size.channels, size.states);
  builder.forward(call);
  const View arriving = builder.arriving(call.out);
  const GradientView u = builder.leaving(call.u, Sink::overwrite);
  const GradientView step = builder.leaving(call.step, Sink::accumulate);
  const GradientView input = builder.leaving(call.input, Sink::overwrite);
  builder.backward(
      SelectiveScanBackward{call, arriving, u, step, input, builder.leaving(call.output, Sink::accumulate)});
  return std::move(builder.made());
}

template <class T>
void expect_scan(const ScanSize& size) {
  EXPECT_EQ((check_members<T, SelectiveScan, SelectiveScanBackward>(size.members,
                                                                    [&](std::size_t m) { return scan_case(size, m); })),
            "");
}

TEST(CudaScan, ChunksUnitsAndPassesOfStates) {
  for (const ScanSize& size : {ScanSize{3, 5, 4, 3, 17},
                               {2, 24, 5, 3, 16},
                               {2, 33, 1, 2, 15},
                               {1, 40, 16, 1, 33},
                               {2, 9, 17, 2, 18},
                               {1, 6, 41, 2, 32},
                               {3, 16, 3, 5, 31, Packing::short_segments},
                               {2, 64, 8, 1, 20, Packing::short_segments}}) {
    expect_scan<double>(size);
    expect_scan<float>(size);
  }
}

TEST(CudaScan, PiecesOfLongSequences) {
  // Steps so short that a piece hands on most of what it got.
  for (const std::size_t time : {256U, 257U, 512U, 530U}) {
    expect_scan<double>({2, 3, 5, 2, time, Packing::none, 0.002});
    expect_scan<float>({1, 3, 5, 2, time, Packing::long_segments, 0.002});
  }
}

struct ConvSize {
  std::size_t channels;
  std::size_t kernel;
  std::size_t batch;
  std::size_t time;
  Packing packing = Packing::none;
};

ProgramCase conv_case(const ConvSize& size, std::size_t member) {
  CaseBuilder builder =
      builder_for(member, "convolution of " + std::to_string(size.channels) + ", kernel " + std::to_string(size.kernel),
                  size.batch, size.time, size.packing);
  CausalConv call;
  call.in = builder.input(size.channels);
  call.out = builder.output(size.channels);
  call.weight = builder.parameter({size.channels, size.kernel});
  call.bias = builder.parameter({size.channels});
  call.kernel = static_cast<int>(size.kernel);
  call.carry = builder.carry(CarryKind::conv_tail, size.channels, size.kernel - 1);
  builder.forward(call);
  const View arriving = builder.arriving(call.out);
  builder.backward(CausalConvBackward{call, arriving, builder.leaving(call.in, Sink::accumulate)});
  return std::move(builder.made());
}

TEST(CudaConvolution, TilesSlabsAndAnyKernel) {
  for (const ConvSize& size : {ConvSize{5, 1, 2, 7},
                               {3, 4, 3, 8},
                               {17, 4, 2, 9},
                               {2, 9, 2, 130},
                               {3, 6, 3, 200, Packing::long_segments},
                               {130, 4, 2, 17, Packing::short_segments}}) {
    const auto make = [&](std::size_t m) { return conv_case(size, m); };
    EXPECT_EQ((check_members<double, CausalConv, CausalConvBackward>(3, make)), "");
    EXPECT_EQ((check_members<float, CausalConv, CausalConvBackward>(2, make)), "");
  }
}

TEST(CudaRotary, MoreFrequenciesThanAKernelTakesAndHeadsInPart) {
  for (const int width : {2, 10, 130}) {
    const auto make = [&](std::size_t member) {
      CaseBuilder builder = builder_for(member, "rotary of " + std::to_string(width), 2, 45, Packing::long_segments);
      const View data = builder.input(std::size_t{3} * 131);
      const Rotary call{data, 3, width, rotary_turns(width, 10000, width)};
      builder.forward(call);
      builder.backward(RotaryBackward{call, builder.arriving(data)});
      return std::move(builder.made());
    };
    EXPECT_EQ((check_members<double, Rotary, RotaryBackward>(2, make)), "");
    EXPECT_EQ((check_members<float, Rotary, RotaryBackward>(1, make)), "");
  }
}

struct AttentionSize {
  std::size_t heads;
  std::size_t head_width;
  std::size_t window;
  std::size_t batch;
  std::size_t time;
  double rate = 0;
  Packing packing = Packing::none;
};

ProgramCase attention_case(const AttentionSize& size, std::size_t member) {
  CaseBuilder builder =
      builder_for(member,
                  "attention of " + std::to_string(size.heads) + " x " + std::to_string(size.head_width) + ", window " +
                      std::to_string(size.window) + ", dropout " + std::to_string(size.rate),
                  size.batch, size.time, size.packing);
  const std::size_t width = size.heads * size.head_width;
  WindowAttention call;
  call.q = builder.input(width);
  call.k = builder.input(width);
  call.v = builder.input(width);
  call.out = builder.output(width);
  call.heads = static_cast<int>(size.heads);
  call.window = static_cast<int>(size.window);
  call.carry = builder.carry(CarryKind::attention, width, size.window);
  call.dropout = {DropoutPlace::probabilities, 2, size.rate};
  builder.forward(call);
  const View arriving = builder.arriving(call.out);
  const GradientView q = builder.leaving(call.q, Sink::overwrite);
  const GradientView k = builder.leaving(call.k, Sink::accumulate);
  builder.backward(WindowAttentionBackward{call, arriving, q, k, builder.leaving(call.v, Sink::overwrite)});
  return std::move(builder.made());
}

template <class T>
void expect_attention(const AttentionSize& size, std::size_t members) {
  EXPECT_EQ((check_members<T, WindowAttention, WindowAttentionBackward>(
                members, [&](std::size_t m) { return attention_case(size, m); })),
            "");
}

TEST(CudaAttention, TilesAndWindows) {
  for (const AttentionSize& size : {AttentionSize{2, 5, 7, 2, 31},
                                    {1, 8, 32, 1, 32},
                                    {2, 3, 33, 2, 33},
                                    {1, 12, 1000, 2, 65},
                                    {1, 4, 20, 1, 100},
                                    {3, 2, 1, 1, 40},
                                    {2, 20, 40, 1, 70, 0, Packing::short_segments},
                                    {1, 9, 64, 2, 200, 0, Packing::long_segments}}) {
    expect_attention<double>(size, 2);
    expect_attention<float>(size, 1);
  }
}

// Where the largest score is rounded by thousands, a maximum must still be one in all kernels.
TEST(CudaAttention, IsFiniteForHugeScores) {
  ProgramCase values = attention_case({1, 40, 30, 1, 70, 0.2}, 0);
  for (std::size_t input = 0; input < 2; ++input) {
    for (double& value : values.buffers[input]) value *= 3e5;
  }
  const auto results = run_members<float, WindowAttention, WindowAttentionBackward>({values.rounded(kFormat<float>)});
  const auto finite = [](const View& view, const std::vector<BufferInfo>& infos,
                         const std::vector<std::vector<double>>& arrays) {
    const auto buffer = static_cast<std::size_t>(view.buffer);
    for (std::size_t i = 0; i < arrays[buffer].size(); ++i) {
      const auto column = static_cast<int>(i % static_cast<std::size_t>(infos[buffer].width));
      if (column < view.offset || column >= view.offset + view.width) continue;
      if (!std::isfinite(arrays[buffer][i])) return false;
    }
    return true;
  };
  EXPECT_TRUE(finite(values.outputs[0].forward, values.program.buffers, results[0].buffers));
  ASSERT_EQ(values.inputs.size(), 3U);
  for (const ProgramCase::Input& input : values.inputs) {
    EXPECT_TRUE(finite(input.gradient.view, values.program.gradients, results[0].gradients));
  }
}

TEST(CudaAttention, WidthsOfHeads) {
  for (const std::size_t width : {1U, 16U, 33U, 64U, 65U, 128U, 130U, 257U}) {
    expect_attention<double>({1, width, 30, 1, 37}, 1);
    expect_attention<float>({1, width, 50, 1, 67}, 1);
  }
}

TEST(CudaAttention, DropsWhatOtherEnginesDrop) {
  for (const AttentionSize& size : {AttentionSize{2, 5, 45, 2, 50, 0.5},
                                    {1, 40, 100, 1, 70, 0.2},
                                    {1, 140, 20, 1, 35, 0.3},
                                    {2, 6, 50, 2, 90, 0.4, Packing::long_segments}}) {
    expect_attention<double>(size, 2);
    expect_attention<float>(size, 1);
  }
}

}  // namespace
}  // namespace hyseq::kernels::cuda
