// What a step draws is the same bits on every engine.
#include <gtest/gtest.h>

#include "kernels/dropout/reference.hpp"
#include "tests/models/golden.hpp"
#include "tests/models/small_models.hpp"

namespace hyseq::models {
namespace {

/// Embedded tokens, the same behind a dropout, and the dropout of a gradient.
struct Masks {
  static constexpr int kWidth = 13;
  kernels::Program program;
  kernels::ParameterValues parameters;
  SmallData data = small_data(9, 4, 11);
  std::vector<std::vector<double>> buffers;
  std::vector<std::vector<double>> gradients;

  explicit Masks(const kernels::DropoutSite& site) {
    program.vocabulary = 9;
    program.parameters = {{"table", {9, kWidth}}};
    program.buffers = {{"in", kWidth}, {"out", kWidth}};
    program.gradients = {{"out", kWidth}, {"in", kWidth}};
    const kernels::Dropout call{{0, 0, kWidth}, {1, 0, kWidth}, site};
    program.forward = {kernels::Embedding{0, {0, 0, kWidth}}, call};
    program.backward = {
        kernels::DropoutBackward{call, {0, 0, kWidth}, {{1, 0, kWidth}, kernels::GradientMode::overwrite}}};
    parameters = {std::vector<double>(std::size_t{9} * kWidth, 3.0)};
    buffers.assign(2, std::vector<double>(data.tokens.size() * kWidth, 0.0));
    gradients = buffers;
    gradients[0].assign(gradients[0].size(), 5.0);
  }

  [[nodiscard]] kernels::ExecuteResult run(const kernels::Engine& engine, NumberFormat format,
                                           const kernels::DropoutKey& key) const {
    kernels::ExecuteRequest request;
    request.program = &program;
    request.parameters = &parameters;
    request.format = format;
    request.batch = data.batch;
    request.time = data.time;
    request.tokens = data.tokens;
    request.dropout = key;
    request.buffers = &buffers;
    request.gradients = &gradients;
    request.backward = true;
    return engine.execute(request);
  }
};

TEST(RandomNumbers, MasksAreTheSameBitsOnEveryEngine) {
  const kernels::DropoutKey keys[] = {{0, 0}, {7, 1}, {~std::uint64_t{0}, 4000}, {0x123456789abcdef, 0xffffffff}};
  for (const NumberFormat format : {NumberFormat::float32, NumberFormat::float64}) {
    for (const kernels::DropoutSite& site : {kernels::DropoutSite{kernels::DropoutPlace::embedding, 0, 0.1},
                                             kernels::DropoutSite{kernels::DropoutPlace::mlp, 1023, 0.5},
                                             kernels::DropoutSite{kernels::DropoutPlace::attention, 5, 0.9}}) {
      const Masks masks(site);
      for (const kernels::DropoutKey& key : keys) {
        const auto expected = masks.run(kernels::reference_engine(), format, key);
        std::size_t dropped = 0;
        for (std::size_t i = 0; i < expected.buffers[1].size(); ++i) {
          const std::size_t row = i / Masks::kWidth;
          const double factor =
              kernels::dropout_factor(site, key, row / masks.data.time, row % masks.data.time, i % Masks::kWidth);
          EXPECT_EQ(expected.buffers[1][i] == 0, factor == 0);
          dropped += factor == 0 ? 1 : 0;
        }
        EXPECT_NEAR(static_cast<double>(dropped) / static_cast<double>(expected.buffers[1].size()), site.rate, 0.1);
        for (const kernels::Engine* engine : engines_with(format)) {
          const auto found = masks.run(*engine, format, key);
          EXPECT_EQ(first_difference(found.buffers[0], expected.buffers[0]), -1) << engine->name();
          EXPECT_EQ(first_difference(found.buffers[1], expected.buffers[1]), -1) << engine->name();
          EXPECT_EQ(first_difference(found.gradients[1], expected.gradients[1]), -1) << engine->name();
        }
      }
      EXPECT_NE(first_difference(masks.run(kernels::reference_engine(), format, keys[0]).buffers[1],
                                 masks.run(kernels::reference_engine(), format, keys[1]).buffers[1]),
                -1);
    }
  }
}

}  // namespace
}  // namespace hyseq::models
