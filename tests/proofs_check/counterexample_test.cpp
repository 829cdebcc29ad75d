// The search for the shortest failing sequence against brute force, on constructions, broken ones and random models.
#include <functional>
#include <optional>

#include <gtest/gtest.h>

#include "proofs_check/counterexample/certificate.hpp"
#include "tests/proofs_check/counterexample_fixture.hpp"

namespace hyseq::proofs_check {
namespace {

using Label = std::function<std::int32_t(const Tokens&, int)>;

/// The first wrong sequence of at most `longest` tokens in order of length, then of tokens; every sequence on its own
/// from the start, labelled naively.
std::optional<Tokens> brute_force(const Case& model, int longest, const Label& label) {
  const auto vocabulary = static_cast<std::size_t>(model.program.vocabulary);
  for (int length = 1; length <= longest; ++length) {
    const std::vector<Tokens> allowed(static_cast<std::size_t>(length),
                                      constructions::token_range(0, model.task->vocabulary().bos()));
    for (const Tokens& input : constructions::all_sequences(allowed)) {
      kernels::ForwardRequest request;
      request.program = &model.program;
      request.parameters = &model.values;
      request.format = NumberFormat::float32;
      request.time = input.size();
      request.tokens = input;
      const auto logits = kernels::reference_engine().forward(request).logits.values;
      for (int at = 0; at < length; ++at) {
        const std::int32_t expected = label(input, at);
        if (expected < 0) continue;
        const double* row = logits.data() + static_cast<std::size_t>(at) * vocabulary;
        for (std::size_t v = 0; v < vocabulary; ++v)
          if (v != static_cast<std::size_t>(expected) && !(row[expected] > row[v])) return input;
      }
    }
  }
  return std::nullopt;
}

Label naive_label(const SelectiveCopySpec& spec) {
  return [spec](const Tokens& input, int at) { return constructions::naive_copy(spec, input, at); };
}

Label naive_label(const DecodeRecallSpec& spec) {
  return [spec](const Tokens& input, int at) {
    return constructions::naive_recall(spec, static_cast<int>(input.size()), input, at);
  };
}

void expect_none(const Case& model, std::size_t length, std::size_t right_up_to, std::uint64_t inputs) {
  const SearchRequest request = model.request(length, inputs);
  const SearchResult result = search_counterexample(request);
  EXPECT_FALSE(result.found.has_value()) << failure_text(result.found->failure, model.task->vocabulary());
  EXPECT_EQ(result.right_up_to(), right_up_to);
  double sequences = 0;
  for (std::size_t size = 1; size <= right_up_to; ++size) sequences += sequences_of_length(request.question, size);
  EXPECT_EQ(static_cast<double>(result.exhausted()), sequences);
  EXPECT_GE(result.guided.sequences, inputs);
  EXPECT_GT(result.smallest_margin(), 0);
  EXPECT_GT(result.guided.smallest_margin, 0);
  ASSERT_EQ(result.controls.size(), 2U);
  for (const Control& control : result.controls) EXPECT_TRUE(control.caught) << control.name;
  const results::Certificate certificate = certificate_of(request, result);
  EXPECT_EQ(certificate.verdict, "certified");
  EXPECT_NE(certificate.scope.find("up to " + std::to_string(right_up_to) + " tokens"), std::string::npos)
      << certificate.scope;
}

TEST(Counterexample, constructions_have_none) {
  expect_none(copy_case(copy_spec(Level::streaming, 5, 3, 0)), 24, 5, 4000);
  expect_none(recall_case(recall_spec(Level::streaming, 1, 0, 20)), 20, 5, 4000);
  expect_none(recall_case(recall_spec(Level::streaming, 2, 0, 16)), 16, 4, 4000);
}

/// What the naive labels and brute force say within `longest` tokens is what the search says, to the token.
template <class Spec>
void expect_as_brute_force(const Case& model, const Spec& spec, int longest, const std::string& what) {
  const std::optional<Tokens> expected = brute_force(model, longest, naive_label(spec));
  const SearchResult result = search_counterexample(model.request(static_cast<std::size_t>(longest), 1000000));
  ASSERT_EQ(result.found.has_value(), expected.has_value()) << what;
  if (!expected) return;
  EXPECT_EQ(result.found->failure.input, *expected) << what;
  EXPECT_EQ(result.right_up_to() + 1, expected->size()) << what;
  EXPECT_EQ(result.found->by, "exhaustive") << what;
  EXPECT_TRUE(result.found->shortest && result.found->first) << what;
  EXPECT_FALSE(result.found->failure.margin > 0) << what;
}

TEST(Counterexample, broken_copies_fail_where_brute_force_says) {
  for (const Fault fault : {Fault::none, Fault::zero_temperature, Fault::short_window, Fault::wrong_code_bit,
                            Fault::broken_carry, Fault::off_by_one}) {
    const auto spec = copy_spec(Level::streaming, 5, 3, 0, fault);
    expect_as_brute_force(copy_case(spec), spec, 4, "fault " + std::to_string(static_cast<int>(fault)));
  }
}

TEST(Counterexample, broken_recalls_fail_where_brute_force_says) {
  for (const Fault fault : {Fault::none, Fault::zero_temperature, Fault::short_window, Fault::wrong_code_bit,
                            Fault::broken_carry, Fault::off_by_one, Fault::no_recency, Fault::fast_decay}) {
    const auto spec = recall_spec(Level::streaming, 1, 0, 4, fault);
    expect_as_brute_force(recall_case(spec), spec, 5, "fault " + std::to_string(static_cast<int>(fault)));
  }
}

TEST(Counterexample, random_weights_fail_at_the_length_that_brute_force_finds) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Case model =
        random_case("selective_copy", {{"values", "2"}, {"distance-min", "1"}, {"distance-count", "2"}}, seed);
    auto spec = copy_spec(Level::streaming, 4, 2, 0);
    const Label label = [spec](const Tokens& input, int at) {
      for (int i = at; i >= 0; --i) {
        const std::int32_t distance = input[static_cast<std::size_t>(i)] - 1;
        if (distance < 1) continue;
        return distance > at ? -1 : input[static_cast<std::size_t>(at - distance)];
      }
      return -1;
    };
    const std::optional<Tokens> expected = brute_force(model, 4, label);
    const SearchResult result = search_counterexample(model.request(8, 1000));
    ASSERT_TRUE(expected && result.found) << seed;
    EXPECT_EQ(result.found->failure.input, *expected) << seed;
    EXPECT_TRUE(result.found->shortest && result.found->first) << seed;
    EXPECT_TRUE(result.controls.empty()) << "a failure needs no planted one";
    EXPECT_EQ(certificate_of(model.request(8, 1000), result).verdict, "not shown");
  }
}

