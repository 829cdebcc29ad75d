// Lemma 3.5: layers alone, their product, and the whole model.
#include <algorithm>

#include <gtest/gtest.h>

#include "constructions/gadgets/plain_blocks.hpp"
#include "kernels/base/error.hpp"
#include "proofs_check/lower_bounds/machine_points.hpp"
#include "proofs_check/stack_product/l35.hpp"
#include "tests/proofs_check/fixture.hpp"

namespace hyseq::proofs_check {
namespace {

SequenceEffort quick() {
  SequenceEffort effort;
  effort.short_sequences = 300;
  effort.long_sequences = 1;
  effort.long_length = 500;
  return effort;
}

TEST(StateGrid, rounds_to_its_levels) {
  const StateGrid grid{3, 0.5, {}};
  EXPECT_EQ(grid.nearest(0.74), 0.5);
  EXPECT_EQ(grid.nearest(0.75), 1);  // halfway: to the even multiple
  EXPECT_EQ(grid.nearest(0.25), 0);
  EXPECT_FALSE(std::signbit(grid.nearest(-0.1)));
  EXPECT_EQ(grid.nearest(9), 1.5);
  EXPECT_EQ(grid.nearest(-9), -1.5);
  EXPECT_THROW(StateGrid({1, 0.5, {}}).validate(), InputError);
  EXPECT_THROW(StateGrid({3, 0.3, {}}).validate(), InputError);
  EXPECT_NO_THROW(StateGrid({0, 1, {}}).validate());
}

TEST(StackProduct, registers_fill_their_product_in_every_format) {
  for (const NumberFormat format : kFormats) {
    const StackResult result = check_stack(register_stack(2, 4), format, quick());
    EXPECT_TRUE(result.passed()) << result.counterexample;
    EXPECT_EQ(result.layer_states, (std::vector<std::uint64_t>{5, 5}));
    EXPECT_EQ(result.product_states, 25U);
    EXPECT_EQ(result.whole_states, 25U);
    EXPECT_EQ(result.transitions, 25U * 8);
  }
}

TEST(StackProduct, random_stacks_are_the_product_of_their_layers_in_every_format) {
  RandomStackSpec spec;
  spec.grid = {4, 0.125, {}};
  for (const NumberFormat format : kFormats) {
    for (const int kernel : {0, 2}) {
      spec.kernel = kernel;
      const StackResult result = check_stack(random_stack(spec), format, quick());
      EXPECT_TRUE(result.passed()) << result.name << " " << result.counterexample;
      EXPECT_EQ(result.has_tails, kernel > 0);
      EXPECT_EQ(result.whole_states, result.product_states);
      EXPECT_GT(result.whole_states, 1U);
      EXPECT_GT(result.sequences, 200U);
    }
  }
}

TEST(StackProduct, one_layer_is_its_own_product) {
  RandomStackSpec spec;
  spec.layers = 1;
  const StackResult result = check_stack(random_stack(spec), NumberFormat::float32, quick());
  EXPECT_TRUE(result.passed()) << result.counterexample;
  EXPECT_EQ(result.product_states, result.layer_states[0]);
}

/// Every layer has to be rounded by its own part of the steps, tails included: the shares of two layers exchanged are
/// another machine.
TEST(StackProduct, every_carried_number_may_have_a_step_of_its_own) {
  RandomStackSpec spec;
  for (const int kernel : {0, 2}) {
    spec.kernel = kernel;
    Stack stack = random_stack(spec);
    const std::size_t carried = kernel == 0 ? 4 : 8;
    for (std::size_t i = 0; i < carried; ++i)
      stack.grid.steps.push_back(i % 2 == 0 ? (i < carried / 2 ? 0.125 : 0.5) : 0.25);
    const StackResult result = check_stack(stack, NumberFormat::float32, quick());
    EXPECT_TRUE(result.passed()) << result.counterexample;
    EXPECT_GT(result.whole_states, 1U);
    Stack exchanged = stack;
    std::rotate(exchanged.grid.steps.begin(), exchanged.grid.steps.begin() + static_cast<std::ptrdiff_t>(carried / 2),
                exchanged.grid.steps.end());
    const StackResult other = check_stack(exchanged, NumberFormat::float32, quick());
    EXPECT_TRUE(other.passed()) << other.counterexample;
    EXPECT_NE(other.layer_states, result.layer_states);
    stack.grid.steps.pop_back();
    EXPECT_THROW((void)check_stack(stack, NumberFormat::float32, quick()), InputError) << "one step is missing";
    EXPECT_THROW((void)reachable_states(stack, NumberFormat::float32), InputError);
  }
}

TEST(StackProduct, a_fitted_grid_is_checked_like_any_other) {
  RandomStackSpec spec;
  spec.tokens = 2 + 4;
  Stack stack = random_stack(spec);
  stack.grid = fitted_grid(stack, NumberFormat::float32, copy_probe(2, 4, 2), 4);
  const StackResult result = check_stack(stack, NumberFormat::float32, quick());
  EXPECT_TRUE(result.passed()) << result.counterexample;
}

TEST(StackProduct, five_bit_weights) {
  for (const auto& parameter : random_stack({}).values) {
    for (const double weight : parameter) {
      EXPECT_EQ(weight * 8, std::nearbyint(weight * 8));
      EXPECT_LE(std::abs(weight), 15.0 / 8);
    }
  }
}

TEST(StackProduct, controls_are_all_caught_in_every_format) {
  for (const NumberFormat format : kFormats) {
    const std::vector<Control> controls = stack_product_controls(format, 1);
    EXPECT_EQ(controls.size(), 6U);
    for (const Control& control : controls) {
      EXPECT_TRUE(control.caught) << name(format) << " " << control.name << " by '" << control.caught_by << "'";
      EXPECT_EQ(control.counterexample.empty(), control.expected == "nothing") << control.name;
    }
  }
}

TEST(StackProduct, refuses_layers_without_a_state_set) {
  Stack stack = register_stack(2, 3);
  stack.architecture.position_codes = {{0, 1, 0}};
  EXPECT_THROW((void)check_stack(stack, NumberFormat::float32, quick()), InputError);
  stack = register_stack(2, 3);
  stack.architecture.layers[1] = constructions::plain_attention(4, models::Residual::parallel);
  EXPECT_THROW((void)check_stack(stack, NumberFormat::float32, quick()), InputError);
}

TEST(StackProduct, a_stack_with_too_many_states_is_not_shown) {
  RandomStackSpec spec;
  spec.grid = {0, 1, {}};  // the format's own numbers
  spec.layers = 1;
  spec.inner_width = 4;
  LowerBoundRequest request;
  const results::Certificate certificate = verify_stack_product_3_5({random_stack(spec)}, request);
  EXPECT_EQ(certificate.verdict, "not shown");
}

TEST(StackProduct, certificate) {
  LowerBoundRequest request;
  request.threads = 2;
  const results::Certificate certificate = verify_stack_product_3_5(request);
  EXPECT_EQ(certificate.verdict, "certified") << certificate.scope;
  EXPECT_EQ(certificate.theorem, "3.5");
}

}  // namespace
}  // namespace hyseq::proofs_check
