#include "models/cost.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "kernels/base/error.hpp"
#include "models/lowering.hpp"

namespace hyseq::models {
namespace {

Architecture architecture(const std::string& layers, int width, int vocabulary, int heads = 1, int window = 1 << 30,
                          int states = 16) {
  Architecture result;
  result.width = width;
  result.vocabulary = vocabulary;
  TransformerBlock transformer;
  transformer.heads = heads;
  transformer.window = window;
  transformer.rotary_width = rotary_width(0.25, width / heads);
  SsmBlock ssm;
  ssm.state_size = states;
  result.layers = parse_layers(layers, transformer, ssm);
  return result;
}

TEST(Cost, PublishedParameterCountsAreMetExactly) {
  struct Published {
    const char* layers;
    int vocabulary;
    int width;
    std::uint64_t parameters;
  };
  // The table of published counts: two-layer models of 11 and 34 tokens.
  constexpr Published table[] = {
      {"TF,TF", 11, 4, 396},     {"TF,TF", 11, 8, 1304},     {"TF,TF", 11, 12, 2724},   {"TF,TF", 11, 20, 7100},
      {"SSM,TF", 11, 4, 780},    {"SSM,TF", 11, 12, 3684},   {"SSM,TF", 11, 16, 5808},  {"SSM,TF", 11, 24, 11496},
      {"TF,SSM", 11, 8, 2008},   {"TF,SSM", 11, 20, 8460},   {"SSM,SSM", 11, 4, 1164},  {"SSM,SSM", 11, 12, 4644},
      {"SSM,SSM", 11, 20, 9820}, {"SSM,SSM", 11, 24, 12936}, {"TF,TF", 34, 16, 5024},   {"TF,TF", 34, 24, 10608},
      {"SSM,TF", 34, 4, 872},    {"SSM,TF", 34, 8, 2192},    {"SSM,SSM", 34, 16, 7328}, {"SSM,SSM", 34, 24, 13488},
  };
  for (const Published& row : table) {
    const Cost found = cost(lower(architecture(row.layers, row.width, row.vocabulary)), 100, NumberFormat::float32);
    EXPECT_EQ(found.total.parameters, row.parameters) << row.layers << " d=" << row.width << " V=" << row.vocabulary;
  }
}

// The same figures from the equations of the blocks, position by position, without looking at a program.
struct ByHand {
  double d;
  double heads;
  double window;
  double states;
  double length;

  [[nodiscard]] double layer_norm() const { return 8 * d + 4; }

  [[nodiscard]] double transformer() const {
    double keys = 0;
    for (double t = 0; t < length; ++t) keys += t + 1 < window ? t + 1 : window;
    const double h = d / heads;
    const double rotary_pairs = rotary_width(0.25, static_cast<int>(h)) / 2.0;
    const double attention = keys / length * heads * (2 * h + 1 + 1 + 1 + 1 + 1 + 2 * h);
    const double projections = 2 * d * (3 * d) + 3 * d + 2 * d * d + d;
    const double mlp = 2 * d * (2 * d) + 2 * d + 4 * (2 * d) + 2 * (2 * d) * d + d;
    return 2 * layer_norm() + projections + 2 * heads * rotary_pairs * 6 + attention + mlp + 2 * d;
  }

  [[nodiscard]] double ssm() const {
    const double e = 2 * d;
    const double rank = std::ceil(d / 16);
    const double norm = 4 * d + 3;
    const double projections = 2 * d * 2 * e + 2 * e * (rank + 2 * states) + 2 * rank * e + e + 2 * e * d;
    const double convolution = e * (2 * 4 + 1);
    const double activations = 2 * (4 * e) + 3 * e;
    const double scan = e * states * 7 + e * 3;
    return norm + projections + convolution + activations + scan + e + d;
  }

