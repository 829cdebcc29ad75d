// The corrected bound of Theorem 3.3: exact decisions, the printed form, encoders by enumeration.
#include <cmath>

#include <gtest/gtest.h>

#include "kernels/base/error.hpp"
#include "kernels/base/random.hpp"
#include "proofs_check/lower_bounds/enumerate.hpp"
#include "proofs_check/lower_bounds/hamming.hpp"
#include "proofs_check/lower_bounds/printed_bound.hpp"
#include "proofs_check/lower_bounds/rate.hpp"

namespace hyseq::proofs_check {
namespace {

TEST(Rate, has_the_values_known_by_hand) {
  EXPECT_DOUBLE_EQ(rate(0, 2), 1);
  EXPECT_DOUBLE_EQ(rate(0.5, 2), 0);
  EXPECT_NEAR(rate(2.0 / 3, 3), 0, 1e-15);
  EXPECT_NEAR(rate(0.11, 2), 0.5, 1e-3);  // the textbook point of the binary curve
  EXPECT_DOUBLE_EQ(rate(0.5, 5), std::log2(5) - 2);
  for (const double answers : {2.0, 3.0, 26.0}) {
    for (double eps = 0; eps < 1 - 1 / answers; eps += 0.01) {
      EXPECT_NEAR(error_at_rate(rate(eps, answers), answers), eps, 1e-9);
    }
  }
}

TEST(Bound, is_an_equality_at_both_ends) {
  for (const std::uint64_t letters : {2U, 3U, 5U}) {
    for (const std::uint64_t length : {1U, 2U, 4U}) {
      const MemoryProblem problem = copying_problem(letters, length);
      const std::uint64_t inputs = problem.inputs();
      EXPECT_TRUE(allowed(problem, {inputs, inputs, 0}));
      EXPECT_FALSE(allowed(problem, {inputs - 1, inputs, 0}));
      const std::uint64_t chance = inputs * length / letters * (letters - 1);
      EXPECT_TRUE(allowed(problem, {1, inputs, chance}));
      EXPECT_FALSE(allowed(problem, {1, inputs, chance - 1}));
      EXPECT_EQ(least_errors(problem, 1, inputs), chance);
      EXPECT_EQ(least_errors(problem, inputs, inputs), 0U);
    }
  }
}

TEST(Bound, by_enclosure_and_by_integers_is_the_same) {
  RandomStream random({11, Purpose::verification}, 0);
  int tight = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::uint64_t answers = 2 + random.below(4);
    const MemoryProblem problem{2 + random.below(4), 1 + random.below(4), answers, 1 + random.below(5)};
    const std::uint64_t weight = 1 + random.below(40);
    const Performance performance{1 + random.below(40), weight,
                                  random.below(static_cast<std::uint32_t>(weight * problem.queries + 1))};
    const bool exact = allowed_in_integers(problem, performance);
    EXPECT_EQ(allowed(problem, performance), exact);
    const ExactInterval slack = slack_bits(problem, performance);
    EXPECT_LT(slack.upper - slack.lower, 1e-11);
    if (exact) {
      EXPECT_GE(slack.upper, 0);
    } else {
      EXPECT_LE(slack.lower, 0);
    }
    tight += std::abs(slack.lower) < 0.1 ? 1 : 0;
    const double eps = static_cast<double>(performance.errors) / static_cast<double>(weight * problem.queries);
    const double plain = std::log2(static_cast<double>(performance.states)) -
                         static_cast<double>(problem.length) * std::log2(static_cast<double>(problem.values)) +
                         static_cast<double>(problem.queries) * fano_entropy(eps, static_cast<double>(answers));
    EXPECT_NEAR(plain, slack.lower, 1e-9);
  }
  EXPECT_GT(tight, 20) << "near misses are what the test is for";
}

TEST(Bound, least_errors_is_the_first_that_is_allowed) {
  const MemoryProblem problem = copying_problem(2, 4);
  for (std::uint64_t states = 1; states <= 16; ++states) {
    const std::uint64_t least = least_errors(problem, states, 16);
    for (std::uint64_t errors = 0; errors <= 32; ++errors) {
      EXPECT_EQ(allowed(problem, {states, 16, errors}), errors >= least) << states << " " << errors;
    }
  }
}

TEST(Bound, refuses_what_is_no_performance) {
  const MemoryProblem problem = copying_problem(2, 2);
  EXPECT_THROW((void)allowed(problem, {0, 4, 0}), InputError);
  EXPECT_THROW((void)allowed(problem, {1, 4, 9}), InputError);
  EXPECT_THROW((void)allowed({2, 2, 1, 2}, {1, 4, 0}), InputError);
  EXPECT_THROW((void)MemoryProblem({2, 40, 2, 1}).inputs(), InputError);
}

TEST(Printed, is_never_positive_unless_the_assumption_is_dropped) {
  const PrintedGrid grid = printed_grid();
  EXPECT_EQ(grid.points, 15U * 16 * 15 * 64);
  EXPECT_TRUE(grid.never_positive());
  EXPECT_EQ(grid.counted, grid.negative + grid.zero);
  EXPECT_GT(grid.zero, 0U);
  const PrintedGrid unassumed = printed_grid(false);
  EXPECT_FALSE(unassumed.never_positive());
  EXPECT_EQ(unassumed.positive_at, "|V| = 2, m = 2, |Y| = 2, q = 1");
}

TEST(Printed, one_state_is_right_half_the_time_for_every_injection) {
  const InjectiveMaps maps = injective_maps(4, 2, 3);
  EXPECT_EQ(maps.maps, 8U * 7 * 6 * 5);
  EXPECT_TRUE(maps.passed());
  EXPECT_EQ(maps.least_right, 6U);  // 4 inputs x 3 questions, an even split of each
  const InjectiveMaps none = injective_maps(5, 2, 2);
  EXPECT_EQ(none.maps, 0U);
  EXPECT_TRUE(none.passed());
  EXPECT_EQ(injective_maps(9, 3, 2).least_right, 6U);  // bijections: exactly chance, a third
  EXPECT_THROW((void)injective_maps(16, 2, 4), InputError);
}

TEST(Hamming, nearest_words_are_those_of_a_naive_search) {
  RandomStream random({5, Purpose::verification}, 0);
  for (const auto& [letters, length] : {std::pair{2, 7}, {3, 4}, {5, 2}, {2, 1}}) {
    const HammingSpace space(letters, length);
    for (int repeat = 0; repeat < 20; ++repeat) {
      Code code;
      for (std::uint32_t i = 0; i < 1 + random.below(6); ++i) code.push_back(random.below(space.size()));
      for (RandomStream* ties : {static_cast<RandomStream*>(nullptr), &random}) {
        const Nearest nearest = space.nearest(code, ties);
        for (Word u = 0; u < space.size(); ++u) {
          int least = length + 1;
          for (const Word word : code) least = std::min(least, space.distance(u, word));
          ASSERT_EQ(nearest.distance[u], least);
          ASSERT_EQ(space.distance(u, code[nearest.owner[u]]), least);
        }
      }
    }
  }
  EXPECT_THROW(HammingSpace(2, 23), InputError);
  EXPECT_THROW(HammingSpace(1, 2), InputError);
}

TEST(Hamming, perfect_codes_meet_the_sphere_bound) {
  Code hamming;  // [7, 4]: words whose syndrome, the sum of the positions of their ones, is 0
  for (Word word = 0; word < 128; ++word) {
    Word syndrome = 0;
    for (Word i = 0; i < 7; ++i) syndrome ^= (word >> i & 1U) != 0 ? i + 1 : 0;
    if (syndrome == 0) hamming.push_back(word);
  }
  ASSERT_EQ(hamming.size(), 16U);
  EXPECT_EQ(HammingSpace(2, 7).errors(hamming), 112U);
  EXPECT_EQ(sphere_errors(2, 7, 16), 112U);
  EXPECT_EQ(HammingSpace(2, 5).errors({0, 31}), sphere_errors(2, 5, 2));
  EXPECT_EQ(sphere_errors(3, 2, 9), 0U);
  EXPECT_EQ(sphere_errors(3, 2, 1), 4U + 2 * 4);
}

TEST(Enumeration, partitions_and_codes_agree_and_keep_the_bound) {
  for (const auto& [letters, length] : {std::pair{2, 3}, {3, 2}}) {
    const Enumeration partitions = enumerate_partitions(copying_table(letters, length));
    const Enumeration codes = enumerate_codes(letters, length, 100, false);
    ASSERT_EQ(partitions.best.size(), codes.best.size());
    for (std::size_t i = 0; i < codes.best.size(); ++i) {
      EXPECT_EQ(partitions.best[i].errors, codes.best[i].errors) << letters << " " << length << " K " << i + 1;
      EXPECT_GE(codes.best[i].errors, codes.best[i].allowed_from);
    }
    EXPECT_EQ(partitions.violations + codes.violations, 0U);
  }
  EXPECT_EQ(enumerate_partitions(copying_table(2, 3)).encoders, 4140U) << "the Bell number of 8";
  EXPECT_EQ(enumerate_codes(2, 3, 8, false).encoders, 255U);
  const Enumeration fixed = enumerate_codes(2, 4, 4, true);
  const Enumeration all = enumerate_codes(2, 4, 4, false);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(fixed.best[i].errors, all.best[i].errors);
  EXPECT_THROW((void)enumerate_partitions(copying_table(2, 4)), InputError);
  EXPECT_THROW((void)enumerate_codes(2, 9, 2, true), InputError);
}

TEST(Enumeration, holds_for_a_map_that_is_far_from_tight) {
  const QueryTable table = inner_products_table(3);
  EXPECT_EQ(table.problem.queries, 7U);
  const Enumeration result = enumerate_partitions(table);
  EXPECT_EQ(result.violations, 0U);
  EXPECT_EQ(result.best[7].errors, 0U);
  EXPECT_EQ(result.best[7].allowed_from, 0U);
  EXPECT_GT(result.best[6].allowed_from, 0U) << "seven states cannot be without error";
  EXPECT_EQ(result.best[0].allowed_from, 0U + least_errors(table.problem, 1, 8));
}

TEST(Enumeration, catches_every_lie) {
  const QueryTable table = copying_table(2, 3);
  for (const Misreport& lie : {Misreport{1, 0, 0, 0}, Misreport{0, 1, 0, 0}, Misreport{0, 0, 1, 0}}) {
    const Enumeration result = enumerate_partitions(table, lie);
    EXPECT_GT(result.violations, 0U);
    EXPECT_NE(result.counterexample.find("the bound allows"), std::string::npos);
  }
  EXPECT_TRUE(enumerate_partitions(table).counterexample.empty());
  // For three letters the bound needs its term eps log2(|Y| - 1).
  EXPECT_GT(enumerate_partitions(copying_table(3, 2), {0, 0, 0, 2}).violations, 0U);
  EXPECT_EQ(enumerate_partitions(copying_table(3, 2), {0, 0, 0, 3}).violations, 0U);
}

}  // namespace
}  // namespace hyseq::proofs_check
