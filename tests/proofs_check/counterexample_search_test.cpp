// What the search for counterexamples claims and what it does not; its guided part, threads, time and odd models.
#include <algorithm>
#include <atomic>
#include <limits>

#include <gtest/gtest.h>

#include "proofs_check/counterexample/certificate.hpp"
#include "proofs_check/counterexample/examine.hpp"
#include "tests/proofs_check/counterexample_fixture.hpp"

namespace hyseq::proofs_check {
namespace {

/// No token can be left out or lowered, one at a time, without the failure going away.
void expect_locally_minimal(const Question& question, const Sequence& failing) {
  const auto fails = [&](const Sequence& sequence) { return examine(question, sequence).failure.has_value(); };
  EXPECT_TRUE(fails(failing));
  for (std::size_t t = 0; t < failing.size(); ++t) {
    Sequence shorter = failing;
    shorter.erase(shorter.begin() + static_cast<std::ptrdiff_t>(t));
    EXPECT_TRUE(shorter.empty() || !fails(shorter)) << "without position " << t;
    for (std::int32_t token = 0; token < failing[t]; ++token) {
      Sequence lower = failing;
      lower[t] = token;
      EXPECT_FALSE(fails(lower)) << token << " at " << t;
    }
  }
}

/// Wrong only where number 10 asks for the tenth token back: no sequence of less than 10 tokens shows it.
TEST(Counterexample, a_failure_beyond_the_exhaustive_length_is_found_and_made_small) {
  const Case model = copy_case(copy_spec(Level::streaming, 12, 10, 0, Fault::short_window));
  const SearchRequest request = model.request(30, 20000);
  const SearchResult result = search_counterexample(request);
  ASSERT_TRUE(result.found.has_value());
  EXPECT_EQ(result.right_up_to(), 3U);
  EXPECT_EQ(result.found->by, "guided");
  EXPECT_EQ(result.found->failure.input.size(), 10U);
  EXPECT_FALSE(result.found->shortest) << "lengths 4 to 9 were not gone through";
  EXPECT_TRUE(result.found->locally_minimal);
  expect_locally_minimal(request.question, result.found->failure.input);
  const results::Certificate certificate = certificate_of(request, result);
  EXPECT_EQ(certificate.verdict, "not shown");
  EXPECT_EQ(certificate.scope,
            "wrong on a sequence of 10 tokens; no sequence of up to 3 tokens fails, those between are open");
  const results::Json json = results::to_json(certificate);
  EXPECT_EQ(json["checks"][1]["failure"]["length"], 10);
  EXPECT_EQ(json["checks"][1]["failure"]["names"].size(), 10U);
}

/// The window of 4 is a promise about the last 4 tokens; the task asks for more.
TEST(Counterexample, the_exhaustive_part_goes_on_below_what_the_guided_part_found) {
  const Case model = recall_case(recall_spec(Level::streaming, 1, 0, 4));
  SearchRequest request = model.request(12, 2000);
  const SearchResult some = search_counterexample(request);
  ASSERT_TRUE(some.found.has_value());
  EXPECT_EQ(some.right_up_to(), 5U);
  EXPECT_EQ(some.found->by, "guided");
  EXPECT_EQ(some.found->failure.input.size(), 6U);
  EXPECT_TRUE(some.found->shortest);
  EXPECT_FALSE(some.found->first);
  request.inputs = 10000;
  const SearchResult all = search_counterexample(request);
  ASSERT_TRUE(all.found.has_value());
  EXPECT_EQ(all.found->by, "exhaustive");
  EXPECT_EQ(all.found->failure.input.size(), 6U);
  EXPECT_LE(all.found->failure.input, some.found->failure.input);
}

TEST(Counterexample, one_thread_and_two_give_the_same) {
  const auto expect_equal = [](SearchRequest request) {
    const SearchResult one = search_counterexample(request);
    request.threads = 2;
    const SearchResult two = search_counterexample(request);
    EXPECT_EQ(one.exhausted(), two.exhausted());
    EXPECT_EQ(one.defined(), two.defined());
    EXPECT_EQ(one.smallest_margin(), two.smallest_margin());
    EXPECT_EQ(one.guided.rounds, two.guided.rounds);
    EXPECT_EQ(one.guided.sequences, two.guided.sequences);
    EXPECT_EQ(one.guided.smallest_margin, two.guided.smallest_margin);
    ASSERT_EQ(one.found.has_value(), two.found.has_value());
    if (one.found) {
      EXPECT_EQ(one.found->failure.input, two.found->failure.input);
    }
    ASSERT_EQ(one.controls.size(), two.controls.size());
    for (std::size_t i = 0; i < one.controls.size(); ++i)
      EXPECT_EQ(one.controls[i].counterexample, two.controls[i].counterexample);
  };
  expect_equal(copy_case(copy_spec(Level::streaming, 5, 3, 0)).request(16, 20000));
  expect_equal(copy_case(copy_spec(Level::streaming, 12, 10, 0, Fault::short_window)).request(20, 2000));
  expect_equal(copy_case(copy_spec(Level::streaming, 8, 6, 0, Fault::short_window)).request(6, 1000000));
}

/// The marker's own target is the token behind it, which no causal model can know: seen at length 2, not at length 1.
TEST(Counterexample, a_target_that_depends_on_what_follows_is_compared_at_the_full_length) {
  const Case model = random_case("needle", {{"values", "3"}}, 4);
  const SearchResult result = search_counterexample(model.request(6, 1000));
  ASSERT_TRUE(result.found.has_value());
  EXPECT_EQ(result.found->failure.input.size(), 2U);
  EXPECT_EQ(result.found->failure.input[0], 3);
  EXPECT_EQ(result.found->failure.position, 0U);
  EXPECT_EQ(result.lengths.size(), 1U);
  EXPECT_EQ(result.defined(), 0U);
}

TEST(Counterexample, last_position_of_a_fixed_length) {
  const auto ask = [](const Case& model, std::size_t length) {
    SearchRequest request = model.request(length, 5000);
    request.question.positions = AskedPositions::last;
    return search_counterexample(request);
  };
  const SearchResult copy = ask(copy_case(copy_spec(Level::faithful, 4, 3, 6)), 6);
  EXPECT_FALSE(copy.found.has_value());
  EXPECT_EQ(copy.exhausted(), 4096U);
  ASSERT_EQ(copy.controls.size(), 1U);
  EXPECT_TRUE(copy.controls[0].caught);
  // Position codes make it a construction for one length alone.
  EXPECT_TRUE(ask(copy_case(copy_spec(Level::faithful, 4, 3, 6)), 5).found.has_value());
  // The task is asked about bits in the context too, which the construction does not promise.
  const SearchResult recall = ask(recall_case(recall_spec(Level::faithful, 1, 6, 5)), 6);
  ASSERT_TRUE(recall.found.has_value());
  const Sequence& input = recall.found->failure.input;
  EXPECT_TRUE(std::any_of(input.begin(), input.end() - 1, [](std::int32_t token) { return token >= 2; }));
  // What it does promise: a context of words. 4^6 contexts and 4 queries.
  for (const Fault fault : {Fault::none, Fault::zero_temperature, Fault::short_window, Fault::wrong_code_bit,
                            Fault::broken_carry, Fault::off_by_one, Fault::no_recency}) {
    const Case model = recall_case(recall_spec(Level::faithful, 2, 8, 7, fault));
    SearchRequest request = model.request(8, 20000);
    request.question.positions = AskedPositions::query;
    const SearchResult result = search_counterexample(request);
    ASSERT_EQ(result.found.has_value(), fault != Fault::none) << static_cast<int>(fault);
    if (fault == Fault::none) {
      EXPECT_EQ(result.exhausted(), 16384U);
      EXPECT_EQ(certificate_of(request, result).verdict, "certified");
      continue;
    }
    for (std::size_t t = 0; t < 8; ++t) EXPECT_EQ(result.found->failure.input.at(t) >= 4, t >= 6) << t;
  }
  for (const Fault fault : {Fault::zero_temperature, Fault::short_window, Fault::wrong_code_bit, Fault::off_by_one}) {
    const SearchResult broken = ask(copy_case(copy_spec(Level::faithful, 4, 3, 6, fault)), 6);
    ASSERT_TRUE(broken.found.has_value());
    EXPECT_EQ(broken.found->failure.input.size(), 6U);
    EXPECT_EQ(broken.found->failure.position, 5U);
  }
}

/// Too many contexts to try them all: the guided part keeps to words and a query.
TEST(Counterexample, the_guided_part_keeps_to_the_shape_of_a_query) {
  for (const Fault fault : {Fault::none, Fault::no_recency}) {
    const Case model = recall_case(recall_spec(Level::faithful, 2, 30, 30, fault));
    SearchRequest request = model.request(30, 3000);
    request.question.positions = AskedPositions::query;
    const SearchResult result = search_counterexample(request);
    EXPECT_GT(result.guided.sequences, 0U);
    EXPECT_LT(result.guided.smallest_margin, std::numeric_limits<double>::infinity());
    ASSERT_EQ(result.found.has_value(), fault != Fault::none);
    if (!result.found) continue;
    const Sequence& input = result.found->failure.input;
    EXPECT_TRUE(request.question.allows(input, 30));
    EXPECT_TRUE(std::all_of(input.begin(), input.end() - 2, [](std::int32_t token) { return token < 4; }));
    EXPECT_TRUE(result.found->locally_minimal);
  }
}

TEST(Counterexample, a_tie_and_what_is_no_number_are_wrong) {
  Case model = copy_case(copy_spec(Level::streaming, 5, 3, 0));
  const Sequence input{0, 2};  // number 1 copies itself
  Question question = model.request(2, 1).question;
  const auto failure = [&] { return examine(question, input).failure; };
  EXPECT_FALSE(failure().has_value());
  const kernels::ParameterValues healthy = model.values;
  for (double& value : model.values[0]) value = 0;
  ASSERT_TRUE(failure().has_value());
  EXPECT_EQ(failure()->answered, -1);
  EXPECT_EQ(failure()->margin, 0);
  model.values = healthy;
  for (double& value : model.values[0]) value *= 1e30;
  ASSERT_TRUE(failure().has_value());
  EXPECT_EQ(failure()->answered, -1);
  EXPECT_EQ(failure()->margin, -std::numeric_limits<double>::infinity());
  const SearchResult result = search_counterexample(model.request(3, 100));
  EXPECT_TRUE(result.found.has_value());
}

TEST(Counterexample, nothing_is_claimed_that_was_not_gone_through) {
  const Case model = copy_case(copy_spec(Level::streaming, 5, 3, 0));
  std::atomic<bool> stop{true};
  SearchRequest request = model.request(8, 100000);
  request.stop = &stop;
  const SearchResult stopped = search_counterexample(request);
  EXPECT_TRUE(stopped.interrupted);
  EXPECT_TRUE(stopped.lengths.empty());
  EXPECT_EQ(certificate_of(request, stopped).verdict, "not shown");
  request.stop = nullptr;
  request.inputs = 4;  // fewer than the five sequences of one token
  const SearchResult none = search_counterexample(request);
  EXPECT_TRUE(none.lengths.empty());
  EXPECT_EQ(none.guided_lengths.min, 1U);
  const results::Certificate certificate = certificate_of(request, none);
  EXPECT_EQ(certificate.verdict, "not shown");
  EXPECT_TRUE(certificate.checks.at(0).empty);
  EXPECT_NE(certificate.checks[0].meaning.find("more inputs are needed"), std::string::npos);
}

/// Distance 5 asks for nothing in three tokens: neither a fault nor a pass, and what would help is named.
TEST(Counterexample, where_no_sequence_has_a_target_nothing_is_checked) {
  const Case model =
      random_case("selective_copy", {{"values", "2"}, {"distance-min", "5"}, {"distance-count", "1"}}, 1);
  const auto certificate = [&](const SearchRequest& request) {
    return certificate_of(request, search_counterexample(request));
  };
  const results::Certificate whole = certificate(model.request(3, 1000));
  EXPECT_EQ(whole.verdict, "not shown");
  EXPECT_EQ(whole.scope,
            "nothing was certified: no sequence of up to 3 tokens has a target; a greater length has sequences with a "
            "target");
  ASSERT_EQ(whole.checks.size(), 1U);
  EXPECT_TRUE(whole.checks[0].empty);
  EXPECT_FALSE(whole.checks[0].passed);
  EXPECT_FALSE(whole.checks[0].figures.contains("counterexample"));
  EXPECT_NE(whole.checks[0].meaning.find("none of the 39 sequences of up to 3 tokens has a target"), std::string::npos)
      << whole.checks[0].meaning;

  // The effort ended below the length: the guided part has nothing to check either, up to 5 tokens.
  const results::Certificate cut = certificate(model.request(5, 100));
  EXPECT_EQ(cut.verdict, "not shown");
  EXPECT_NE(cut.scope.find("more time or more inputs reach longer sequences"), std::string::npos) << cut.scope;
  ASSERT_EQ(cut.checks.size(), 2U);
  EXPECT_TRUE(cut.checks[1].empty && !cut.checks[1].passed);
  EXPECT_NE(cut.checks[1].meaning.find("nothing was checked"), std::string::npos) << cut.checks[1].meaning;

  SearchRequest last = model.request(4, 1000);
  last.question.positions = AskedPositions::last;
  EXPECT_NE(certificate(last).scope.find("another length"), std::string::npos);
  // One that does fail is a failure, whatever had no target below it.
  const results::Certificate failed = certificate(model.request(6, 100000));
  EXPECT_FALSE(failed.checks[0].empty);
  EXPECT_TRUE(failed.checks[0].figures.contains("counterexample"));
}

TEST(Counterexample, time_ends_the_search) {
  const Case model = copy_case(copy_spec(Level::streaming, 8, 4, 0));
  SearchRequest request = model.request(200, 0);
  request.seconds = 0.5;
  const SearchResult result = search_counterexample(request);
  EXPECT_FALSE(result.found.has_value());
  EXPECT_LT(result.seconds, 10) << "half a second and the controls' own";
  EXPECT_GE(result.right_up_to(), 1U);
}

TEST(Counterexample, another_engine_runs_the_guided_part_and_the_reference_decides) {
  const Case model = copy_case(copy_spec(Level::streaming, 12, 10, 0, Fault::short_window));
  SearchRequest request = model.request(16, 2000);
  for (const kernels::Engine* engine : kernels::engines()) {
    request.engine = engine;
    const SearchResult result = search_counterexample(request);
    ASSERT_TRUE(result.found.has_value()) << engine->name();
    EXPECT_EQ(result.found->failure.input.size(), 10U) << engine->name();
  }
}

TEST(Counterexample, an_engine_that_refuses_is_heard_from_every_thread) {
  const Case model = copy_case(copy_spec(Level::streaming, 5, 3, 0));
  SearchRequest request = model.request(8, 100);
  request.question.number = NumberFormat::float16;  // which lanes does not have
  request.engine = &kernels::find_engine("lanes");
  for (request.threads = 1; request.threads <= 3; ++request.threads)
    EXPECT_THROW((void)search_counterexample(request), InputError);
}

TEST(Counterexample, refuses_another_vocabulary) {
  Case model = copy_case(copy_spec(Level::streaming, 5, 3, 0));
  model.task = tasks::make_task("selective_copy", {{"values", "9"}});
  EXPECT_THROW((void)search_counterexample(model.request(4, 100)), InputError);
}

}  // namespace
}  // namespace hyseq::proofs_check
