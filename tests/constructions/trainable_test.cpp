// Parts, sizes and refusals of the constructions in standard blocks. Their answers are tested in tests/proofs_check.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>

#include <gtest/gtest.h>

#include "constructions/trainable/decode_recall.hpp"
#include "constructions/trainable/frame.hpp"
#include "constructions/trainable/selective_copy.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/random.hpp"

namespace hyseq::constructions {
namespace {

double dot(const Code& a, const Code& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

std::string refusal(const std::function<void()>& work) {
  try {
    work();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Frame, is_orthonormal_and_all_but_the_first_axis_have_mean_zero) {
  for (const int width : {1, 2, 3, 4, 8, 17, 64}) {
    const Frame frame(width);
    for (int a = 0; a < width; ++a) {
      double sum = 0;
      for (int i = 0; i < width; ++i) sum += frame.at(a, i);
      EXPECT_NEAR(sum, a == 0 ? std::sqrt(static_cast<double>(width)) : 0, 1e-14 * width);
      for (int b = 0; b <= a; ++b) {
        double product = 0;
        for (int i = 0; i < width; ++i) product += frame.at(a, i) * frame.at(b, i);
        EXPECT_NEAR(product, a == b ? 1 : 0, 1e-14);
      }
    }
  }
}

TEST(SphericalCode, keeps_unit_vectors_apart) {
  EXPECT_NEAR(decoder_gap(spherical_code(31, 2)), 1 - std::cos(2 * std::numbers::pi / 31), 1e-12);
  // The best gaps are known: k + 1 points in k dimensions form a simplex, 2 k points a cross, 12 points an icosahedron.
  EXPECT_GT(decoder_gap(spherical_code(5, 4)), 0.99 * 1.25);
  EXPECT_LE(decoder_gap(spherical_code(5, 4)), 1.25 + 1e-12);
  EXPECT_GT(decoder_gap(spherical_code(6, 3)), 0.98);
  EXPECT_GT(decoder_gap(spherical_code(12, 3)), 0.97 * (1 - 1 / std::sqrt(5.0)));
  for (const Code& code : spherical_code(31, 5)) EXPECT_NEAR(dot(code, code), 1, 1e-12);
  EXPECT_EQ(spherical_code(31, 5), spherical_code(31, 5));
  std::vector<Code> same = spherical_code(7, 3);
  same[2] = same[5];
  EXPECT_NEAR(decoder_gap(same), 0, 1e-12) << "two equal codes have no gap";
}

/// The states' own recursion, bit after bit.
double simulate(const BinaryRegister& binary, const std::vector<int>& bits) {
  std::vector<double> states(binary.filter.weights.size(), 0.0);
  for (const int bit : bits) {
    for (std::size_t n = 0; n < states.size(); ++n) {
      states[n] = std::exp(-binary.step * static_cast<double>(n + 1)) * states[n] + bit;
    }
  }
  return std::inner_product(states.begin(), states.end(), binary.filter.weights.begin(), 0.0);
}

TEST(ExponentialFilter, tells_the_last_bits_apart_whatever_came_before) {
  for (const auto& [states, bits] : {std::pair{16, 1}, {16, 3}, {16, 5}, {8, 3}, {4, 2}}) {
    const BinaryRegister binary = best_register(states, bits);
    EXPECT_GT(binary.gap, 0) << states << " states, " << bits << " bits";
    std::vector<std::pair<double, double>> seen(std::size_t{1} << bits, {10, -10});
    for (std::uint64_t stream = 0; stream < 3000; ++stream) {
      // Long runs of one bit reach the ends of the intervals, random bits the middle.
      RandomStream random({5, Purpose::verification}, stream);
      std::vector<int> history(60, static_cast<int>(stream % 2));
      if (stream % 3 == 0) {
        for (int& bit : history) bit = static_cast<int>(random.below(2));
      }
      int word = 0;
      for (int i = 0; i < bits; ++i) {
        const int bit = static_cast<int>(random.below(2));
        history.push_back(bit);
        word = 2 * word + bit;
      }
      const double value = simulate(binary, history);
      EXPECT_GE(value, binary.filter.value(word) + binary.filter.low - 1e-9);
      EXPECT_LE(value, binary.filter.value(word) + binary.filter.high + 1e-9);
      auto& [low, high] = seen[static_cast<std::size_t>(word)];
      low = std::min(low, value);
      high = std::max(high, value);
    }
    std::sort(seen.begin(), seen.end());
    for (std::size_t w = 1; w < seen.size(); ++w) EXPECT_LT(seen[w - 1].second, seen[w].first);
  }
  for (const int states : {1, 2, 3, 5, 8, 16, 33, 64}) {
    for (int bits = 1; bits <= 6; ++bits) EXPECT_GT(best_register(states, bits).gap, 0) << states << " " << bits;
  }
  // A decay of 0.95 a bit spreads older bits over all words.
  const ExponentialFilter slow = exponential_filter(1, 5, 0.05);
  EXPECT_GT(slow.high - slow.low, slow.value(31));
}

/// Every switch at its default, but for sizes and what the header names.
void expect_standard(const models::Architecture& architecture, int rotary_width) {
  ASSERT_EQ(models::layers_text(architecture), "SSM,TF");
  const auto& ssm = std::get<models::SsmBlock>(architecture.layers[0]);
  const models::SsmBlock plain;
  EXPECT_EQ(ssm.norm, plain.norm);
  EXPECT_TRUE(ssm.residual && ssm.gate);
  EXPECT_EQ(ssm.state_size, plain.state_size);
  EXPECT_EQ(ssm.kernel, plain.kernel);
  EXPECT_EQ(ssm.activation, plain.activation);
  EXPECT_EQ(ssm.step, plain.step);
  EXPECT_EQ(ssm.step_rank, 0);
  EXPECT_EQ(ssm.inner_width, 0);
  const auto& tf = std::get<models::TransformerBlock>(architecture.layers[1]);
  const models::TransformerBlock standard;
  EXPECT_EQ(tf.norm, standard.norm);
  EXPECT_EQ(tf.residual, standard.residual);
  EXPECT_EQ(tf.positions, standard.positions);
  EXPECT_EQ(tf.heads, standard.heads);
  EXPECT_TRUE(tf.mlp);
  EXPECT_EQ(tf.activation, standard.activation);
  EXPECT_EQ(tf.rotary_width, rotary_width);
  EXPECT_EQ(architecture.final_norm, models::Norm::layer);
  EXPECT_TRUE(architecture.position_codes.empty());
}

TEST(TrainableCopy, is_the_model_of_the_presets) {
  for (const auto& [width, parameters] : {std::pair{4, 872U}, {8, 2192U}}) {  // published sizes of SSM,TF at V = 34
    TrainableCopySpec spec;
    spec.width = width;
    const auto c = build(spec);
    EXPECT_EQ(c.program.parameter_count(), parameters);
    expect_standard(c.architecture, width == 4 ? 4 : models::rotary_width(0.25, width));
    EXPECT_EQ(c.token_labels.size(), 34U);
    EXPECT_EQ(c.codes.size(), 31U);
    EXPECT_GT(c.code_gap, 0);
    for (const auto& values : c.values) {
      for (const double value : values) ASSERT_TRUE(std::isfinite(value));
    }
  }
}

TEST(TrainableRecall, is_the_standard_model_but_for_its_rotary_width) {
  for (const int width : {6, 7, 8, 12}) {
    TrainableRecallSpec spec;
    spec.width = width;
    const auto c = build(spec);
    expect_standard(c.architecture, 4);
    EXPECT_EQ(c.token_labels.size(), 37U);
    EXPECT_GT(c.code_gap, 0);
    EXPECT_GT(c.match_gap, 0);
    EXPECT_GT(c.binary.gap, 0);
  }
}

TEST(Trainable, refuses_what_does_not_fit) {
  const auto copy = [](const std::function<void(TrainableCopySpec&)>& change) {
    return refusal([&] {
      TrainableCopySpec spec;
      change(spec);
      (void)build(spec);
    });
  };
  EXPECT_EQ(copy([](TrainableCopySpec&) {}), "");
  EXPECT_NE(copy([](TrainableCopySpec& s) { s.width = 3; }).find("width 3"), std::string::npos);
  EXPECT_NE(copy([](TrainableCopySpec& s) { s.window = 9; }).find("window 9"), std::string::npos);
  EXPECT_NE(copy([](TrainableCopySpec& s) {
              s.width = 4;
              s.distances = 8;
            }).find("width 4 must lie in 5..1024"),
            std::string::npos);
  const auto recall = [](const std::function<void(TrainableRecallSpec&)>& change) {
    return refusal([&] {
      TrainableRecallSpec spec;
      change(spec);
      (void)build(spec);
    });
  };
  EXPECT_EQ(recall([](TrainableRecallSpec&) {}), "");
  EXPECT_NE(recall([](TrainableRecallSpec& s) { s.width = 5; }).find("width 5"), std::string::npos);
}

}  // namespace
}  // namespace hyseq::constructions
