#include "constructions/subspace.hpp"

#include <stdexcept>

#include <gtest/gtest.h>

#include "constructions/gadgets/plain_blocks.hpp"
#include "tests/constructions/gadget_model.hpp"

namespace hyseq::constructions {
namespace {

TEST(Layout, hands_out_coordinates_one_after_another) {
  Layout layout;
  const Subspace token = layout.add("token", 3);
  const Subspace flag = layout.add("flag", 1);
  const Subspace phase = layout.add("phase", 2);
  EXPECT_EQ(token.offset, 0);
  EXPECT_EQ(flag.offset, 3);
  EXPECT_EQ(phase.at(1), 5);
  EXPECT_EQ(layout.width(), 6);
  EXPECT_EQ(layout.labels(), (std::vector<std::string>{"token 0", "token 1", "token 2", "flag", "phase 0", "phase 1"}));
}

TEST(Codes, have_the_least_bits_that_tell_things_apart) {
  EXPECT_EQ(code_bits(1), 1);
  EXPECT_EQ(code_bits(2), 1);
  EXPECT_EQ(code_bits(3), 2);
  EXPECT_EQ(code_bits(1LL << 40), 40);
  EXPECT_EQ(code_bits((1LL << 40) + 1), 41);
  for (long long count = 2; count < 5000; ++count) {
    const int bits = code_bits(count);
    EXPECT_GE(1LL << bits, count);
    EXPECT_LT(1LL << (bits - 1), count);
  }
}

TEST(Codes, spell_the_value_least_significant_bit_first) {
  for (long long value = 0; value < 1024; ++value) {
    long long back = 0;
    for (int i = 0; i < 10; ++i) {
      const double sign = signed_bit(value, i);
      ASSERT_TRUE(sign == 1.0 || sign == -1.0);
      if (sign > 0) back += 1LL << i;
    }
    EXPECT_EQ(back, value);
  }
}

TEST(WeightWriter, writes_by_name_and_refuses_what_the_program_lacks) {
  const auto program = models::lower(single_layer(4, 3, plain_attention(2, models::Residual::none)));
  WeightWriter weights(program);
  weights.at("embedding", 2, 3) = 5;
  weights.at("layers.0.tf.qkv.bias", 11) = 7;
  weights.fill("layers.0.tf.out_proj.weight", 0.5);
  const auto& values = weights.values();
  EXPECT_EQ(values[parameter_index(program, "embedding")], (std::vector<double>{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5}));
  EXPECT_EQ(values[parameter_index(program, "layers.0.tf.qkv.bias")].back(), 7);
  EXPECT_EQ(values[parameter_index(program, "layers.0.tf.out_proj.weight")], std::vector<double>(16, 0.5));
  EXPECT_THROW(weights.at("embeding", 0, 0), std::logic_error);
  EXPECT_THROW(weights.at("embedding", 3, 0), std::logic_error);
  EXPECT_THROW(weights.at("embedding", 0, 4), std::logic_error);
  EXPECT_THROW(weights.at("embedding", -1, 0), std::logic_error);
  EXPECT_THROW(weights.at("layers.0.tf.qkv.bias", 12), std::logic_error);
  EXPECT_THROW(weights.fill("layers.1.tf.qkv.bias", 1), std::logic_error);
}

}  // namespace
}  // namespace hyseq::constructions
