#include "proofs_check/window.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/proofs_check/fixture.hpp"

namespace hyseq::proofs_check {
namespace {

TEST(Window, two_words_need_seven_slots) {
  EXPECT_EQ(exact_slots(1), 7);
  EXPECT_EQ(exact_success(1, 7).fraction, "127/128");
  EXPECT_EQ(exact_success(1, 6).fraction, "63/64");
  EXPECT_EQ(exact_success(1, 8).fraction, "255/256");
  EXPECT_EQ(exact_success(1, 7).decimal, 127.0 / 128);
  EXPECT_EQ(exact_success(1, 6).decimal, 63.0 / 64);
}

TEST(Window, slots_agree_with_logarithms) {
  for (int bits = 1; bits <= 10; ++bits) {
    const long double miss = std::log1p(-std::ldexp(1.0L, -bits));
    const auto slots = static_cast<int>(std::ceil(std::log(0.01L) / miss));
    EXPECT_EQ(exact_slots(bits), slots) << bits;
    EXPECT_EQ(constructions::recall_slots(bits), slots) << "the construction's window, b " << bits;
    for (const int k : {slots - 1, slots, slots + 1}) {
      const ExactSuccess success = exact_success(bits, k);
      EXPECT_EQ(success.slots, k);
      EXPECT_NEAR(success.decimal, static_cast<double>(-std::expm1(static_cast<long double>(k) * miss)), 1e-15);
      EXPECT_EQ(success.decimal >= 0.99, k >= slots);
    }
  }
}

TEST(Window, long_fractions_are_written_as_a_formula) {
  EXPECT_EQ(exact_success(2, 3).fraction, "37/64");
  EXPECT_EQ(exact_success(10, 4714).fraction, "1 - (1023/1024)^4714");
}

TEST(Window, two_words_exhaustively) {
  for (const NumberFormat format : kFormats) {
    const WindowResult result = check_window(1, format, 1000, 1, 1);
    EXPECT_TRUE(result.passed()) << name(format);
    EXPECT_TRUE(result.exhaustive);
    EXPECT_EQ(result.attention_window, 8);
    // Eight words of context and a query, all of them; the query is among seven of the eight.
    EXPECT_EQ(result.inputs, 512U);
    EXPECT_EQ(result.present, 508U);
    EXPECT_EQ(result.correct, 508U);
    EXPECT_EQ(result.measured, 127.0 / 128);
    EXPECT_EQ(result.standard_error, 0);
  }
}

TEST(Window, four_words_sampled_the_same_on_every_number_of_threads) {
  const WindowResult one = check_window(2, NumberFormat::float32, 20000, 5, 1);
  EXPECT_TRUE(one.passed());
  EXPECT_FALSE(one.exhaustive);
  EXPECT_EQ(one.first.slots, 17);
  EXPECT_EQ(one.inputs, 20000U);
  EXPECT_EQ(one.correct, one.present);
  EXPECT_LT(one.present, one.inputs);
  EXPECT_GT(one.standard_error, 0);
  EXPECT_NEAR(one.measured, one.first.decimal, 5 * one.standard_error);
  for (const int threads : {2, 3}) {
    const WindowResult other = check_window(2, NumberFormat::float32, 20000, 5, threads);
    EXPECT_EQ(other.present, one.present);
    EXPECT_EQ(other.correct, one.correct);
    EXPECT_EQ(other.standard_error, one.standard_error);
  }
  const WindowResult seeded = check_window(2, NumberFormat::float32, 20000, 6, 1);
  EXPECT_NE(seeded.present, one.present) << "the seed must matter";
}

/// The counting itself, by a naive look at every input: the query stands among the words that have a follower.
TEST(Window, success_is_the_share_of_inputs_whose_query_is_present) {
  constexpr int kContext = 8;
  int present = 0;
  const std::vector<Tokens> allowed(kContext, constructions::token_range(0, 2));
  for (const Tokens& context : constructions::all_sequences(allowed)) {
    for (int query = 0; query < 2; ++query) {
      present += std::find(context.begin(), context.end() - 1, query) != context.end() - 1 ? 1 : 0;
    }
  }
  EXPECT_EQ(present, 508);
}

TEST(Window, a_number_format_that_is_too_coarse_fails) {
  // Far past what bfloat16 holds: recency drowns in rounding.
  const WindowResult result = check_window(6, NumberFormat::bfloat16, 2000, 1, 2);
  EXPECT_FALSE(result.passed());
  EXPECT_LT(result.correct, result.present);
  EXPECT_TRUE(result.counterexample.has_value());
}

TEST(Window, passes_only_with_every_answer_right_and_the_exact_success) {
  WindowResult result = check_window(1, NumberFormat::float32, 1000, 1, 1);
  ASSERT_TRUE(result.passed());
  WindowResult wrong = result;
  --wrong.correct;
  EXPECT_FALSE(wrong.passed());
  wrong = result;
  wrong.measured = 63.0 / 64;  // as if one slot fewer were seen
  EXPECT_FALSE(wrong.passed());
  wrong = result;
  wrong.present = wrong.correct = 0;
  EXPECT_FALSE(wrong.passed());
}

}  // namespace
}  // namespace hyseq::proofs_check
