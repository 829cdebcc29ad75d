#include "trainers/schedule.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "kernels/base/hdf5_file.hpp"

namespace hyseq::trainers {
namespace {

OptimiserConfiguration schedule(std::int64_t warmup, std::int64_t steps, Decay decay = Decay::linear) {
  OptimiserConfiguration options;
  options.learning_rate = 0.3;
  options.warmup = warmup;
  options.steps = steps;
  options.decay = decay;
  return options;
}

TEST(Schedule, EqualsTheGoldenTraces) {
  for (const char* name : {"train_SSM-TF_d8.h5", "train_TF-TF_d4.h5"}) {
    const Hdf5Reader file(std::string(HYSEQ_GOLDEN_DIR) + "/" + name);
    OptimiserConfiguration options =
        schedule(file.integer_attribute("warmup_steps"), file.integer_attribute("total_steps"));
    options.learning_rate = file.real_attribute("lr_peak");
    const std::vector<double> rates = file.read_reals("lr").values;
    ASSERT_GT(rates.size(), 3u);
    for (std::size_t s = 0; s < rates.size(); ++s)
      EXPECT_NEAR(learning_rate(options, static_cast<std::int64_t>(s)), rates[s], 1e-16) << name << " step " << s;
  }
}

TEST(Schedule, EveryWarmUpIsFiniteAndReachesThePeak) {
  for (const Decay decay : {Decay::linear, Decay::cosine}) {
    for (const auto& [warmup, steps] : {std::pair{10, 10}, {0, 1}, {1, 1}, {0, 7}, {3, 7}, {6, 7}}) {
      const OptimiserConfiguration options = schedule(warmup, steps, decay);
      double largest = 0;
      for (std::int64_t s = 0; s <= steps; ++s) {
        const double rate = learning_rate(options, s);
        EXPECT_TRUE(std::isfinite(rate)) << warmup << " of " << steps << " at " << s;
        EXPECT_GE(rate, 0);
        largest = std::max(largest, rate);
      }
      EXPECT_EQ(learning_rate(options, warmup), 0.3);
      EXPECT_EQ(largest, 0.3) << warmup << " of " << steps;
      if (warmup > 0) {
        EXPECT_EQ(learning_rate(options, 0), 0);
      }
      if (warmup < steps) {
        EXPECT_NEAR(learning_rate(options, steps), 0, 1e-16);
      }
    }
  }
}

TEST(Schedule, CosineIsHalfWayInTheMiddle) {
  const OptimiserConfiguration options = schedule(4, 12, Decay::cosine);
  EXPECT_NEAR(learning_rate(options, 8), 0.15, 1e-15);
  EXPECT_NEAR(learning_rate(options, 6), 0.15 * (1 + std::cos(std::numbers::pi / 4)), 1e-15);
  EXPECT_NEAR(learning_rate(schedule(4, 12), 6), 0.3 * 0.75, 1e-15);
}

}  // namespace
}  // namespace hyseq::trainers
