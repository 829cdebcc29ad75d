// Codes found by search, their distance to the curve, and machines as points beside it.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "constructions/gadgets/plain_blocks.hpp"
#include "kernels/base/error.hpp"
#include "proofs_check/lower_bounds/code_search.hpp"
#include "proofs_check/lower_bounds/machine_points.hpp"
#include "proofs_check/lower_bounds/t33.hpp"
#include "proofs_check/lower_bounds/t33_checks.hpp"
#include "proofs_check/lower_bounds/tightness.hpp"
#include "proofs_check/stack_product/product_check.hpp"

namespace hyseq::proofs_check {
namespace {

TEST(CodeSearch, finds_the_perfect_linear_codes) {
  const ScoredCode binary = search_linear(HammingSpace(2, 7), 3, 1, 4);
  EXPECT_EQ(binary.code.size(), 16U);
  EXPECT_EQ(binary.errors, sphere_errors(2, 7, 16));
  const ScoredCode ternary = search_linear(HammingSpace(3, 4), 2, 1, 4);
  EXPECT_EQ(ternary.code.size(), 9U);
  EXPECT_EQ(ternary.errors, sphere_errors(3, 4, 9));
}

TEST(CodeSearch, alternation_never_makes_a_code_worse) {
  const HammingSpace space(2, 8);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    RandomStream random({seed, Purpose::verification}, 1);
    Code code;
    while (code.size() < 9) {
      const Word word = random.below(space.size());
      if (std::find(code.begin(), code.end(), word) == code.end()) code.push_back(word);
    }
    const std::uint64_t before = space.errors(code);
    const ScoredCode after = alternate(space, code, random);
    EXPECT_EQ(after.code.size(), 9U);
    EXPECT_LE(after.errors, before);
    EXPECT_EQ(after.errors, space.errors(after.code));
  }
}

TEST(CodeSearch, is_as_good_as_enumeration_on_short_words_and_the_same_on_any_threads) {
  SearchEffort effort;
  std::vector<std::pair<int, std::uint64_t>> wanted;
  for (std::uint64_t states = 2; states < 16; ++states) wanted.emplace_back(4, states);
  const CodeBook one(2, 4, wanted, 3, effort);
  effort.threads = 3;
  const CodeBook three(2, 4, wanted, 3, effort);
  const Enumeration exact = enumerate_codes(2, 4, 16, false);
  for (const auto& [key, code] : one.codes()) {
    EXPECT_EQ(three.codes().at(key).code, code.code);
    EXPECT_EQ(HammingSpace(2, key.first).errors(code.code), code.errors);
    if (key.first == 4) {
      EXPECT_EQ(code.errors, exact.best[key.second - 1].errors) << key.second;
    }
  }
}

/// Machine points of a lossless machine, a blind one and one in between.
TEST(MachinePoint, counts_states_and_best_answers) {
  const QueryTable table = copying_table(2, 3);
  std::vector<StateCount> lossless, blind, first_letter;
  for (std::uint64_t u = 0; u < 8; ++u) {
    lossless.push_back({100 + u, u, 1});
    blind.push_back({5, u, 1});
    first_letter.push_back({u % 2, u, 1});
  }
  EXPECT_EQ(machine_point(table, lossless).success, 1);
  EXPECT_EQ(machine_point(table, lossless).states, 8U);
  EXPECT_NEAR(machine_point(table, lossless).bound_bits, 3, 1e-12);
  EXPECT_EQ(machine_point(table, blind).success, 0.5);
  EXPECT_NEAR(machine_point(table, blind).bound_bits, 0, 1e-12);
  const MachinePoint one = machine_point(table, first_letter, 15);
  EXPECT_EQ(one.errors, 8U);
  EXPECT_TRUE(one.uniform);
  EXPECT_FALSE(one.violates);
  EXPECT_DOUBLE_EQ(one.own_success, 15.0 / 24);
  EXPECT_THROW((void)machine_point(table, first_letter, 17), InputError);
  EXPECT_THROW((void)machine_point(table, std::vector<StateCount>{}), InputError);
  EXPECT_THROW((void)machine_point(table, std::vector<StateCount>{{0, 8, 1}}), InputError);
}

/// A sample overfits: few inputs per state look decodable. The general form of the bound knows how few there were.
TEST(MachinePoint, needs_no_allowance_for_a_sample) {
  const QueryTable table = copying_table(2, 3);
  const std::vector<StateCount> sample{{0, 1, 1}, {1, 6, 2}, {0, 1, 4}};
  const MachinePoint point = machine_point(table, sample);
  EXPECT_FALSE(point.uniform);
  EXPECT_EQ(point.success, 1);
  EXPECT_EQ(point.states, 2U);
  EXPECT_LT(point.input_bits, 1);
  EXPECT_FALSE(point.violates);
  EXPECT_NEAR(point.bound_bits, point.input_bits, 1e-9);
}

TEST(MachinePoint, of_a_register_model_is_on_the_curve) {
  // One layer that holds the latest of its own tokens, asked for the last letter alone: N = 1, K = M.
  const Stack stack = register_stack(2, 4);  // tokens 0..3 of layer 1, 4..7 of layer 2
  CopyProbe probe = copy_probe(4, 1, 4);
  const MachinePoint point = model_point(stack, NumberFormat::float32, probe);
  EXPECT_EQ(point.states, 4U);
  EXPECT_EQ(point.success, 1);
  EXPECT_NEAR(point.bound_bits, 2, 1e-12);
  EXPECT_FALSE(point.violates);
  // Four letters before the question: three are forgotten.
  const Stack longer = register_stack(2, 4);
  probe = copy_probe(4, 3, 4);
  const MachinePoint forgetful = model_point(longer, NumberFormat::float16, probe);
  EXPECT_EQ(forgetful.states, 4U);
  EXPECT_DOUBLE_EQ(forgetful.success, (1 + 0.25 + 0.25) / 3);
  probe.questions[0] = 99;
  EXPECT_THROW((void)model_point(longer, NumberFormat::float16, probe), InputError);
}

TEST(MachinePoint, fewer_bits_are_fewer_states_and_stay_below_the_bound) {
  RandomStackSpec spec;
  spec.layers = 2;
  spec.tokens = 2 + 5;
  const CopyProbe probe = copy_probe(2, 5, 2);
  const auto points = points_by_bits(random_stack(spec), NumberFormat::float32, probe, {0, 8, 4, 2});
  ASSERT_EQ(points.size(), 4U);
  for (const MachinePoint& point : points) {
    EXPECT_FALSE(point.violates) << point.name;
    EXPECT_LE(point.own_success, point.success);
    EXPECT_LE(point.bound_bits, point.bits + 1e-9);
  }
  EXPECT_GT(points.front().states, points.back().states);
  const StateGrid grid = fitted_grid(random_stack(spec), NumberFormat::float32, probe, 4);
  EXPECT_EQ(grid.steps.size(), 4U) << "two layers of two channels";
  EXPECT_THROW((void)fitted_grid(random_stack(spec), NumberFormat::float32, probe, 1), InputError);
}

TEST(MachinePoint, refuses_attention) {
  Stack stack = register_stack(2, 3);
  stack.architecture.layers[0] = constructions::plain_attention(4, models::Residual::parallel);
  EXPECT_THROW((void)model_point(stack, NumberFormat::float32, copy_probe(2, 1, 2)), InputError);
}

TEST(Stateless, model_has_one_state_and_is_right_half_the_time) {
  for (const NumberFormat format :
       {NumberFormat::float64, NumberFormat::float32, NumberFormat::bfloat16, NumberFormat::float16}) {
    const StatelessModel model = stateless_model(format);
    EXPECT_EQ(model.reachable_states, 1U);
    EXPECT_EQ(*model.point.own_right, 1024U);
    EXPECT_EQ(model.point.weight * 8, 2048U);
    EXPECT_TRUE(model.passed());
  }
}

TEST(Tightness, of_uncoded_storage_does_not_shrink) { EXPECT_FALSE(tightness(uncoded_points()).passed()); }

TEST(LowerBoundControls, are_all_caught) {
  for (const Control& control : lower_bound_controls(NumberFormat::float32)) {
    EXPECT_TRUE(control.caught) << control.name;
    EXPECT_EQ(control.counterexample.empty(), control.expected == "nothing") << control.name;
  }
}

TEST(LowerBound, certificate_refutes_the_printed_form_and_a_point_above_the_curve_withdraws_it) {
  LowerBoundRequest request;
  request.threads = 2;
  const results::Certificate certificate = verify_lower_bound_3_3(request);
  EXPECT_EQ(certificate.verdict, "refuted as printed") << certificate.scope;
  EXPECT_EQ(certificate.checks.size(), 8U);
  const auto* enumeration = results::find_check(certificate, "enumeration");
  ASSERT_NE(enumeration, nullptr);
  EXPECT_GE(enumeration->figures["encoders"].get<std::uint64_t>(), 100000U);
  const auto* optimiser = results::find_check(certificate, "optimiser");
  ASSERT_NE(optimiser, nullptr);
  EXPECT_EQ(optimiser->figures["missed_optimum"], 0);

  MachinePoint impossible;
  impossible.name = "a machine that holds less than it knows";
  impossible.violates = true;
  EXPECT_FALSE(machines_check({impossible}).passed);
}

}  // namespace
}  // namespace hyseq::proofs_check
