// No kernel of the cuda engine depends on the order of blocks, or of threads through global memory: steps and
// evaluations on the emulated device with every kernel run in both orders.
#include <gtest/gtest.h>

#include "kernels/cuda/device.hpp"
#include "kernels/cuda/engine.hpp"
#include "tests/models/cohort_members.hpp"

namespace hyseq::models {
namespace {

/// Two members with three rows each.
void train_in_both_orders(const std::string& name, const Architecture& architecture, std::size_t time,
                          NumberFormat format, std::uint64_t steps) {
  SCOPED_TRACE(name);
  const SmallModel training(name, architecture, {0.1, 0.1, 0.1, 0.1});
  const SmallModel evaluation(name, architecture);
  const Members members({1, 2}, 3, time);
  const auto cohort =
      kernels::emulated_cuda_engine().make_cohort(cohort_request(training, evaluation, format, 2, time));
  for (std::size_t m = 0; m < 2; ++m) cohort->set_parameters(m, evaluation.parameters);
  const kernels::cuda::BothOrders both;
  EXPECT_NO_THROW({
    for (std::uint64_t step = 0; step < steps; ++step)
      for (const MemberStep& result : members.step(*cohort, step)) EXPECT_TRUE(result.finite());
  });
  std::vector<kernels::LossResult> losses(2);
  std::vector<std::uint8_t> marks(members.tokens.size());
  EXPECT_NO_THROW(cohort->evaluate(members.batch(), losses, marks));
}

TEST(DeviceOrder, NoKernelDependsOnItForAnySwitch) {
  for (const auto& [name, architecture] : all_switches())
    train_in_both_orders(name, architecture, 13, NumberFormat::float64, 2);
}

TEST(DeviceOrder, NoKernelDependsOnItForLongRows) {
  Architecture wide = small_architecture();
  wide.width = 20;
  for (const NumberFormat format : {NumberFormat::float32, NumberFormat::bfloat16})
    train_in_both_orders("long rows", wide, 120, format, 1);
  for (auto& layer : wide.layers)
    if (auto* block = std::get_if<TransformerBlock>(&layer)) block->window = 120;
  train_in_both_orders("long rows and window", wide, 120, NumberFormat::float32, 1);
}

}  // namespace
}  // namespace hyseq::models
