#include "trainers/ceiling.hpp"

#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "models/architecture.hpp"

namespace hyseq::trainers {
namespace {

RunConfiguration copying(const std::string& layers, int window) {
  RunConfiguration run;
  models::TransformerBlock transformer;
  transformer.window = window;
  transformer.rotary_width = 4;
  run.architecture.width = 4;
  run.architecture.layers = models::parse_layers(layers, transformer, {});
  run.data.task = "selective_copy";
  run.data.options = complete_options(
      "selective_copy", {{"values", "26"}, {"distance-min", "5"}, {"distance-count", "5"}, {"number-share", "0.2"}});
  run.data.lengths = {100, 100};
  run.evaluation.rows = 200;
  return run;
}

TEST(Ceiling, FallsWithTheReceptiveField) {
  // Without a number token in sight, one of five distances has to be guessed: 0.8^20 of the positions for one window of
  // 20 tokens, and 0.8^39 for two of them.
  const double one = accuracy_ceiling(copying("TF", 20)).value(), two = accuracy_ceiling(copying("TF,TF", 20)).value();
  EXPECT_NEAR(one, 1 - 0.75 * 0.0115, 0.004);
  EXPECT_GT(two, 0.999);
  EXPECT_LT(two, 1);
  EXPECT_LT(accuracy_ceiling(copying("TF", 3)).value(), 0.1) << "no source is in sight";
}

TEST(Ceiling, IsThereOnlyWhereAModelSeesLess) {
  EXPECT_FALSE(accuracy_ceiling(copying("TF,TF", 51)));
  EXPECT_TRUE(accuracy_ceiling(copying("TF,TF", 50)));
  EXPECT_FALSE(accuracy_ceiling(copying("SSM,TF", 2)));
  RunConfiguration random = copying("TF", 20);
  random.data.random_targets = true;
  EXPECT_FALSE(accuracy_ceiling(random));
}

}  // namespace
}  // namespace hyseq::trainers
