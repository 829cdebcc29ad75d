// The walk over the tree of prefixes: its counts, its threads, and its answers against whole sequences.
#include "proofs_check/domain.hpp"

#include <atomic>

#include <gtest/gtest.h>

#include "proofs_check/engines.hpp"
#include "tests/proofs_check/fixture.hpp"

namespace hyseq::proofs_check {
namespace {

using constructions::Construction;

struct Counts {
  std::uint64_t defined = 0, undefined = 0, correct = 0, prefixes_defined = 0, prefixes_correct = 0;
  bool operator==(const Counts&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Counts& c) {
  return out << c.defined << " defined, " << c.undefined << " undefined, " << c.correct << " correct, prefixes "
             << c.prefixes_defined << " and " << c.prefixes_correct;
}

Counts counts(const DomainResult& result) {
  return {result.defined, result.undefined, result.correct, result.prefixes_defined, result.prefixes_correct};
}

/// Every prefix on its own, the whole of it from the start, without any carry.
Counts brute_force(const Construction& construction, NumberFormat format, const DomainSpec& domain) {
  return with_scalar(format, [&](auto scalar) {
    using Scalar = decltype(scalar);
    Counts result;
    kernels::ReferenceSession<Scalar> session(construction.program, construction.values, domain.allowed.size());
    const auto vocabulary = static_cast<std::size_t>(construction.program.vocabulary);
    for (std::size_t length = domain.every_position ? 1 : domain.allowed.size(); length <= domain.allowed.size();
         ++length) {
      const bool last = length == domain.allowed.size();
      const std::vector<Tokens> allowed(domain.allowed.begin(),
                                        domain.allowed.begin() + static_cast<std::ptrdiff_t>(length));
      for (const Tokens& input : constructions::all_sequences(allowed)) {
        const std::int32_t expected = domain.label(input);
        if (expected < 0) {
          result.undefined += last ? 1U : 0U;
          continue;
        }
        auto carry = session.fresh(1);
        session.forward({input, 1, length}, carry);
        bool right = true;
        const auto logit = [&](std::size_t v) {
          return numbers::Numeric<Scalar>::to_double(session.logits()[(length - 1) * vocabulary + v]);
        };
        for (std::size_t v = 0; v < vocabulary; ++v) {
          const auto target = static_cast<std::size_t>(expected);
          if (v != target && !(logit(v) < logit(target))) right = false;
        }
        ++(last ? result.defined : result.prefixes_defined);
        if (right) ++(last ? result.correct : result.prefixes_correct);
      }
    }
    return result;
  });
}

TEST(Domain, counts_of_four_tokens_two_numbers_length_four) {
  const auto spec = copy_spec(Level::faithful, 4, 2, 4);
  const auto construction = constructions::build(spec);
  for (const NumberFormat format : kFormats) {
    const DomainResult result = check_domain(construction, format, naive_domain(spec, 4));
    EXPECT_EQ(counts(result), (Counts{240, 16, 240, 0, 0})) << name(format);
    EXPECT_TRUE(result.all_correct());
    EXPECT_FALSE(result.counterexample.has_value());
  }
}

/// More than 10^5 sequences, so that the tree is split; a fault, so that right and wrong answers mix.
TEST(Domain, counts_do_not_depend_on_threads_or_splitting) {
  for (const Fault fault : {Fault::none, Fault::short_window}) {
    const auto spec = copy_spec(Level::streaming, 6, 4, 0, fault);
    const auto construction = constructions::build(spec);
    DomainSpec domain = naive_domain(spec, 7);
    const DomainResult one = check_domain(construction, NumberFormat::float32, domain);
    // Without any number: 2^7 sequences; with one that reaches before the start: counted by the label itself.
    Counts expected;
    for (const Tokens& input : constructions::all_sequences(domain.allowed)) {
      ++(domain.label(input) < 0 ? expected.undefined : expected.defined);
    }
    EXPECT_EQ(one.defined, expected.defined);
    EXPECT_EQ(one.undefined, expected.undefined);
    std::uint64_t prefixes = 0;
    for (std::size_t length = 1; length < domain.allowed.size(); ++length) {
      const std::vector<Tokens> allowed(length, domain.allowed[0]);
      for (const Tokens& input : constructions::all_sequences(allowed)) prefixes += domain.label(input) >= 0 ? 1U : 0U;
    }
    EXPECT_EQ(one.prefixes_defined, prefixes);
    EXPECT_EQ(one.all_correct(), fault == Fault::none);
    for (const int threads : {2, 4}) {
      domain.threads = threads;
      const DomainResult result = check_domain(construction, NumberFormat::float32, domain);
      EXPECT_EQ(counts(result), counts(one)) << threads << " threads";
      EXPECT_EQ(result.counterexample.has_value(), one.counterexample.has_value());
      if (result.counterexample && one.counterexample) {
        EXPECT_EQ(result.counterexample->input, one.counterexample->input) << threads << " threads";
      }
    }
  }
}

TEST(Domain, agrees_with_whole_sequences_from_scratch) {
  for (const Fault fault : {Fault::none, Fault::short_window, Fault::wrong_code_bit, Fault::zero_temperature}) {
    for (const Level level : kLevels) {
      const auto copy = copy_spec(level, 4, 3, 5, fault);
      const auto copy_domain = naive_domain(copy, 5);
      const auto copy_weights = constructions::build(copy);
      const auto recall = recall_spec(level, 1, level == Level::faithful ? 6 : 0, 4, fault);
      const auto recall_domain = naive_domain(recall, 6);
      const auto recall_weights = constructions::build(recall);
      for (const NumberFormat format : {NumberFormat::float32, NumberFormat::bfloat16}) {
        EXPECT_EQ(counts(check_domain(copy_weights, format, copy_domain)),
                  brute_force(copy_weights, format, copy_domain));
        EXPECT_EQ(counts(check_domain(recall_weights, format, recall_domain)),
                  brute_force(recall_weights, format, recall_domain));
        if (fault == Fault::none) {
          EXPECT_TRUE(check_domain(copy_weights, format, copy_domain).all_correct());
          EXPECT_TRUE(check_domain(recall_weights, format, recall_domain).all_correct());
        }
      }
    }
  }
}

TEST(Domain, finds_the_shortest_and_first_counterexample) {
  const auto spec = copy_spec(Level::streaming, 4, 2, 0);
  const auto construction = constructions::build(spec);
  DomainSpec domain = naive_domain(spec, 5);
  const auto right = domain.label;
  // The labels say that number 2 asks for token 0 wherever it stands last: wrong from "#1 #2" on.
  domain.label = [right](std::span<const std::int32_t> input) {
    return right(input) >= 0 && input.back() == 3 ? 0 : right(input);
  };
  const DomainResult result = check_domain(construction, NumberFormat::float32, domain);
  EXPECT_FALSE(result.all_correct());
  EXPECT_LT(result.correct, result.defined);
  EXPECT_LT(result.prefixes_correct, result.prefixes_defined);
  ASSERT_TRUE(result.counterexample.has_value());
  EXPECT_EQ(result.counterexample->input, (Tokens{1, 3}));
  EXPECT_EQ(result.counterexample->answered, 1);
  EXPECT_EQ(result.counterexample->text(construction.token_labels), "V1 #2 -> expected V0, got V1");
}

TEST(Domain, an_error_in_the_shortest_prefix_is_seen_where_the_tree_is_split) {
  const auto spec = copy_spec(Level::streaming, 8, 2, 0);
  const auto construction = constructions::build(spec);
  DomainSpec domain = naive_domain(spec, 6);  // 262144 sequences
  const auto right = domain.label;
  domain.label = [right](std::span<const std::int32_t> input) {
    return input.size() == 1 && input[0] == 6 ? 0 : right(input);
  };
  const DomainResult result = check_domain(construction, NumberFormat::float32, domain);
  EXPECT_EQ(result.correct, result.defined);
  EXPECT_EQ(result.prefixes_correct + 1, result.prefixes_defined);
  EXPECT_FALSE(result.all_correct());
  ASSERT_TRUE(result.counterexample.has_value());
  EXPECT_EQ(result.counterexample->input, (Tokens{6}));
}

TEST(Domain, without_a_defined_sequence_is_not_correct) {
  const auto spec = copy_spec(Level::faithful, 4, 2, 4);
  DomainSpec domain = naive_domain(spec, 4);
  domain.label = [](std::span<const std::int32_t>) { return -1; };
  const DomainResult result = check_domain(constructions::build(spec), NumberFormat::float32, domain);
  EXPECT_EQ(counts(result), (Counts{0, 256, 0, 0, 0}));
  EXPECT_FALSE(result.all_correct());
}

TEST(Domain, stops_early_and_reports_progress) {
  const auto spec = copy_spec(Level::faithful, 6, 4, 7, Fault::zero_temperature);
  const auto construction = constructions::build(spec);
  DomainSpec domain = naive_domain(spec, 7);
  std::vector<double> fractions;
  domain.progress = [&](double fraction) { fractions.push_back(fraction); };
  domain.threads = 2;
  const DomainResult all = check_domain(construction, NumberFormat::float32, domain);
  ASSERT_FALSE(fractions.empty());
  EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
  EXPECT_EQ(fractions.back(), 1);
  domain.stop_at_first_error = true;
  const DomainResult some = check_domain(construction, NumberFormat::float32, domain);
  EXPECT_LT(some.defined, all.defined);
  EXPECT_TRUE(some.counterexample.has_value());
}

}  // namespace
}  // namespace hyseq::proofs_check