/// Every fault, the slow ones too: a state that fades shows after many tokens only.
template <class Spec>
void expect_found(const Case& model, const Spec& spec, std::size_t length, const std::string& what) {
  const SearchRequest request = model.request(length, 20000);
  const SearchResult result = search_counterexample(request);
  ASSERT_TRUE(result.found.has_value()) << what;
  const Failure& failure = result.found->failure;
  EXPECT_EQ(failure.expected, naive_label(spec)(failure.input, static_cast<int>(failure.position))) << what;
  EXPECT_TRUE(result.found->locally_minimal) << what;
}

TEST(Counterexample, every_negative_control_has_one) {
  for (const Fault fault :
       {Fault::zero_temperature, Fault::short_window, Fault::wrong_code_bit, Fault::broken_carry, Fault::off_by_one}) {
    const auto spec = copy_spec(Level::streaming, 6, 4, 0, fault);
    expect_found(copy_case(spec), spec, 48, "copy, fault " + std::to_string(static_cast<int>(fault)));
  }
  for (const Fault fault : {Fault::zero_temperature, Fault::short_window, Fault::wrong_code_bit, Fault::broken_carry,
                            Fault::off_by_one, Fault::no_recency, Fault::fast_decay}) {
    // One token too few in the window shows at one distance alone, that of the window's own end.
    const int window = fault == Fault::short_window ? 16 : 48;
    const auto spec = recall_spec(Level::streaming, 1, 0, window, fault);
    expect_found(recall_case(spec), spec, static_cast<std::size_t>(window) + 1,
                 "recall, fault " + std::to_string(static_cast<int>(fault)));
  }
}

}  // namespace
}  // namespace hyseq::proofs_check
