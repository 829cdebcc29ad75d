// The window counts the position itself: row t sees min(t + 1, W) keys, not one more.
#include <algorithm>

#include <gtest/gtest.h>

#include "models/initialise.hpp"
#include "tests/models/golden.hpp"

namespace hyseq::models {
namespace {

constexpr int kLength = 23;

struct OneAttention {
  Architecture architecture;
  kernels::Program program;
  kernels::ParameterValues parameters;
  std::vector<std::int32_t> tokens;

  explicit OneAttention(int window) {
    architecture.width = 12;
    architecture.vocabulary = 7;
    TransformerBlock block;
    block.heads = 3;
    block.window = window;
    block.rotary_width = 2;
    architecture.layers = {block};
    program = lower(architecture);
    parameters = initialise(program, 11);
    for (std::size_t p = 0; p < parameters.size(); ++p) {
      if (program.parameters[p].initialiser != kernels::Initialiser::normal) continue;
      // Larger weights, so that every key moves every output by more than a rounding of the short formats.
      for (double& value : parameters[p]) value *= 15;
    }
    for (int t = 0; t < kLength; ++t) tokens.push_back(t * t % architecture.vocabulary);
  }

  [[nodiscard]] kernels::ForwardResult run(NumberFormat format, bool trace = false) const {
    kernels::ForwardRequest request;
    request.program = &program;
    request.parameters = &parameters;
    request.format = format;
    request.time = tokens.size();
    request.tokens = tokens;
    request.trace = trace;
    return kernels::reference_engine().forward(request);
  }
};

TEST(Window, VisibleKeysAreTheSmallerOfPositionAndWindow) {
  for (const int window : {1, 2, 7, kLength - 1, kLength, kLength + 1, 1 << 30}) {
    const OneAttention model(window);
    const auto result = model.run(NumberFormat::float64, true);
    const Array<double>& probabilities = result.trace.at("layers.0.tf.probabilities");
    const std::size_t distances = static_cast<std::size_t>(std::min(window, kLength));
    ASSERT_EQ(probabilities.shape, (std::vector<std::size_t>{1, kLength, 3, distances}));
    for (std::size_t row = 0; row < std::size_t{kLength} * 3; ++row) {
      const std::size_t position = row / 3;
      std::size_t visible = 0;
      double sum = 0;
      for (std::size_t distance = 0; distance < distances; ++distance) {
        const double p = probabilities.values[row * distances + distance];
        if (p > 0) ++visible;
        sum += p;
      }
      EXPECT_EQ(visible, std::min(position + 1, distances)) << "window " << window << " position " << position;
      EXPECT_NEAR(sum, 1, 1e-14);
    }
  }
}

TEST(Window, TheEdgeTokenMattersAndTheOneBeforeItDoesNot) {
  for (const NumberFormat format : kFormats) {
    for (const int window : {1, 2, 7, kLength - 1, kLength}) {
      const OneAttention model(window);
      const auto before = model.run(format);
      for (int edited = 0; edited < kLength; ++edited) {
        OneAttention other(window);
        auto& token = other.tokens[static_cast<std::size_t>(edited)];
        token = (token + 1) % other.architecture.vocabulary;
        const auto after = other.run(format);
        for (int t = 0; t < kLength; ++t) {
          const auto row = static_cast<std::size_t>(t);
          const bool differs =
              first_difference(slice(before.logits, 0, row, row + 1), slice(after.logits, 0, row, row + 1)) != -1;
          const bool inside = edited <= t && t - edited < window;
          if (!inside) {
            EXPECT_FALSE(differs) << "window " << window << ": token " << edited << " reaches position " << t;
          } else if (t == edited || t - edited == window - 1) {
            EXPECT_TRUE(differs) << "window " << window << ": token " << edited << " is lost at position " << t;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace hyseq::models
