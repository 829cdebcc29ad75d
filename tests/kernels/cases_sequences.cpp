#include <cmath>

#include "tests/kernels/cases.hpp"

namespace hyseq::kernels {
namespace {

ProgramCase conv_case(const BatchShape& shape, std::size_t channels, std::size_t kernel, bool packed, Sink sink) {
  CaseBuilder builder(
      "convolution of " + std::to_string(channels) + " channels, kernel " + std::to_string(kernel) + text({sink}),
      shape.batch, shape.time);
  if (packed) builder.pack();
  CausalConv call;
  call.in = builder.input(channels);
  call.out = builder.output(channels);
  call.weight = builder.parameter({channels, kernel});
  call.bias = builder.parameter({channels});
  call.kernel = static_cast<int>(kernel);
  call.carry = builder.carry(CarryKind::conv_tail, channels, kernel - 1);
  builder.forward(call);
  const View arriving = builder.arriving(call.out);
  builder.backward(CausalConvBackward{call, arriving, builder.leaving(call.in, sink)});
  return std::move(builder.made());
}

ProgramCase scan_case(const BatchShape& shape, std::size_t channels, std::size_t states, bool packed,
                      const std::vector<Sink>& sinks) {
  CaseBuilder builder("scan of " + std::to_string(channels) + " x " + std::to_string(states) + text(sinks), shape.batch,
                      shape.time);
  if (packed) builder.pack();
  SelectiveScan call;
  call.u = builder.input(channels);
  std::vector<double> steps = builder.normals(shape.batch * shape.time * channels, 1);
  for (std::size_t i = 0; i < steps.size(); ++i) steps[i] = i % 5 == 3 ? 0 : std::abs(steps[i]);
  call.step = builder.input(channels, steps);
  call.input = builder.input(states);
  call.output = builder.input(states);
  call.out = builder.output(channels);
  call.log_rate = builder.parameter({channels, states});
  call.skip = builder.parameter({channels});
  call.carry = builder.carry(CarryKind::scan_state, channels, states);
  builder.forward(call);
  const View arriving = builder.arriving(call.out);
  const GradientView u = builder.leaving(call.u, sinks[0]);
  const GradientView step = builder.leaving(call.step, sinks[1]);
  const GradientView input = builder.leaving(call.input, sinks[2]);
  builder.backward(SelectiveScanBackward{call, arriving, u, step, input, builder.leaving(call.output, sinks[3])});
  builder.made().small = shape.time * channels * states < 400;
  return std::move(builder.made());
}

struct AttentionSize {
  std::size_t heads;
  std::size_t head_width;
  BatchShape shape;
  std::size_t window;
};

ProgramCase attention_case(const AttentionSize& size, double rate, bool packed, const std::vector<Sink>& sinks) {
  CaseBuilder builder("attention of " + std::to_string(size.heads) + " x " + std::to_string(size.head_width) +
                          ", window " + std::to_string(size.window) + ", dropout " + std::to_string(rate) + text(sinks),
                      size.shape.batch, size.shape.time);
  if (packed) builder.pack();
  const std::size_t width = size.heads * size.head_width;
  WindowAttention call;
  call.q = builder.input(width);
  call.k = builder.input(width);
  call.v = builder.input(width);
  call.out = builder.output(width);
  call.heads = static_cast<int>(size.heads);
  call.window = static_cast<int>(size.window);
  call.carry = builder.carry(CarryKind::attention, width, size.window);
  call.dropout = {DropoutPlace::probabilities, 2, rate};
  builder.forward(call);
  const View arriving = builder.arriving(call.out);
  const GradientView q = builder.leaving(call.q, sinks[0]);
  const GradientView k = builder.leaving(call.k, sinks[1]);
  builder.backward(WindowAttentionBackward{call, arriving, q, k, builder.leaving(call.v, sinks[2])});
  builder.made().small = size.shape.batch * size.shape.time * width < 300;
  return std::move(builder.made());
}

std::vector<ProgramCase> attention_cases(double rate) {
  constexpr AttentionSize sizes[] = {{1, 1, {1, 1}, 1},   {1, 3, {2, 5}, 1},   {2, 1, {1, 7}, 2},     {3, 5, {2, 9}, 3},
                                     {1, 4, {1, 11}, 11}, {2, 2, {2, 11}, 10}, {2, 3, {1, 13}, 1000}, {5, 1, {3, 2}, 3},
                                     {1, 8, {1, 37}, 20}, {4, 6, {1, 67}, 17}, {2, 5, {2, 101}, 100}};
  std::vector<ProgramCase> cases;
  for (const AttentionSize& size : sizes) {
    for (const bool packed : {false, true}) {
      if (!packed || size.shape.time > 1) {
        for (const auto& sinks : sink_choices(3)) cases.push_back(attention_case(size, rate, packed, sinks));
      }
    }
  }
  return cases;
}

}  // namespace

std::vector<ProgramCase> conv_cases() {
  std::vector<ProgramCase> cases;
  for (std::size_t kernel = 1; kernel <= 5; ++kernel) {
    for (const std::size_t channels : {1U, 3U, 11U}) {
      for (const BatchShape& shape : kShapes) {
        for (const auto& sinks : sink_choices(1)) {
          cases.push_back(conv_case(shape, channels, kernel, false, sinks[0]));
          if (shape.time > 1) cases.push_back(conv_case(shape, channels, kernel, true, sinks[0]));
        }
      }
    }
  }
  for (const bool packed : {false, true}) cases.push_back(conv_case({2, 29}, 2, 4, packed, Sink::accumulate));
  return cases;
}

std::vector<ProgramCase> scan_cases() {
  std::vector<ProgramCase> cases;
  const std::vector<Sink> overwrite(4, Sink::overwrite);
  // Lengths on both sides of any chunk.
  for (std::size_t time = 1; time <= 33; ++time) {
    cases.push_back(scan_case({1, time}, 2, 3, false, overwrite));
    cases.push_back(scan_case({1, time}, 1, 4, true, overwrite));
  }
  for (const std::size_t channels : {1U, 3U, 5U}) {
    for (const std::size_t states : {1U, 2U, 5U, 16U}) {
      for (const BatchShape& shape : {BatchShape{1, 1}, {2, 2}, {3, 4}}) {
        for (const auto& sinks : sink_choices(4)) cases.push_back(scan_case(shape, channels, states, false, sinks));
      }
      cases.push_back(scan_case({2, 9}, channels, states, true, overwrite));
    }
  }
  for (const auto& [channels, states] : {std::array<std::size_t, 2>{16, 16}, {67, 1}, {7, 17}}) {
    cases.push_back(scan_case({2, 41}, channels, states, false, overwrite));
    cases.push_back(scan_case({1, 100}, channels, states, true, overwrite));
  }
  return cases;
}

std::vector<ProgramCase> attention_cases() { return attention_cases(0); }
std::vector<ProgramCase> dropped_attention_cases() { return attention_cases(0.3); }

}  // namespace hyseq::kernels
