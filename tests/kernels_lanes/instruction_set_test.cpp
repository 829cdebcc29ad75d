#include <algorithm>
#include <limits>

#include <gtest/gtest.h>

#include "kernels/base/error.hpp"
#include "kernels/lanes/engine.hpp"
#include "kernels/lanes/flush_subnormals.hpp"
#include "tests/kernels_lanes/every_instruction_set.hpp"

namespace hyseq::kernels {
namespace {

TEST(InstructionSets, AreSelectedByName) {
  const auto names = available_instruction_sets();
  ASSERT_FALSE(names.empty());
  EXPECT_EQ(names.back(), "portable");
  EXPECT_EQ(current_instruction_set(), names.front());
  for (const std::string& name : names) {
    select_instruction_set(name);
    EXPECT_EQ(current_instruction_set(), name);
    EXPECT_EQ(available_instruction_sets(), names);  // the choice hides none
  }
  select_instruction_set("best");
  EXPECT_EQ(current_instruction_set(), names.front());
  EXPECT_THROW(select_instruction_set("avx1024"), InputError);
  EXPECT_THROW(select_instruction_set(""), InputError);
  EXPECT_EQ(current_instruction_set(), names.front());
}

TEST(InstructionSets, SetTheSizeOfACohort) {
  on_every_instruction_set([] {
    const std::string name = current_instruction_set();
    const std::size_t floats = name == "avx512" ? 16 : name == "avx2" ? 8 : name == "portable" ? 1 : 4;
    EXPECT_EQ(lanes_engine().cohort_size(NumberFormat::float32), floats);
    EXPECT_EQ(lanes_engine().cohort_size(NumberFormat::float64), std::max<std::size_t>(floats / 2, 1));
    EXPECT_EQ(lanes_engine().cohort_size(NumberFormat::bfloat16), 0U);
    EXPECT_EQ(lanes_engine().cohort_size(NumberFormat::float16), 0U);
  });
}

TEST(FlushSubnormals, LastsAsLongAsItsObject) {
  volatile float least_normal = std::numeric_limits<float>::min();
  EXPECT_GT(least_normal / 2, 0.0F);
  {
    const FlushSubnormals flush;
    EXPECT_EQ(least_normal / 2, 0.0F);
  }
  EXPECT_GT(least_normal / 2, 0.0F);
}

}  // namespace
}  // namespace hyseq::kernels
