// Training semantics that users of similar tools ran into: packed examples, padding, batches without answers.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "tests/models/golden.hpp"
#include "tests/models/small_models.hpp"

namespace hyseq::models {
namespace {

constexpr std::size_t kLengths[] = {3, 5, 1, 7};
constexpr std::size_t kPacked = 16;

SmallData packed_data() {
  SmallData data = small_data(9, 1, kPacked);
  std::int32_t id = 4;
  for (const std::size_t length : kLengths) {
    data.segments.insert(data.segments.end(), length, id);
    id += 3;
  }
  return data;
}

/// Example `begin .. begin + length` of a packed row by itself.
SmallData alone(const SmallData& packed, std::size_t begin, std::size_t length) {
  const auto cut = [&](const std::vector<std::int32_t>& all) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(begin);
    return std::vector<std::int32_t>(first, first + static_cast<std::ptrdiff_t>(length));
  };
  return {1, length, cut(packed.tokens), cut(packed.targets), {}, packed.valid_below};
}

const std::vector<SmallModel>& models_of_both_kinds() {
  static const std::vector<SmallModel> models = {{"SSM,TF", small_architecture("SSM,TF")},
                                                 {"TF,TF", small_architecture("TF,TF")},
                                                 {"SSM", small_architecture("SSM")}};
  return models;
}

void expect_near(const std::vector<double>& a, const std::vector<double>& b, double bound, const std::string& what) {
  EXPECT_LE(largest_difference(a, b), bound) << what;
}

TEST(Packing, EqualsSeparateRunsGradientsIncluded) {
  const SmallData packed = packed_data();
  for (const SmallModel& model : models_of_both_kinds()) {
    for (const kernels::Engine* engine : engines_with(NumberFormat::float64)) {
      const auto together = engine->forward(model.request(packed, NumberFormat::float64));
      kernels::ParameterValues sums;
      for (const auto& values : model.parameters) sums.emplace_back(values.size(), 0.0);
      std::int64_t valid = 0;
      std::size_t begin = 0;
      for (const std::size_t length : kLengths) {
        const SmallData own = alone(packed, begin, length);
        const auto result = engine->forward(model.request(own, NumberFormat::float64));
        const std::vector<double> part = slice(together.logits, 0, begin, begin + length);
        expect_near(part, result.logits.values, 1e-12, model.name + " on " + std::string(engine->name()));
        if (engine == &kernels::reference_engine()) {
          EXPECT_EQ(first_difference(part, result.logits.values), -1) << model.name;
        }
        for (std::size_t p = 0; p < sums.size(); ++p) {
          for (std::size_t i = 0; i < sums[p].size(); ++i) {
            sums[p][i] += static_cast<double>(result.loss.valid) * result.gradients[p][i];
          }
        }
        valid += result.loss.valid;
        begin += length;
      }
      ASSERT_EQ(valid, together.loss.valid);
      for (std::size_t p = 0; p < sums.size(); ++p) {
        for (double& value : sums[p]) value /= static_cast<double>(valid);
        expect_near(together.gradients[p], sums[p], 1e-12,
                    model.program.parameters[p].name + " on " + std::string(engine->name()));
      }
    }
  }
}

TEST(Packing, EditingOneExampleLeavesTheOthersBitIdentical) {
  const SmallData packed = packed_data();
  for (const SmallModel& model : models_of_both_kinds()) {
    for (const kernels::Engine* engine : kernels::engines()) {
      for (const NumberFormat format : engine->formats()) {
        const auto before = engine->forward(model.request(packed, format));
        std::size_t begin = 0;
        for (const std::size_t length : kLengths) {
          SmallData edited = packed;
          for (std::size_t t = begin; t < begin + length; ++t) edited.tokens[t] = (edited.tokens[t] + 1) % 9;
          const auto after = engine->forward(model.request(edited, format));
          const std::size_t end = begin + length;
          EXPECT_EQ(first_difference(slice(before.logits, 0, 0, begin), slice(after.logits, 0, 0, begin)), -1);
          EXPECT_EQ(first_difference(slice(before.logits, 0, end, kPacked), slice(after.logits, 0, end, kPacked)), -1);
          EXPECT_NE(first_difference(slice(before.logits, 0, begin, end), slice(after.logits, 0, begin, end)), -1);
          begin = end;
        }
      }
    }
  }
}

TEST(Targets, NoneThatCountsGivesZeroGradientsAndNoNaN) {
  SmallData data = small_data(9, 2, 5);
  for (const std::int32_t target : {-1, 6, 8}) {  // below zero and special
    data.targets.assign(10, target);
    for (const SmallModel& model : models_of_both_kinds()) {
      for (const kernels::Engine* engine : kernels::engines()) {
        for (const NumberFormat format : engine->formats()) {
          const auto result = engine->forward(model.request(data, format));
          EXPECT_EQ(result.loss.valid, 0);
          EXPECT_EQ(result.loss.correct, 0);
          EXPECT_EQ(result.loss.loss, 0);
          for (const auto& gradient : result.gradients) {
            for (const double value : gradient) ASSERT_EQ(value, 0) << model.name << " " << engine->name();
          }
        }
      }
    }
  }
}

TEST(Padding, WindowsOfNothingButPaddingGiveFiniteGradients) {
  SmallData data = small_data(9, 2, 12);
  for (std::size_t t = 0; t < 24; ++t) {
    const bool padding = t < 12 ? t >= 4 : true;  // longer than the window; the second row is padding alone
    data.segments.push_back(padding ? -1 : 0);
    if (!padding) continue;
    data.tokens[t] = 8;
    data.targets[t] = 8;
  }
  for (const SmallModel& model : models_of_both_kinds()) {
    for (const kernels::Engine* engine : kernels::engines()) {
      for (const NumberFormat format : engine->formats()) {
        const auto result = engine->forward(model.request(data, format));
        EXPECT_GT(result.loss.valid, 0);
        for (const double logit : result.logits.values) ASSERT_TRUE(std::isfinite(logit)) << engine->name();
        for (const auto& gradient : result.gradients) {
          for (const double value : gradient) ASSERT_TRUE(std::isfinite(value)) << engine->name();
        }
      }
    }
  }
}

// Padding to the right needs no segments: a causal model never sees it.
TEST(Padding, ToTheRightChangesNoGradient) {
  const SmallData data = small_data(9, 1, 6);
  SmallData padded = data;
  padded.time = 11;
  padded.tokens.resize(11, 8);
  padded.targets.resize(11, 8);
  for (const SmallModel& model : models_of_both_kinds()) {
    for (const kernels::Engine* engine : engines_with(NumberFormat::float64)) {
      const auto plain = engine->forward(model.request(data, NumberFormat::float64));
      const auto longer = engine->forward(model.request(padded, NumberFormat::float64));
      EXPECT_EQ(plain.loss.valid, longer.loss.valid);
      for (std::size_t p = 0; p < plain.gradients.size(); ++p) {
        expect_near(plain.gradients[p], longer.gradients[p], 1e-13, model.program.parameters[p].name);
      }
    }
  }
}

}  // namespace
}  // namespace hyseq::models
