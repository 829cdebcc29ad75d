// Differentiation of whole programs.
#include "models/backward.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "kernels/base/error.hpp"
#include "kernels/base/random.hpp"
#include "tests/models/golden.hpp"
#include "tests/models/small_models.hpp"

namespace hyseq::models {
namespace {

constexpr DropoutRates kAllSites{0.2, 0.3, 0.25, 0.15};

void expect_same(const kernels::ParameterValues& a, const kernels::ParameterValues& b, const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  for (std::size_t p = 0; p < a.size(); ++p) EXPECT_EQ(first_difference(a[p], b[p]), -1) << what << ", " << p;
}

/// The slope of the loss in a random direction against central differences, whose own error is a millionth of it.
void expect_slope(const kernels::Engine& engine, SmallModel model, const SmallData& data) {
  const kernels::ForwardResult result = engine.forward(model.request(data, NumberFormat::float64));
  ASSERT_EQ(result.gradients.size(), model.parameters.size());
  for (std::size_t p = 0; p < model.parameters.size(); ++p) {
    double slope = 0;
    double size = 0;
    std::vector<double> direction;
    for (std::size_t i = 0; i < model.parameters[p].size(); ++i) {
      direction.push_back(normal_real({77, Purpose::verification}, p, i));
      slope += direction.back() * result.gradients[p][i];
      size += std::abs(direction.back() * result.gradients[p][i]);
    }
    constexpr double h = 1e-5;
    const std::vector<double> centre = model.parameters[p];
    const auto loss_at = [&](double step) {
      for (std::size_t i = 0; i < centre.size(); ++i) model.parameters[p][i] = centre[i] + step * direction[i];
      return engine.forward(model.request(data, NumberFormat::float64)).loss.loss;
    };
    const double difference = (loss_at(h) - loss_at(-h)) / (2 * h);
    model.parameters[p] = centre;
    EXPECT_NEAR(slope, difference, 1e-7 * size + 1e-8)
        << model.name << ", " << model.program.parameters[p].name << ", " << engine.name();
  }
}

TEST(Differentiate, GradientsOfEverySwitchAreSlopesOfTheLoss) {
  const SmallData data = small_data(9, 2, 7);
  for (const auto& [name, architecture] : all_switches()) {
    for (const kernels::Engine* engine : engines_with(NumberFormat::float64)) {
      expect_slope(*engine, SmallModel(name, architecture), data);
    }
  }
}

TEST(Differentiate, GradientsWithDropoutAreSlopesOfTheLossWithTheSameMasks) {
  for (const char* layers : {"SSM,TF", "TF,SSM", "TF,TF"}) {
    for (const kernels::Engine* engine : engines_with(NumberFormat::float64)) {
      expect_slope(*engine, SmallModel(layers, small_architecture(layers), kAllSites), small_data(9, 3, 7));
    }
  }
}

TEST(Differentiate, GradientsOfPackedRowsAreSlopesOfTheLoss) {
  SmallData data = small_data(9, 2, 8);
  data.segments = {0, 0, 0, 1, 1, 1, 1, 1, 4, 3, 3, -1, -1, -1, -1, -1};
  for (const kernels::Engine* engine : engines_with(NumberFormat::float64)) {
    expect_slope(*engine, SmallModel("packed", small_architecture()), data);
  }
}

/// Values of every gradient buffer are NaN before the list runs, so that nothing is read before it is written.
kernels::ExecuteResult run_poisoned(const kernels::Engine& engine, const SmallModel& model, const SmallData& data,
                                    NumberFormat format) {
  const auto forward = model.request(data, format);
  kernels::ExecuteRequest request;
  request.program = &model.program;
  request.parameters = &model.parameters;
  request.format = format;
  request.batch = data.batch;
  request.time = data.time;
  request.tokens = data.tokens;
  request.targets = data.targets;
  request.valid_below = data.valid_below;
  request.dropout = forward.dropout;
  request.backward = true;
  std::vector<std::vector<double>> buffers;
  for (const kernels::BufferInfo& info : model.program.buffers) {
    buffers.emplace_back(data.batch * data.time * static_cast<std::size_t>(info.width),
                         std::numeric_limits<double>::quiet_NaN());
  }
  request.buffers = &buffers;
  return engine.execute(request);
}

TEST(Differentiate, SharedBuffersGiveTheSameBitsAsSeparateOnes) {
  const SmallData data = small_data(9, 2, 6);
  for (const auto& [name, architecture] : all_switches()) {
    for (const DropoutRates& rates : {DropoutRates{}, kAllSites}) {
      const SmallModel shared(name, architecture, rates);
      SmallModel separate = shared;
      differentiate(separate.program, GradientMemory::separate);
      EXPECT_EQ(separate.program.gradients.size(), separate.program.buffers.size());
      EXPECT_LT(shared.program.gradients.size(), separate.program.gradients.size());
      ASSERT_EQ(shared.program.backward.size(), separate.program.backward.size());
      const auto a = run_poisoned(kernels::reference_engine(), shared, data, NumberFormat::float32);
      const auto b = run_poisoned(kernels::reference_engine(), separate, data, NumberFormat::float32);
      expect_same(a.parameter_gradients, b.parameter_gradients, name);
      const auto forward = kernels::reference_engine().forward(shared.request(data, NumberFormat::float32));
      expect_same(a.parameter_gradients, forward.gradients, name);
      for (const auto& gradient : a.parameter_gradients) {
        for (const double value : gradient) ASSERT_TRUE(std::isfinite(value)) << name;
      }
    }
  }
}

TEST(Differentiate, EveryParameterGetsAGradient) {
  const SmallData data = small_data(9, 3, 9);
  const SmallModel model("all", small_architecture("SSM,TF,SSM"));
  const auto result = kernels::reference_engine().forward(model.request(data, NumberFormat::float64));
  for (std::size_t p = 0; p < result.gradients.size(); ++p) {
    double size = 0;
    for (const double value : result.gradients[p]) size += std::abs(value);
    EXPECT_GT(size, 0) << model.program.parameters[p].name;
  }
}

TEST(Differentiate, DeepModelsNeedNoMoreGradientMemoryThanShallowOnes) {
  EXPECT_EQ(lower(small_architecture("(SSM,TF)*2")).gradients.size(),
            lower(small_architecture("(SSM,TF)*9")).gradients.size());
}

TEST(Gradients, AreRefusedWhereTheyHaveNoMeaning) {
  const SmallData data = small_data(9, 1, 4);
  const SmallModel model("refusals", small_architecture());
  for (const kernels::Engine* engine : engines_with(NumberFormat::float64)) {
    auto request = model.request(data, NumberFormat::float64);
    request.gradients = false;
    request.carry_out = true;
    kernels::CarryState carry;
    if (engine == &kernels::reference_engine()) {
      carry = engine->forward(request).carry;
      request = model.request(data, NumberFormat::float64);
      request.carry_in = &carry;
      EXPECT_THROW(static_cast<void>(engine->forward(request)), InputError) << engine->name();
    }
    request = model.request(data, NumberFormat::float64);
    request.targets = {};
    EXPECT_THROW(static_cast<void>(engine->forward(request)), InputError) << engine->name();
    request = model.request(data, NumberFormat::float64);
    kernels::Program forward_only = model.program;
    forward_only.backward.clear();
    request.program = &forward_only;
    EXPECT_THROW(static_cast<void>(engine->forward(request)), InputError) << engine->name();
    request = model.request(data, NumberFormat::float64);
    const std::vector<std::int32_t> outside = {0, 1, 2, 40};
    request.targets = outside;
    request.valid_below = 50;
    EXPECT_THROW(static_cast<void>(engine->forward(request)), InputError) << engine->name();
  }
}

}  // namespace
}  // namespace hyseq::models
