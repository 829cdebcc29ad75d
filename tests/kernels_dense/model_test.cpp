// Whole models with dropout, packing and windows against the reference engine.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "kernels/base/error.hpp"
#include "kernels/dense/engine.hpp"
#include "tests/kernels_dense/each_instruction_set.hpp"
#include "tests/kernels_dense/hybrid.hpp"

namespace hyseq::kernels::dense {
namespace {

/// The largest difference, relative to the largest magnitude of the array.
double distance(const std::vector<double>& a, const std::vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0;
  double scale = 1e-3;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const double difference = std::abs(a[i] - b[i]);
    if (std::isnan(difference)) return INFINITY;
    largest = std::max(largest, difference);
    scale = std::max(scale, std::abs(b[i]));
  }
  return largest / scale;
}

double distance(const ForwardResult& a, const ForwardResult& b) {
  double largest = std::max(distance(a.logits.values, b.logits.values), std::abs(a.loss.loss - b.loss.loss));
  EXPECT_EQ(a.gradients.size(), b.gradients.size());
  for (std::size_t p = 0; p < a.gradients.size(); ++p) {
    largest = std::max(largest, distance(a.gradients[p], b.gradients[p]));
  }
  return largest;
}

void expect_reference(const Sizes& sizes, const std::string& what) {
  const Hybrid model(sizes);
  const ForwardResult expected = reference_engine().forward(model.request(NumberFormat::float64));
  for_each_instruction_set([&](const std::string& set) {
    const ForwardResult found = dense_engine().forward(model.request(NumberFormat::float64));
    EXPECT_LT(distance(found, expected), 1e-11) << what << " " << set;
    EXPECT_EQ(found.loss.valid, expected.loss.valid) << what;
    EXPECT_EQ(found.loss.correct, expected.loss.correct) << what;
    const ForwardResult in_float = dense_engine().forward(model.request(NumberFormat::float32));
    EXPECT_LT(distance(in_float, expected), 2e-4) << what << " " << set;
  });
}

TEST(DenseModel, AgreesWithReferenceAtLengthsAroundItsBlocks) {
  for (const std::size_t time : {1U, 2U, 15U, 16U, 17U, 63U, 64U, 65U, 130U}) {
    Sizes sizes;
    sizes.time = time;
    expect_reference(sizes, "length " + std::to_string(time));
  }
}

TEST(DenseModel, AgreesWithReferenceAtWindowsAroundItsBlocks) {
  for (const int window : {1, 2, 63, 64, 65, 100, 1000}) {
    Sizes sizes;
    sizes.time = 140;
    sizes.window = window;
    expect_reference(sizes, "window " + std::to_string(window));
  }
}

TEST(DenseModel, AgreesWithReferenceAtWidthsAroundItsVectors) {
  for (const int width : {2, 4, 6, 10, 16, 34, 70, 100}) {
    for (const int states : {1, 5}) {
      Sizes sizes;
      sizes.width = width;
      sizes.states = states;
      sizes.rows = 3;
      expect_reference(sizes, "width " + std::to_string(width));
    }
  }
}

TEST(DenseModel, AgreesWithReferenceOnPackedExamples) {
  for (const std::vector<std::size_t>& lengths : {std::vector<std::size_t>{3, 5, 1, 7}, {1, 64, 1, 70}, {17, 15, 32}}) {
    Sizes sizes;
    sizes.segments = lengths;
    sizes.time = 0;
    for (const std::size_t length : lengths) sizes.time += length;
    for (const int window : {3, 1000}) {
      sizes.window = window;
      expect_reference(sizes, "packed from " + std::to_string(lengths[0]));
    }
  }
}

TEST(DenseModel, AgreesWithReferenceWithGelu) {
  Sizes sizes;
  sizes.activation = models::Activation::gelu;
  expect_reference(sizes, "gelu");
}

// The comparison must see what it is there for.
TEST(DenseModel, ComparisonCatchesAWindowOffByOneAndAnotherDropoutSeed) {
  Sizes sizes;
  const Hybrid model(sizes);
  const ForwardResult expected = reference_engine().forward(model.request(NumberFormat::float64));
  ++sizes.window;
  EXPECT_GT(distance(dense_engine().forward(Hybrid(sizes).request(NumberFormat::float64)), expected), 1e-6);
  ForwardRequest other_seed = model.request(NumberFormat::float64);
  ++other_seed.dropout.seed;
  EXPECT_GT(distance(dense_engine().forward(other_seed), expected), 1e-3);
}

// A backward list on its own has no kept states and sums to fall back on.
TEST(DenseModel, BackwardAloneRecomputesWhatForwardWouldHaveKept) {
  Sizes sizes;
  sizes.time = 70;
  const Hybrid model(sizes);
  ExecuteRequest request;
  request.program = &model.training;
  request.parameters = &model.parameters;
  request.batch = model.rows;
  request.time = model.time;
  request.tokens = model.tokens;
  request.targets = model.targets;
  request.valid_below = Hybrid::kValidBelow;
  request.dropout = {77, 3};
  request.backward = true;
  const ExecuteResult whole = dense_engine().execute(request);
  Program backward_only = model.training;
  backward_only.forward.clear();
  request.program = &backward_only;
  request.buffers = &whole.buffers;
  const ExecuteResult alone = dense_engine().execute(request);
  ASSERT_EQ(alone.parameter_gradients.size(), whole.parameter_gradients.size());
  for (std::size_t p = 0; p < whole.parameter_gradients.size(); ++p) {
    EXPECT_LT(distance(alone.parameter_gradients[p], whole.parameter_gradients[p]), 1e-12)
        << model.training.parameters[p].name;
  }
}

TEST(DenseModel, HugeScoresStayFinite) {
  Hybrid model({});
  for (std::size_t p = 0; p < model.parameters.size(); ++p) {
    if (model.training.parameters[p].name != "layers.1.tf.qkv.weight") continue;
    for (double& value : model.parameters[p]) value *= 1e8;
  }
  for (const NumberFormat format : {NumberFormat::float32, NumberFormat::float64}) {
    const ForwardResult result = dense_engine().forward(model.request(format));
    EXPECT_TRUE(std::isfinite(result.loss.loss));
    for (const double logit : result.logits.values) EXPECT_TRUE(std::isfinite(logit));
  }
}

TEST(DenseModel, RefusesWhatItCannotDo) {
  const Hybrid model({});
  ForwardRequest request = model.request(NumberFormat::bfloat16);
  EXPECT_THROW(static_cast<void>(dense_engine().forward(request)), InputError);
  request = model.request(NumberFormat::float32);
  request.trace = true;
  EXPECT_THROW(static_cast<void>(dense_engine().forward(request)), InputError);
  request = model.request(NumberFormat::float32);
  request.carry_out = true;
  EXPECT_THROW(static_cast<void>(dense_engine().forward(request)), InputError);
  request = model.request(NumberFormat::float32);
  const std::vector<std::int32_t> outside(model.tokens.size(), Hybrid::kVocabulary);
  request.tokens = outside;
  EXPECT_THROW(static_cast<void>(dense_engine().forward(request)), InputError);
  EXPECT_THROW(select_instruction_set("avx1024"), InputError);
}

}  // namespace
}  // namespace hyseq::kernels::dense
