// The row-wise operations for several members at once: each member gets what the reference engine gives it alone, and
// nothing that it gets depends on its neighbours.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "tests/kernels_cuda/trial.hpp"

namespace hyseq::kernels::cuda {
namespace {

/// Writes a trial of one operation. Views lie inside wider buffers: at columns where whole groups of four can be read
/// at once, or at odd ones.
class Writer {
 public:
  Writer(std::size_t batch, std::size_t time, int offset) : offset_(offset) {
    trial_.batch = batch;
    trial_.time = time;
    trial_.step = 7;
    trial_.program.vocabulary = 6;
    trial_.valid_below = 6;
  }

  View buffer(int width) { return place(trial_.program.buffers, width); }
  View gradient(int width) { return place(trial_.program.gradients, width); }
  GradientView sink(int width, GradientMode mode) { return {gradient(width), mode}; }
  ParameterId parameter(std::vector<std::size_t> shape) {
    trial_.program.parameters.push_back({"p", std::move(shape)});
    return static_cast<ParameterId>(trial_.program.parameters.size()) - 1;
  }
  template <class Call, class Backward>
  Trial made(const Call& call, const Backward& backward, std::size_t members = 3) {
    trial_.program.forward = {call};
    trial_.program.backward = {backward};
    add_members(trial_, members);
    return trial_;
  }

 private:
  View place(std::vector<BufferInfo>& infos, int width) const {
    infos.push_back({"b", offset_ + width + 1});
    return {static_cast<int>(infos.size()) - 1, offset_, width};
  }

