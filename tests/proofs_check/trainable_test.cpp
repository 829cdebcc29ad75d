// Answers of the constructions in standard blocks, and the certificates that speak of them.
#include <cmath>

#include <gtest/gtest.h>

#include "kernels/base/error.hpp"
#include "proofs_check/trainable_level/domains.hpp"
#include "proofs_check/trainable_level/positions.hpp"
#include "proofs_check/trainable_level/states.hpp"
#include "proofs_check/trainable_level/subject.hpp"
#include "proofs_check/trainable_level/verify.hpp"

namespace hyseq::proofs_check {
namespace {

using constructions::Fault;
using constructions::TrainableCopySpec;
using constructions::TrainableRecallSpec;

TrainableRequest small_request() {
  TrainableRequest request;
  request.answers = 20000;
  request.width_answers = 5000;
  request.stream_length = 2000;
  return request;
}

template <class Spec>
PositionCounts count(const Spec& spec, std::size_t length, NumberFormat format, std::uint64_t answers = 20000,
                     const std::string& engine = "lanes") {
  RandomPositions random;
  random.length = length;
  random.answers = answers;
  random.format = format;
  random.engine = engine;
  return check_random_positions(constructions::build(spec), *task_of(spec, 0.2), random);
}

TEST(TrainableLevel, copies_at_every_position_at_every_width) {
  for (const int width : {4, 5, 6, 8, 12, 16, 33}) {
    TrainableCopySpec spec;
    spec.width = width;
    for (const NumberFormat format : {NumberFormat::float32, NumberFormat::float64}) {
      const PositionCounts counts = count(spec, 100, format);
      EXPECT_TRUE(counts.all_correct()) << width << ": "
                                        << counts.counterexample->text(constructions::build(spec).token_labels);
      EXPECT_LT(counts.loss, 1e-4);
    }
  }
}

TEST(TrainableLevel, recalls_at_every_position_at_every_width) {
  for (const int width : {6, 7, 8, 9, 12, 16}) {
    TrainableRecallSpec spec;
    spec.width = width;
    for (const NumberFormat format : {NumberFormat::float32, NumberFormat::float64}) {
      const PositionCounts counts = count(spec, 101, format);
      EXPECT_TRUE(counts.all_correct()) << width << ": "
                                        << counts.counterexample->text(constructions::build(spec).token_labels);
      EXPECT_LT(counts.loss, 1e-4);
    }
  }
}

TEST(TrainableLevel, recalls_with_a_second_block) {
  for (const int width : {31, 32}) {
    constructions::DeepRecallSpec spec;
    spec.width = width;
    const PositionCounts counts = count(spec, 101, NumberFormat::float32, 5000);
    EXPECT_TRUE(counts.all_correct()) << width;
    EXPECT_LT(counts.loss, 1e-3);
  }
  constructions::DeepRecallSpec three;
  three.bits = 3;
  three.width = 8;
  three.window = 30;
  EXPECT_TRUE(count(three, 31, NumberFormat::float32).all_correct());
  for (const auto& [name, fault] : faults(three)) {
    constructions::DeepRecallSpec faulty = three;
    faulty.fault = fault;
    EXPECT_FALSE(count(faulty, 31, NumberFormat::float32).all_correct()) << name;
  }
  three.width = 7;
  EXPECT_THROW((void)constructions::build(three), InputError);
}

TEST(TrainableLevel, engines_agree) {
  TrainableCopySpec copy;
  TrainableRecallSpec recall;
  for (const char* engine : {"reference", "dense"}) {
    EXPECT_TRUE(count(copy, 100, NumberFormat::float32, 3000, engine).all_correct()) << engine;
    EXPECT_TRUE(count(recall, 101, NumberFormat::float32, 3000, engine).all_correct()) << engine;
  }
}

TEST(TrainableLevel, random_positions_see_what_is_wrong) {
  const TrainableCopySpec copy;
  auto construction = constructions::build(copy);
  for (double& value : construction.values.back()) value = 0;  // bias of the final norm: no harm
  RandomPositions random;
  random.answers = 5000;
  EXPECT_TRUE(check_random_positions(construction, *task_of(copy, 0.2), random).all_correct());
  for (auto& values : construction.values) {
    for (double& value : values) value = 0;
  }
  const PositionCounts nothing = check_random_positions(construction, *task_of(copy, 0.2), random);
  EXPECT_EQ(nothing.correct, 0U) << "all logits tie";
  EXPECT_NEAR(nothing.loss, std::log(34.0), 1e-5);
  ASSERT_TRUE(nothing.counterexample.has_value());
  EXPECT_EQ(nothing.counterexample->answered, -1);
  const TrainableRecallSpec recall;
  EXPECT_THROW((void)check_random_positions(construction, *task_of(recall, 0.2), random), InputError);
}

TEST(TrainableLevel, states_of_copying_are_as_many_as_numbers) {
  for (const NumberFormat format : {NumberFormat::float32, NumberFormat::float64}) {
    TrainableCopySpec spec;
    // Double has subnormals down to exp(-745).
    if (format == NumberFormat::float64) spec.step_bias = -800;
    const StateResult result = check_states(constructions::build(spec), format);
    EXPECT_EQ(result.promised_states, 6U);
    EXPECT_EQ(result.transitions, 6U * 31U);
    if (format == NumberFormat::float32) {
      EXPECT_TRUE(result.passed()) << result.failure;
    }
  }
  TrainableCopySpec mild;
  mild.step_bias = -12;
  EXPECT_FALSE(check_states(constructions::build(mild), NumberFormat::float32).passed());
}

TEST(TrainableLevel, vocabulary_domains_have_answers) {
  const TrainableCopySpec copy;
  const DomainSpec domain = vocabulary_domains(copy).at(0);
  EXPECT_EQ(domain.allowed.size(), 11U);
  EXPECT_EQ(domain.sequences(), 5.0 * 31 * 31 * 26);
  const std::int32_t five = 26;
  EXPECT_EQ(domain.label(std::vector<std::int32_t>{five, 3, 4, 0, 0, 0, 7}), 3);
  EXPECT_EQ(domain.label(std::vector<std::int32_t>{five, 3, 4, 0}), -1);
  const std::vector<DomainSpec> recall = vocabulary_domains(TrainableRecallSpec{});
  ASSERT_EQ(recall.size(), 2U);
  EXPECT_EQ(recall[0].sequences(), 32.0 * 34 * 32);
  // 10110 spells 22.
  EXPECT_EQ(recall[0].label(std::vector<std::int32_t>{22, 9, 33, 32, 33, 33, 32}), 9);
  EXPECT_EQ(recall[0].label(std::vector<std::int32_t>{21, 9, 33, 32, 33, 33, 32}), -1);
  EXPECT_EQ(recall[1].label(std::vector<std::int32_t>{5, 0, 22, 33, 32, 33, 33, 32}), 33);
}

TEST(TrainableLevel, certifies_both_theorems) {
  TrainableRequest request = small_request();
  request.checks = {"positions", "carry", "widths", "controls"};
  const auto copy = verify(TrainableCopySpec{}, request);
  EXPECT_EQ(copy.verdict, "certified") << copy.scope;
  EXPECT_EQ(copy.level, "trainable");
  EXPECT_EQ(results::find_check(copy, "widths")->figures["least_width"], 4);
  const auto recall = verify(TrainableRecallSpec{}, request);
  EXPECT_EQ(recall.verdict, "certified") << recall.scope;
  EXPECT_EQ(results::find_check(recall, "widths")->figures["least_width"], 6);
  for (const auto& certificate : {copy, recall}) {
    EXPECT_EQ(certificate.checks.size(), 4U);
    for (const auto& control : results::find_check(certificate, "controls")->figures["controls"]) {
      EXPECT_TRUE(control["caught"].get<bool>()) << control["name"];
    }
  }
}

TEST(TrainableLevel, complete_domains_of_narrow_models) {
  TrainableRequest request = small_request();
  request.checks = {"domain"};
  TrainableCopySpec copy;
  copy.width = 4;
  EXPECT_EQ(verify(copy, request).verdict, "certified");
  for (const auto& [spec, length] : small_domains(TrainableRecallSpec{})) {
    EXPECT_TRUE(
        check_domain(constructions::build(spec), NumberFormat::float32, complete_domain(spec, length)).all_correct());
  }
}

TEST(TrainableLevel, a_fault_flips_the_verdict) {
  TrainableRequest request = small_request();
  request.checks = {"positions"};
  for (const auto& [name, fault] : faults(TrainableCopySpec{})) {
    TrainableCopySpec spec;
    spec.fault = fault;
    const auto certificate = verify(spec, request);
    EXPECT_EQ(certificate.verdict, "not shown") << name;
    EXPECT_TRUE(certificate.checks.at(0).figures.contains("counterexample")) << name;
  }
  TrainableRecallSpec spec;
  spec.fault = Fault::no_recency;
  EXPECT_EQ(verify(spec, request).verdict, "not shown");
}

TEST(TrainableLevel, refuses_unknown_checks_and_short_formats) {
  TrainableRequest request = small_request();
  request.checks = {"margins"};
  EXPECT_THROW((void)verify(TrainableCopySpec{}, request), InputError);
  request.checks = {"positions"};
  request.number = NumberFormat::bfloat16;
  EXPECT_THROW((void)verify(TrainableCopySpec{}, request), InputError);
}

TEST(TrainableLevel, exports_what_it_builds) {
  const models::ModelFile file = export_model(TrainableCopySpec{});
  EXPECT_EQ(file.parameters, constructions::build(TrainableCopySpec{}).values);
  EXPECT_EQ(file.input.shape, (std::vector<std::size_t>{1, 100}));
  EXPECT_EQ(file.valid_below(), 31);
  EXPECT_EQ(export_model(TrainableRecallSpec{}).valid_below(), 34);
}

}  // namespace
}  // namespace hyseq::proofs_check
