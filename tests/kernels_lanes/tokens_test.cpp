// Sequences are worked on in groups of calls and a few tokens at a time: lengths around the seams, cuts, packed rows.
#include <gtest/gtest.h>

#include "kernels/base/error.hpp"
#include "kernels/lanes/engine.hpp"
#include "kernels/lanes/plan.hpp"
#include "tests/kernels_lanes/every_instruction_set.hpp"
#include "tests/models/golden.hpp"
#include "tests/models/small_models.hpp"

namespace hyseq::models {
namespace {

using kernels::lanes_engine;

/// Like small_architecture, with a window that crosses seams.
SmallModel model_of(const std::string& layers, int window) {
  Architecture architecture = small_architecture(layers);
  for (Block& block : architecture.layers) {
    if (auto* transformer = std::get_if<TransformerBlock>(&block)) transformer->window = window;
  }
  return SmallModel(layers, architecture);
}

void expect_near(const kernels::ParameterValues& a, const kernels::ParameterValues& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t p = 0; p < a.size(); ++p) EXPECT_LT(largest_difference(a[p], b[p]), tolerance) << p;
}

TEST(LanesTokens, LengthsAroundTheSeamsAgreeWithReference) {
  for (const int window : {1, 13, 200}) {
    const SmallModel model = model_of("SSM,TF", window);
    for (const std::size_t time : {1U, 9U, 10U, 11U, 49U, 50U, 51U, 103U}) {
      SmallData data = small_data(9, 2, time);
      for (const bool packed : {false, true}) {
        if (packed) {
          for (std::size_t i = 0; i < data.tokens.size(); ++i) {
            data.segments.push_back(static_cast<std::int32_t>(i * i / 37 % 5));
          }
        }
        const auto request = model.request(data, NumberFormat::float64);
        const auto expected = kernels::reference_engine().forward(request);
        kernels::on_every_instruction_set([&] {
          const auto result = lanes_engine().forward(request);
          EXPECT_LT(largest_difference(result.logits.values, expected.logits.values), 1e-12) << time << " " << window;
          expect_near(result.gradients, expected.gradients, 1e-12);
        });
      }
    }
  }
}

// execute() runs every call alone over whole rows, which is the plain meaning of a program.
TEST(LanesTokens, GroupsOfCallsGiveTheBitsOfCallsOneByOne) {
  const SmallModel model = model_of("SSM,TF,SSM", 13);
  const SmallData data = small_data(9, 3, 53);
  for (const NumberFormat format : {NumberFormat::float64, NumberFormat::float32}) {
    const kernels::ForwardRequest request = model.request(data, format);
    kernels::ExecuteRequest alone;
    alone.program = request.program;
    alone.parameters = request.parameters;
    alone.format = format;
    alone.batch = request.batch;
    alone.time = request.time;
    alone.tokens = request.tokens;
    alone.targets = request.targets;
    alone.valid_below = request.valid_below;
    alone.backward = true;
    std::vector<std::vector<double>> buffers;
    for (const auto& info : model.program.buffers)
      buffers.emplace_back(3UL * 53UL * static_cast<std::size_t>(info.width));
    alone.buffers = &buffers;
    kernels::on_every_instruction_set([&] {
      const auto grouped = lanes_engine().forward(request);
      const auto single = lanes_engine().execute(alone);
      const auto& logits = single.buffers[static_cast<std::size_t>(model.program.logits.buffer)];
      EXPECT_EQ(first_difference(grouped.logits.values, logits), -1);
      // Gradients of parameters add up token by token in another order.
      expect_near(grouped.gradients, single.parameter_gradients, format == NumberFormat::float64 ? 1e-12 : 1e-3);
    });
  }
}

kernels::ForwardResult piece(const SmallModel& model, const SmallData& data, NumberFormat format, std::size_t begin,
                             std::size_t end, const kernels::CarryState* before) {
  std::vector<std::int32_t> tokens;
  std::vector<std::int32_t> segments;
  for (std::size_t b = 0; b < data.batch; ++b) {
    for (std::size_t t = begin; t < end; ++t) {
      tokens.push_back(data.tokens[b * data.time + t]);
      if (!data.segments.empty()) segments.push_back(data.segments[b * data.time + t]);
    }
  }
  kernels::ForwardRequest request;
  request.program = &model.program;
  request.parameters = &model.parameters;
  request.format = format;
  request.batch = data.batch;
  request.time = end - begin;
  request.tokens = tokens;
  request.segments = segments;
  request.carry_in = before;
  request.carry_out = true;
  return lanes_engine().forward(request);
}

TEST(LanesTokens, EveryCutGivesTheBitsOfTheWhole) {
  constexpr std::size_t kTokens = 24;
  for (const int window : {1, 4, 100}) {
    const SmallModel model = model_of("TF,SSM", window);
    SmallData data = small_data(9, 3, kTokens);
    for (const bool packed : {false, true}) {
      if (packed) {
        for (std::size_t i = 0; i < data.tokens.size(); ++i) {
          data.segments.push_back(static_cast<std::int32_t>(i / 9));
        }
      }
      kernels::on_every_instruction_set([&] {
        const auto whole = piece(model, data, NumberFormat::float32, 0, kTokens, nullptr);
        for (std::size_t cut = 1; cut < kTokens; ++cut) {
          const auto first = piece(model, data, NumberFormat::float32, 0, cut, nullptr);
          const auto second = piece(model, data, NumberFormat::float32, cut, kTokens, &first.carry);
          for (std::size_t b = 0; b < data.batch; ++b) {
            ASSERT_EQ(first_difference(slice(first.logits, b, 0, cut), slice(whole.logits, b, 0, cut)), -1) << cut;
            ASSERT_EQ(first_difference(slice(second.logits, b, 0, kTokens - cut), slice(whole.logits, b, cut, kTokens)),
                      -1)
                << cut << " window " << window << " packed " << packed;
          }
          EXPECT_EQ(second.carry.position, whole.carry.position);
          EXPECT_EQ(second.carry.segment, whole.carry.segment);
          for (const auto& [name, array] : whole.carry.arrays) {
            const auto& other = second.carry.arrays.at(name);
            EXPECT_EQ(array.shape, other.shape) << name;
            EXPECT_EQ(first_difference(array.values, other.values), -1) << name << " " << cut;
          }
        }
      });
    }
  }
}

TEST(LanesTokens, CarriesAreThoseOfReference) {
  const SmallModel model = model_of("SSM,TF", 5);
  const SmallData data = small_data(9, 2, 11);
  kernels::ForwardRequest request = model.request(data, NumberFormat::float64);
  request.gradients = false;
  request.carry_out = true;
  const auto expected = kernels::reference_engine().forward(request).carry;
  const auto carry = lanes_engine().forward(request).carry;
  EXPECT_EQ(carry.position, expected.position);
  ASSERT_EQ(carry.arrays.size(), expected.arrays.size());
  for (const auto& [name, array] : expected.arrays) {
    EXPECT_EQ(carry.arrays.at(name).shape, array.shape) << name;
    EXPECT_LT(largest_difference(carry.arrays.at(name).values, array.values), 1e-12) << name;
  }
}

TEST(LanesTokens, WhatTheEngineCannotDoIsRefused) {
  const SmallModel model = model_of("SSM,TF", 5);
  const SmallData data = small_data(9, 2, 7);
  kernels::ForwardRequest request = model.request(data, NumberFormat::float64);
  request.gradients = false;
  request.trace = true;
  EXPECT_THROW(static_cast<void>(lanes_engine().forward(request)), InputError);
  request.trace = false;
  request.format = NumberFormat::bfloat16;
  EXPECT_THROW(static_cast<void>(lanes_engine().forward(request)), InputError);
  request.format = NumberFormat::float64;
  request.carry_out = true;
  auto carry = lanes_engine().forward(request).carry;
  request.carry_in = &carry;
  EXPECT_NO_THROW(static_cast<void>(lanes_engine().forward(request)));
  const SmallModel other = model_of("TF,SSM", 5);
  request.program = &other.program;
  request.parameters = &other.parameters;
  EXPECT_THROW(static_cast<void>(lanes_engine().forward(request)), InputError);
}

TEST(LanePlan, CoversBothListsInOrder) {
  for (const char* layers : {"SSM", "SSM,TF,SSM,SSM,TF"}) {
    Architecture architecture = small_architecture(layers);
    for (const int width : {6, 48}) {
      architecture.width = width;
      const kernels::Program program = lower(architecture);
      for (const std::size_t bytes : {4U, 64U}) {
        const kernels::LanePlan plan = kernels::plan_for_cache(program, bytes, kernels::KeptBuffers::for_backward);
        const auto check = [](const std::vector<kernels::CallGroup>& groups, std::size_t calls) {
          std::size_t next = 0;
          for (const kernels::CallGroup& group : groups) {
            EXPECT_EQ(group.first, next);
            EXPECT_LT(group.first, group.last);
            EXPECT_GE(group.tokens, 1U);
            next = group.last;
          }
          EXPECT_EQ(next, calls);
        };
        check(plan.forward, program.forward.size());
        check(plan.backward, program.backward.size());
      }
    }
  }
}

}  // namespace
}  // namespace hyseq::models