  Trial trial_;
  int offset_;
};

constexpr int kOffsets[] = {0, 3, 4};
constexpr GradientMode kModes[] = {GradientMode::overwrite, GradientMode::accumulate};

double largest(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double distance = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = std::abs(a[i] - b[i]);
    if (!(d <= distance)) distance = d;  // NaN stays
  }
  return distance;
}

/// Off from the values in double by at most eight times what plain float is off, and by a few units where that is
/// exact.
void expect_near(const std::vector<double>& exact, const std::vector<double>& plain, const std::vector<double>& found,
                 const std::string& what) {
  ASSERT_EQ(exact.size(), found.size()) << what;
  const double allowed = 8 * distance(exact, plain) + 4 * 0x1p-24 * largest(exact);
  EXPECT_LE(distance(exact, found), allowed) << what;
}

/// In double the reference is off as well.
void expect_near(const std::vector<double>& exact, const std::vector<double>& found, const std::string& what) {
  ASSERT_EQ(exact.size(), found.size()) << what;
  EXPECT_LE(distance(exact, found), 1e-13 * std::max(1.0, largest(exact))) << what;
}

void expect_agreement(const Trial& trial, const std::string& what) {
  const std::vector<MemberResult> in_float = run<float>(trial);
  const std::vector<MemberResult> in_double = run<double>(trial);
  for (std::size_t m = 0; m < trial.members.size(); ++m) {
    const MemberResult exact = reference_result(trial, m, NumberFormat::float64);
    const MemberResult plain = reference_result(trial, m, NumberFormat::float32);
    const std::string of = what + ", member " + std::to_string(m) + ", ";
    const auto compare = [&](auto values, const char* name) {
      for (std::size_t i = 0; i < (exact.*values).size(); ++i) {
        const std::string which = of + name + " " + std::to_string(i);
        expect_near((exact.*values)[i], (plain.*values)[i], (in_float[m].*values)[i], which + " in float");
        expect_near((exact.*values)[i], (in_double[m].*values)[i], which + " in double");
      }
    };
    compare(&MemberResult::buffers, "buffer");
    compare(&MemberResult::gradients, "gradient");
    compare(&MemberResult::parameter_gradients, "parameter gradient");
  }
}

std::string text(int width, int offset, GradientMode mode) {
  return "width " + std::to_string(width) + " at column " + std::to_string(offset) +
         (mode == GradientMode::accumulate ? ", accumulates" : "");
}

struct Size {
  int width;
  std::size_t batch;
  std::size_t time;
};
/// A few threads a row, a warp, a block; rows of a member in one slab of a sum and in several.
constexpr Size kSizes[] = {{1, 2, 5}, {6, 2, 97}, {40, 1, 64}, {133, 2, 40}, {1100, 1, 3}, {4200, 1, 2}};

/// make(writer, width, mode) for all sizes, places and modes.
template <class Make>
void for_all(const Make& make) {
  for (const Size& size : kSizes) {
    for (const int offset : kOffsets) {
      for (const GradientMode mode : kModes) {
        Writer writer(size.batch, size.time, offset);
        expect_agreement(make(writer, size.width, mode), text(size.width, offset, mode));
      }
    }
  }
}

Trial layer_norm(Writer& writer, int width, GradientMode mode, std::size_t members = 3) {
  const auto columns = static_cast<std::size_t>(width);
  const LayerNorm call{writer.buffer(width), writer.buffer(width), writer.parameter({columns}),
                       writer.parameter({columns})};
  return writer.made(call, LayerNormBackward{call, writer.gradient(width), writer.sink(width, mode)}, members);
}

TEST(CudaMembers, LayerNorm) {
  for_all([](Writer& writer, int width, GradientMode mode) { return layer_norm(writer, width, mode); });
}

TEST(CudaMembers, RmsNorm) {
  for_all([](Writer& writer, int width, GradientMode mode) {
    const RmsNorm call{writer.buffer(width), writer.buffer(width), writer.parameter({static_cast<std::size_t>(width)})};
    return writer.made(call, RmsNormBackward{call, writer.gradient(width), writer.sink(width, mode)});
  });
}

TEST(CudaMembers, Linear) {
  for (const Size& size : {Size{5, 2, 5}, {40, 2, 70}, {133, 1, 64}}) {
    for (const bool bias : {false, true}) {
      for (const GradientMode mode : kModes) {
        Writer writer(size.batch, size.time, 3);
        const int outputs = size.width + 2;
        const Linear call{writer.buffer(size.width), writer.buffer(outputs),
                          writer.parameter({static_cast<std::size_t>(outputs), static_cast<std::size_t>(size.width)}),
                          bias ? writer.parameter({static_cast<std::size_t>(outputs)}) : kNoParameter};
        const LinearBackward backward{call, writer.gradient(outputs), writer.sink(size.width, mode)};
        expect_agreement(writer.made(call, backward), text(size.width, 3, mode));
      }
    }
  }
}

TEST(CudaMembers, Activations) {
  for (const Activation activation : {Activation::identity, Activation::silu, Activation::gelu, Activation::softplus}) {
    for_all([&](Writer& writer, int width, GradientMode mode) {
      const Activate call{writer.buffer(width), writer.buffer(width), activation};
      return writer.made(call, ActivateBackward{call, writer.gradient(width), writer.sink(width, mode)});
    });
  }
}

TEST(CudaMembers, SumsAndGates) {
  for_all([](Writer& writer, int width, GradientMode mode) {
    const Add call{writer.buffer(width), writer.buffer(width), writer.buffer(width)};
    return writer.made(call,
                       AddBackward{call, writer.gradient(width), writer.sink(width, mode), writer.sink(width, mode)});
  });
  for_all([](Writer& writer, int width, GradientMode mode) {
    const Multiply call{writer.buffer(width), writer.buffer(width), writer.buffer(width)};
    return writer.made(
        call, MultiplyBackward{call, writer.gradient(width), writer.sink(width, mode), writer.sink(width, mode)});
  });
}

TEST(CudaMembers, PositionCodeAndEmbedding) {
  for (const Size& size : {Size{1, 2, 5}, {6, 2, 97}, {40, 1, 64}, {133, 1, 65}}) {
    for (const int offset : kOffsets) {
      Writer writer(size.batch, size.time, offset);
      const Embedding call{writer.parameter({6, static_cast<std::size_t>(size.width)}), writer.buffer(size.width)};
      Trial trial = writer.made(call, EmbeddingBackward{call, writer.gradient(size.width)});
      trial.program.forward.emplace_back(PositionCode{call.out.columns(0, std::min(size.width, 7)), 2});
      // One member sees a token everywhere, another one nothing but the first and the last.
      std::ranges::fill(trial.members[1].tokens, 3);
      for (std::int32_t& token : trial.members[2].tokens) token = token < 3 ? 0 : 5;
      expect_agreement(trial, text(size.width, offset, GradientMode::accumulate));
    }
  }
}

// Every element is the number times the factor that its words give, whatever the engine.
TEST(CudaMembers, DropoutDropsTheSameBits) {
  for (const Size& size : kSizes) {
    for (const int offset : kOffsets) {
      Writer writer(size.batch, size.time, offset);
      const Dropout call{writer.buffer(size.width), writer.buffer(size.width), {DropoutPlace::attention, 5, 0.3}};
      const DropoutBackward backward{call, writer.gradient(size.width),
                                     writer.sink(size.width, GradientMode::overwrite)};
      const Trial trial = writer.made(call, backward);
      const std::vector<MemberResult> found = run<float>(trial);
      for (std::size_t m = 0; m < trial.members.size(); ++m) {
        const MemberResult expected = reference_result(trial, m, NumberFormat::float32);
        EXPECT_EQ(found[m].buffers, expected.buffers);
        EXPECT_EQ(found[m].gradients, expected.gradients);
      }
      EXPECT_NE(found[0].buffers[1], found[1].buffers[1]);
    }
  }
}

// A member's numbers are the same bits alone, in any cohort and at any place, and no neighbour's NaN reaches them.
TEST(CudaMembers, NeighboursDoNotMatter) {
  for (const Size& size : {Size{6, 2, 97}, {133, 2, 40}, {1100, 1, 3}}) {
    Writer writer(size.batch, size.time, 4);
    const Trial trial = layer_norm(writer, size.width, GradientMode::overwrite, 2);
    const std::vector<MemberResult> together = run<float>(trial);
    Trial other = trial;
    other.members = {trial.members[1], trial.members[0], trial.members[0], trial.members[1], trial.members[0]};
    for (const std::size_t m : {1U, 2U}) {
      for (auto* arrays : {&other.members[m].buffers, &other.members[m].gradients, &other.members[m].parameters}) {
        for (auto& array : *arrays) std::ranges::fill(array, std::numeric_limits<double>::quiet_NaN());
      }
    }
    const std::vector<MemberResult> found = run<float>(other);
    for (const auto& [m, original] : {std::pair{0U, 1U}, {3U, 1U}, {4U, 0U}}) {
      EXPECT_EQ(found[m].buffers, together[original].buffers);
      EXPECT_EQ(found[m].gradients, together[original].gradients);
      EXPECT_EQ(found[m].parameter_gradients, together[original].parameter_gradients);
    }
  }
}

}  // namespace
}  // namespace hyseq::kernels::cuda
