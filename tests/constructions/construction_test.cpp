// Sizes, formulas, refusals and faults of the two constructions.
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "constructions/decode_recall.hpp"
#include "constructions/selective_copy.hpp"
#include "kernels/base/error.hpp"

namespace hyseq::constructions {
namespace {

constexpr Level kLevels[] = {Level::faithful, Level::streaming};

int log2_up(double x) { return std::max(1, static_cast<int>(std::ceil(std::log2(x)))); }

SelectiveCopySpec copy_spec(Level level, int vocabulary, int distances, int length) {
  SelectiveCopySpec spec;
  spec.level = level;
  spec.vocabulary = vocabulary;
  spec.distances = distances;
  spec.length = length;
  return spec;
}

DecodeRecallSpec recall_spec(Level level, int bits, int length = 0, int window = 0) {
  DecodeRecallSpec spec;
  spec.level = level;
  spec.bits = bits;
  spec.length = length;
  spec.window = window;
  return spec;
}

/// What every construction promises about its own description.
void expect_consistent(const Construction& c) {
  EXPECT_EQ(c.row_labels.size(), static_cast<std::size_t>(c.architecture.width));
  EXPECT_EQ(c.token_labels.size(), static_cast<std::size_t>(c.architecture.vocabulary));
  EXPECT_EQ(std::set<std::string>(c.row_labels.begin(), c.row_labels.end()).size(), c.row_labels.size());
  EXPECT_EQ(std::set<std::string>(c.token_labels.begin(), c.token_labels.end()).size(), c.token_labels.size());
  std::size_t nonzero = 0;
  for (const auto& parameter : c.values) {
    for (const double value : parameter) {
      ASSERT_TRUE(std::isfinite(value));
      if (value != 0) ++nonzero;
    }
  }
  EXPECT_EQ(c.nonzero_parameters(), nonzero);
  std::set<std::vector<double>> codes;
  for (int id = 0; id < c.architecture.vocabulary; ++id) {
    std::vector<double> code;
    for (int i = 0; i < c.token.width; ++i) code.push_back(c.embedding(id, c.token.at(i)));
    for (const double x : code) ASSERT_EQ(std::abs(x), 1.0);
    EXPECT_TRUE(codes.insert(code).second) << "two tokens share a code";
  }
}

TEST(SelectiveCopy, has_the_stated_width_window_and_temperature) {
  for (const int vocabulary : {2, 3, 10, 64, 65, 1000}) {
    for (const int distances : {1, 2, 9, 64, 700}) {
      if (distances > vocabulary) continue;
      for (const int length : {2, 7, 64, 1025}) {
        if (length < distances) continue;
        const auto c = build(copy_spec(Level::faithful, vocabulary, distances, length));
        expect_consistent(c);
        EXPECT_EQ(c.architecture.width, log2_up(vocabulary) + 2 * log2_up(length) + 2);
        EXPECT_LE(c.architecture.width, 2 * log2_up(vocabulary) + 2 * log2_up(length) + 1) << "the theorem's width";
        EXPECT_DOUBLE_EQ(c.temperature, 1 + std::log(std::max(1, distances - 1)) / 2);
        EXPECT_EQ(std::get<models::TransformerBlock>(c.architecture.layers[1]).window, distances);
      }
      const auto c = build(copy_spec(Level::streaming, vocabulary, distances, 0));
      expect_consistent(c);
      EXPECT_EQ(c.architecture.width, log2_up(vocabulary) + 10);
      EXPECT_DOUBLE_EQ(c.temperature, 1.5 * (std::log(std::max(1, distances - 1)) + 2) / c.rotary.gap);
      EXPECT_EQ(std::get<models::TransformerBlock>(c.architecture.layers[1]).window, distances);
    }
  }
}

TEST(SelectiveCopy, streaming_weights_do_not_know_the_length) {
  const auto a = build(copy_spec(Level::streaming, 20, 5, 7));
  const auto b = build(copy_spec(Level::streaming, 20, 5, 1 << 20));
  EXPECT_EQ(a.values, b.values);
  EXPECT_TRUE(a.architecture.position_codes.empty());
}

TEST(DecodeRecall, has_the_stated_width_and_windows) {
  for (const int bits : {1, 2, 3, 5, 7}) {
    for (const int length : {bits + 2, 60, 5000}) {
      const auto c = build(recall_spec(Level::faithful, bits, length));
      expect_consistent(c);
      EXPECT_EQ(c.architecture.width, 3 * log2_up((1 << bits) + 2) + 2 * log2_up(length) + 1);
      EXPECT_EQ(c.spec.window, recall_slots(bits) + bits);
    }
    const auto c = build(recall_spec(Level::streaming, bits));
    expect_consistent(c);
    EXPECT_EQ(c.architecture.width, log2_up((1 << bits) + 2) + 8);
    EXPECT_EQ(std::get<models::TransformerBlock>(c.architecture.layers[1]).window, 2);
    EXPECT_EQ(std::get<models::TransformerBlock>(c.architecture.layers[2]).window, c.spec.window);
    EXPECT_LT(c.lambda, 0.5);
    // Keys are exact squares, and every word's value lies nearest to its own class.
    for (std::size_t w = 0; w < c.word_value.size(); ++w) {
      EXPECT_EQ(c.word_square[w], c.word_value[w] * c.word_value[w]);
    }
  }
}

TEST(DecodeRecall, fills_in_the_length_and_keeps_a_window_that_is_given) {
  const auto filled = build(recall_spec(Level::faithful, 2));
  EXPECT_EQ(filled.spec.length, filled.spec.window + 1);
  EXPECT_EQ(build(recall_spec(Level::faithful, 2, 30, 9)).spec.window, 9);
}

TEST(DecodeRecall, slots_are_the_least_that_reach_99_percent) {
  for (int bits = 1; bits <= 16; ++bits) {
    const int slots = recall_slots(bits);
    const long double miss = 1 - std::ldexp(1.0L, -bits);
    EXPECT_LE(std::pow(miss, static_cast<long double>(slots)), 0.01L) << bits;
    EXPECT_GT(std::pow(miss, static_cast<long double>(slots - 1)), 0.01L) << bits;
  }
  EXPECT_EQ(recall_slots(1), 7);
}

template <class Spec>
void expect_refused(const Spec& spec, const std::vector<std::string>& parts) {
  try {
    (void)build(spec);
    ADD_FAILURE() << "accepted: expected a refusal that names " << parts.front();
  } catch (const InputError& error) {
    const std::string text = error.what();
    for (const std::string& part : parts) EXPECT_NE(text.find(part), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    EXPECT_EQ(text.find(". "), std::string::npos) << "more than one sentence: " << text;
  }
}

TEST(Refusals, name_the_parameter_the_value_and_what_is_allowed) {
  const auto faithful = Level::faithful;
  const auto streaming = Level::streaming;
  expect_refused(copy_spec(faithful, 1, 1, 7), {"vocabulary", "1", "2..4194304"});
  expect_refused(copy_spec(streaming, (1 << 22) + 1, 1, 7), {"vocabulary", "4194305", "2..4194304"});
  expect_refused(copy_spec(streaming, 10, 0, 7), {"distances", "0", "1..vocabulary (10)"});
  expect_refused(copy_spec(faithful, 10, 11, 70), {"distances", "11", "1..vocabulary (10)"});
  expect_refused(copy_spec(faithful, 10, 4, 3), {"length", "3", "4..16777216"});
  expect_refused(copy_spec(faithful, 10, 1, 1), {"length", "1", "16777216"});
  expect_refused(copy_spec(faithful, 10, 4, -5), {"length", "-5"});
  EXPECT_NO_THROW(copy_spec(streaming, 10, 4, -5).validate());  // has no length
  expect_refused(recall_spec(faithful, 0), {"bits", "0", "1..16"});
  expect_refused(recall_spec(streaming, 17), {"bits", "17", "1..16"});
  expect_refused(recall_spec(faithful, 3, 4), {"length", "4", "bits + 2 (5)"});
  expect_refused(recall_spec(faithful, 3, (1 << 24) + 1), {"length", "16777217"});
  expect_refused(recall_spec(streaming, 3, 0, 1), {"window", "1", "2..16777216"});
  expect_refused(recall_spec(faithful, 3, 20, -4), {"window", "-4", "2..16777216"});
  EXPECT_THROW((void)parse_level("trainable"), InputError);
  for (const Level level : kLevels) EXPECT_EQ(parse_level(name(level)), level);
}

template <class Construction>
bool same_model(const Construction& a, const Construction& b) {
  for (std::size_t i = 0; i < a.program.carries.size(); ++i) {
    if (a.program.carries[i].depth != b.program.carries[i].depth) return false;
  }
  return a.values == b.values;
}

TEST(Faults, change_the_model) {
  for (const Level level : kLevels) {
    for (const Fault fault : {Fault::zero_temperature, Fault::short_window, Fault::wrong_code_bit, Fault::broken_carry,
                              Fault::off_by_one}) {
      SelectiveCopySpec copy = copy_spec(level, 6, 4, 6);
      const auto healthy_copy = build(copy);
      copy.fault = fault;
      EXPECT_FALSE(same_model(healthy_copy, build(copy))) << "4.3, fault " << static_cast<int>(fault);
    }
    for (const Fault fault : {Fault::zero_temperature, Fault::short_window, Fault::wrong_code_bit, Fault::broken_carry,
                              Fault::off_by_one, Fault::no_recency, Fault::fast_decay}) {
      if (fault == Fault::fast_decay && level == Level::faithful) continue;  // has no lambda
      DecodeRecallSpec recall = recall_spec(level, 2, level == Level::faithful ? 12 : 0, 6);
      const auto healthy_recall = build(recall);
      recall.fault = fault;
      EXPECT_FALSE(same_model(healthy_recall, build(recall))) << "4.6, fault " << static_cast<int>(fault);
    }
  }
}

}  // namespace
}  // namespace hyseq::constructions
