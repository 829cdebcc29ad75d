// Oracle and streams.
#include "proofs_check/streams.hpp"

#include <memory>
#include <set>

#include <gtest/gtest.h>

#include "kernels/base/random.hpp"
#include "tasks/registry.hpp"
#include "tests/proofs_check/fixture.hpp"

namespace hyseq::proofs_check {
namespace {

Tokens random_tokens(std::size_t length, int vocabulary, std::uint64_t index) {
  RandomStream random({31, Purpose::verification}, index);
  Tokens tokens(length);
  for (auto& token : tokens) {
    token = static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(vocabulary)));
  }
  return tokens;
}

std::int32_t answer(const Tokens& input, std::int32_t source) {
  return source < 0 ? -1 : input[static_cast<std::size_t>(source)];
}

TEST(Oracle, of_selective_copy_is_the_theorem_at_every_position) {
  for (const auto& [vocabulary, distances] : {std::pair{2, 1}, {3, 3}, {9, 4}, {12, 9}}) {
    const auto spec = copy_spec(Level::streaming, vocabulary, distances, 0);
    const Oracle oracle(spec);
    for (std::uint64_t index = 0; index < 20; ++index) {
      const Tokens input = random_tokens(60, vocabulary, index);
      const auto sources = oracle.sources(input);
      for (std::size_t t = 0; t < input.size(); ++t) {
        ASSERT_EQ(answer(input, sources[t]), constructions::naive_copy(spec, input, static_cast<int>(t))) << t;
        const Tokens prefix(input.begin(), input.begin() + static_cast<std::ptrdiff_t>(t) + 1);
        ASSERT_EQ(oracle.last_answer(prefix), answer(input, sources[t])) << t;
      }
      const auto last = Oracle(copy_spec(Level::faithful, vocabulary, distances, 60)).sources(input);
      EXPECT_EQ(last.back(), sources.back());
      EXPECT_EQ(std::set<std::int32_t>(last.begin(), last.end() - 1), std::set<std::int32_t>{-1});
    }
  }
}

TEST(Oracle, of_recall_is_the_theorem_within_the_window) {
  for (const auto& [bits, window] : {std::pair{1, 2}, {1, 8}, {2, 5}, {3, 30}}) {
    const auto streaming = recall_spec(Level::streaming, bits, 0, window);
    const Oracle oracle(streaming);
    for (std::uint64_t index = 0; index < 20; ++index) {
      Tokens input = random_tokens(70, streaming.words() + 2, index);
      const auto sources = oracle.sources(input);
      for (std::size_t t = 0; t < input.size(); ++t) {
        ASSERT_EQ(answer(input, sources[t]),
                  constructions::naive_recall(streaming, window, input, static_cast<int>(t)));
      }
      const auto faithful = recall_spec(Level::faithful, bits, 40, window);
      input = random_tokens(40, faithful.words(), index);
      for (std::size_t i = 40 - static_cast<std::size_t>(bits); i < 40; ++i) {
        input[i] = faithful.words() + input[i] % 2;
      }
      EXPECT_EQ(Oracle(faithful).last_answer(input), constructions::naive_recall(faithful, window, input, 39));
    }
  }
}

/// Answers of the registered tasks, which are compared with the published data elsewhere.
TEST(Oracle, agrees_with_the_registered_tasks) {
  const auto compare = [](const std::string& task_name, const tasks::OptionMap& options, int vocabulary,
                          const Oracle& oracle) {
    const auto task = tasks::make_task(task_name, options);
    const Tokens input = random_tokens(500, vocabulary, 99);
    Tokens target(input.size());
    task->label(input, target);
    const auto sources = oracle.sources(input);
    for (std::size_t t = 0; t < input.size(); ++t) {
      ASSERT_EQ(sources[t] < 0 ? task->vocabulary().null() : answer(input, sources[t]), target[t]) << task_name << t;
    }
  };
  compare("selective_copy", {{"values", "5"}, {"distance-min", "0"}, {"distance-count", "4"}}, 9,
          Oracle(copy_spec(Level::streaming, 9, 4, 0)));
  compare("decode_recall", {{"bits", "2"}}, 6, Oracle(recall_spec(Level::streaming, 2, 0, 1000)));
}

TEST(Streams, healthy_constructions_answer_every_position) {
  for (const NumberFormat format : kFormats) {
    const auto copy = copy_spec(Level::streaming, 9, 5, 0);
    const auto copy_weights = constructions::build(copy);
    for (const Stream& stream : selective_copy_streams(copy, 3000, 3)) {
      const StreamResult result = check_stream(copy_weights, format, Oracle(copy), stream);
      EXPECT_TRUE(result.all_correct()) << name(format) << ", " << stream.name;
      EXPECT_EQ(result.positions, 3000U);
    }
    const auto recall = recall_spec(Level::streaming, 1, 0, 8);
    const auto recall_weights = constructions::build(recall);
    for (const Stream& stream : decode_recall_streams(recall, 3000, 3)) {
      const StreamResult result = check_stream(recall_weights, format, Oracle(recall), stream);
      EXPECT_EQ(result.correct, result.defined) << name(format) << ", " << stream.name;
    }
  }
}

