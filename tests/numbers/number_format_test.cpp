#include "kernels/base/number_format.hpp"

#include <limits>
#include <string>

#include <gtest/gtest.h>

namespace hyseq {
namespace {

constexpr NumberFormat all_formats[] = {NumberFormat::float64, NumberFormat::float32, NumberFormat::bfloat16,
                                        NumberFormat::float16};

TEST(NumberFormat, NamesAreThoseOfTheCommandLine) {
  EXPECT_EQ(parse_number_format("double"), NumberFormat::float64);
  EXPECT_EQ(parse_number_format("float"), NumberFormat::float32);
  EXPECT_EQ(parse_number_format("bfloat16"), NumberFormat::bfloat16);
  EXPECT_EQ(parse_number_format("half"), NumberFormat::float16);
  for (const NumberFormat format : all_formats) EXPECT_EQ(parse_number_format(name(format)), format);
}

TEST(NumberFormat, OtherNamesAreRefusedWithTheNameAndTheChoices) {
  for (const char* text : {"", "Double", "fp32", "float ", "bfloat"}) {
    try {
      parse_number_format(text);
      ADD_FAILURE() << "accepted '" << text << "'";
    } catch (const InputError& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find("'" + std::string(text) + "'"), std::string::npos) << message;
      EXPECT_NE(message.find("double, float, bfloat16 or half"), std::string::npos) << message;
    }
  }
}

template <class T>
void expect_constants_of(NumberFormat format) {
  using Limits = std::numeric_limits<T>;
  EXPECT_EQ(bytes(format), static_cast<int>(sizeof(T)));
  EXPECT_EQ(significand_bits(format), Limits::digits);
  EXPECT_EQ(unit_roundoff(format), static_cast<double>(Limits::epsilon()) / 2);
  EXPECT_EQ(largest_finite(format), static_cast<double>(Limits::max()));
  EXPECT_EQ(smallest_subnormal(format), static_cast<double>(Limits::denorm_min()));
}

TEST(NumberFormat, ConstantsOfTheBuiltInFormats) {
  expect_constants_of<double>(NumberFormat::float64);
  expect_constants_of<float>(NumberFormat::float32);
}

TEST(NumberFormat, ConstantsOfTheSixteenBitFormats) {
  EXPECT_EQ(bytes(NumberFormat::bfloat16), 2);
  EXPECT_EQ(bytes(NumberFormat::float16), 2);
  EXPECT_EQ(unit_roundoff(NumberFormat::bfloat16), 0x1p-8);
  EXPECT_EQ(unit_roundoff(NumberFormat::float16), 0x1p-11);
  EXPECT_EQ(largest_finite(NumberFormat::bfloat16), (2 - 0x1p-7) * 0x1p127);
  EXPECT_EQ(largest_finite(NumberFormat::float16), (2 - 0x1p-10) * 0x1p15);
  EXPECT_EQ(smallest_subnormal(NumberFormat::bfloat16), 0x1p-126 * 0x1p-7);
  EXPECT_EQ(smallest_subnormal(NumberFormat::float16), 0x1p-14 * 0x1p-10);
}

TEST(NumberFormat, SixteenBitFormatsAccumulateInFloat) {
  EXPECT_EQ(accumulator_format(NumberFormat::float64), NumberFormat::float64);
  EXPECT_EQ(accumulator_format(NumberFormat::float32), NumberFormat::float32);
  EXPECT_EQ(accumulator_format(NumberFormat::bfloat16), NumberFormat::float32);
  EXPECT_EQ(accumulator_format(NumberFormat::float16), NumberFormat::float32);
}

}  // namespace
}  // namespace hyseq