  [[nodiscard]] double head(double vocabulary) const { return layer_norm() + 2 * d * vocabulary; }
};

TEST(Cost, OperationsAgreeWithTheEquations) {
  for (const int window : {1, 7, 100, 1000}) {
    for (const std::uint64_t length : {1U, 7U, 100U}) {
      for (const int heads : {1, 2}) {
        const Architecture model = architecture("SSM,TF,TF", 8, 11, heads, window, 5);
        const Cost found = cost(lower(model), length, NumberFormat::float32);
        const ByHand by_hand{8, static_cast<double>(heads), static_cast<double>(window), 5,
                             static_cast<double>(length)};
        EXPECT_NEAR(found.layers.at(0).flops_per_token_forward, by_hand.ssm(), 1e-9);
        EXPECT_NEAR(found.layers.at(1).flops_per_token_forward, by_hand.transformer(), 1e-9);
        EXPECT_NEAR(found.layers.at(2).flops_per_token_forward, by_hand.transformer(), 1e-9);
        EXPECT_NEAR(found.head.flops_per_token_forward, by_hand.head(11), 1e-9);
        EXPECT_NEAR(found.total.flops_per_token_forward, by_hand.ssm() + 2 * by_hand.transformer() + by_hand.head(11),
                    1e-9);
        EXPECT_NEAR(found.total.flops_per_token_training, 3 * found.total.flops_per_token_forward, 1e-6);
      }
    }
  }
}

TEST(Cost, MemoryFollowsTheFormulas) {
  const Architecture model = architecture("SSM,TF", 8, 11, 2, 7, 16);
  const kernels::Program program = lower(model);
  constexpr std::uint64_t e = 16;         // inner width
  constexpr std::uint64_t channels = 16;  // of keys and values together
  for (const std::uint64_t length : {1U, 3U, 6U, 7U, 8U, 1000U}) {
    const std::uint64_t cached = channels * std::min<std::uint64_t>(length, 7);
    const std::uint64_t between = channels * std::min<std::uint64_t>(length, 6);
    const std::uint64_t recurrent = e * 16 + e * 3;
    EXPECT_EQ(state_bytes(program, length, NumberFormat::float32), 4 * (cached + recurrent));
    EXPECT_EQ(state_bytes(program, length, NumberFormat::bfloat16), 2 * (cached + recurrent));
    EXPECT_EQ(working_memory_bits(program, length, NumberFormat::float32), 32 * (between + recurrent));
    EXPECT_EQ(working_memory_bits(program, length, NumberFormat::float64), 64 * (between + recurrent));
    const Cost found = cost(program, length, NumberFormat::float32);
    EXPECT_EQ(found.total.state_bytes, 4 * (cached + recurrent));
    EXPECT_EQ(found.layers.at(0).state_bytes, 4 * recurrent);
    EXPECT_EQ(found.total.working_memory_bits, 32 * (between + recurrent));
    EXPECT_EQ(found.layers.at(1).working_memory_bits, 32 * between);
  }
}

TEST(Cost, AWindowOfOneHoldsNothing) {
  const kernels::Program program = lower(architecture("TF", 8, 11, 1, 1));
  EXPECT_EQ(working_memory_bits(program, 50, NumberFormat::float32), 0U);
}

TEST(Cost, PartsAddUp) {
  const Cost found = cost(lower(architecture("(SSM*2,TF)*4", 8, 11)), 64, NumberFormat::float16);
  ASSERT_EQ(found.layers.size(), 12U);
  std::uint64_t parameters = found.embedding.parameters + found.head.parameters;
  for (const PartCost& layer : found.layers) parameters += layer.parameters;
  EXPECT_EQ(found.total.parameters, parameters);
  EXPECT_EQ(found.embedding.parameters, 88U);
  EXPECT_EQ(found.head.parameters, 16U);
  EXPECT_EQ(found.layers[2].name, "layers.2");
  EXPECT_EQ(found.layers[2].parameters, 8U * 64 + 11 * 8);
  EXPECT_EQ(found.layers[11].name, "layers.11");
}

TEST(Cost, LengthZeroIsRefused) {
  EXPECT_THROW(static_cast<void>(cost(lower(architecture("TF", 8, 11)), 0, NumberFormat::float32)), InputError);
}

}  // namespace
}  // namespace hyseq::models