TEST(Streams, are_over_the_vocabulary_differ_and_follow_the_seed) {
  const auto expect_proper = [](const std::vector<Stream>& a, const std::vector<Stream>& again,
                                const std::vector<Stream>& reseeded, int vocabulary) {
    std::set<Tokens> distinct;
    std::set<std::string> names;
    bool seed_matters = false;
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(a[i].tokens.size(), 500U);
      EXPECT_GE(*std::min_element(a[i].tokens.begin(), a[i].tokens.end()), 0);
      EXPECT_LT(*std::max_element(a[i].tokens.begin(), a[i].tokens.end()), vocabulary);
      EXPECT_EQ(a[i].tokens, again[i].tokens);
      seed_matters = seed_matters || a[i].tokens != reseeded[i].tokens;
      distinct.insert(a[i].tokens);
      names.insert(a[i].name);
    }
    EXPECT_TRUE(seed_matters);
    EXPECT_EQ(distinct.size(), a.size());
    EXPECT_EQ(names.size(), a.size());
  };
  for (const auto& [vocabulary, distances] : {std::pair{9, 4}, {4, 4}, {3, 1}}) {
    const auto copy = copy_spec(Level::streaming, vocabulary, distances, 0);
    const auto streams = selective_copy_streams(copy, 500, 1);
    if (vocabulary == 9) {
      expect_proper(streams, selective_copy_streams(copy, 500, 1), selective_copy_streams(copy, 500, 2), vocabulary);
    }
    for (const Stream& stream : streams) {
      for (const std::int32_t token : stream.tokens) ASSERT_TRUE(token >= 0 && token < vocabulary) << stream.name;
    }
  }
  const auto recall = recall_spec(Level::streaming, 3, 0, 20);
  expect_proper(decode_recall_streams(recall, 500, 1), decode_recall_streams(recall, 500, 1),
                decode_recall_streams(recall, 500, 2), recall.words() + 2);
}

TEST(Streams, catch_a_broken_carry_that_short_domains_may_miss) {
  for (const NumberFormat format : kFormats) {
    const auto spec = copy_spec(Level::streaming, 6, 4, 0, Fault::broken_carry);
    const auto weights = constructions::build(spec);
    bool caught = false;
    for (const Stream& stream : selective_copy_streams(spec, 3000, 1)) {
      const StreamResult result = check_stream(weights, format, Oracle(spec), stream);
      if (result.correct == result.defined) continue;
      caught = true;
      ASSERT_TRUE(result.counterexample.has_value());
      EXPECT_NE(result.counterexample->expected, result.counterexample->answered);
      const StreamResult first = check_stream(weights, format, Oracle(spec), stream, true);
      EXPECT_EQ(first.counterexample->input, result.counterexample->input);
      EXPECT_EQ(first.defined, first.correct + 1) << "stops at the first error";
    }
    EXPECT_TRUE(caught) << name(format);
  }
}

template <class Spec>
StreamResult run_round(const Spec& weights_of, const Spec& promise, int threads, std::uint64_t rounds = 3) {
  const auto construction = constructions::build(weights_of);
  return check_sequences(
      construction, NumberFormat::float32, Oracle(promise), rounds * faithful_round(promise),
      [&](std::uint64_t index) { return faithful_sequence(promise, index, 1); }, threads);
}

TEST(FaithfulSequences, go_through_every_number_token_word_and_place) {
  const auto copy = copy_spec(Level::faithful, 40, 9, 30);
  std::set<std::int32_t> answers;
  std::set<std::int32_t> sources;
  for (std::uint64_t i = 0; i < 40 * faithful_round(copy); ++i) {
    const Tokens input = faithful_sequence(copy, i, 1);
    ASSERT_EQ(input.size(), 30U);
    const std::int32_t source = Oracle(copy).sources(input).back();
    ASSERT_GE(source, 0) << i;
    sources.insert(source);
    answers.insert(input[static_cast<std::size_t>(source)]);
  }
  EXPECT_EQ(answers.size(), 40U);
  EXPECT_EQ(sources.size(), 9U);

  const auto recall = recall_spec(Level::faithful, 3, 60, 38);
  std::set<std::int32_t> places;
  for (std::uint64_t i = 0; i < 8 * faithful_round(recall); ++i) {
    places.insert(Oracle(recall).sources(faithful_sequence(recall, i, 1)).back());
  }
  EXPECT_EQ(places.size(), 35U) << "window 38 less 3 query bits";
  EXPECT_FALSE(places.contains(-1));
}

TEST(FaithfulSequences, are_right_whatever_the_number_of_threads) {
  for (const int threads : {1, 3}) {
    const StreamResult copy =
        run_round(copy_spec(Level::faithful, 40, 9, 30), copy_spec(Level::faithful, 40, 9, 30), threads);
    EXPECT_TRUE(copy.all_correct());
    EXPECT_EQ(copy.defined, 120U);
    const auto recall = recall_spec(Level::faithful, 3, 60, 38);
    EXPECT_TRUE(run_round(recall, recall, threads).all_correct());
  }
}

TEST(FaithfulSequences, catch_every_fault_with_the_same_counterexample_on_any_threads) {
  const auto copy = copy_spec(Level::faithful, 40, 9, 30);
  for (const Fault fault :
       {Fault::zero_temperature, Fault::short_window, Fault::wrong_code_bit, Fault::broken_carry, Fault::off_by_one}) {
    const auto faulty = copy_spec(Level::faithful, 40, 9, 30, fault);
    const StreamResult one = run_round(faulty, copy, 1);
    ASSERT_TRUE(one.counterexample.has_value()) << static_cast<int>(fault);
    EXPECT_EQ(one.counterexample->input, run_round(faulty, copy, 3).counterexample->input);
  }
  const auto recall = recall_spec(Level::faithful, 3, 60, 38);
  for (const Fault fault : {Fault::zero_temperature, Fault::short_window, Fault::wrong_code_bit, Fault::broken_carry,
                            Fault::off_by_one, Fault::no_recency}) {
    EXPECT_TRUE(run_round(recall_spec(Level::faithful, 3, 60, 38, fault), recall, 1).counterexample.has_value())
        << static_cast<int>(fault);
  }
}

}  // namespace
}  // namespace hyseq::proofs_check
