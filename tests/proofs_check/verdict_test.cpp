// Negative controls, verdicts and their wording.
#include <set>

#include <gtest/gtest.h>

#include "kernels/base/error.hpp"
#include "models/architecture_json.hpp"
#include "proofs_check/check_figures.hpp"
#include "proofs_check/trainable_level/subject.hpp"
#include "proofs_check/verify.hpp"
#include "tests/proofs_check/fixture.hpp"

namespace hyseq::proofs_check {
namespace {

TEST(Controls, are_all_caught_in_every_format) {
  for (const NumberFormat format : kFormats) {
    for (const Level level : kLevels) {
      for (const auto& controls : {selective_copy_controls(level, format), decode_recall_controls(level, format)}) {
        EXPECT_GE(controls.size(), 6U);
        for (const Control& control : controls) {
          SCOPED_TRACE(std::string(name(format)) + " " + std::string(constructions::name(level)));
          EXPECT_TRUE(control.caught) << control.name << " by '" << control.caught_by << "'";
          const bool healthy = control.expected == "nothing";
          EXPECT_EQ(control.counterexample.empty(), healthy) << control.name;
          EXPECT_EQ(control.caught_by.empty(), healthy) << control.name;
          if (!healthy) {
            EXPECT_NE(control.caught_by.find(control.expected), std::string::npos) << control.name;
            EXPECT_NE(control.counterexample.find("-> expected"), std::string::npos);
            EXPECT_LE(control.counterexample.size(), 400U) << "short enough to read";
          }
        }
        EXPECT_TRUE(controls_check(controls).passed);
      }
    }
  }
}

/// A list that names one fault twice would count it as two.
TEST(Controls, name_every_fault_once) {
  for (const Level level : kLevels) {
    for (const auto& controls : {selective_copy_controls(level, NumberFormat::float32),
                                 decode_recall_controls(level, NumberFormat::float32)}) {
      std::set<std::string> names;
      std::set<std::string> found;
      for (const Control& control : controls) {
        EXPECT_TRUE(names.insert(control.name).second) << control.name;
        found.insert(control.caught_by + control.counterexample);
      }
      EXPECT_GT(found.size(), controls.size() / 2) << "different faults show in different ways";
    }
  }
  for (const NamedFaults& list :
       {faults(constructions::TrainableCopySpec{}), faults(constructions::TrainableRecallSpec{}),
        faults(constructions::DeepRecallSpec{})}) {
    std::set<std::string> names;
    std::set<Fault> planted;
    for (const auto& [name, fault] : list)
      EXPECT_TRUE(names.insert(name).second && planted.insert(fault).second) << name;
  }
}

/// Every fault is another construction, at both levels of both theorems.
TEST(Controls, faults_are_different_constructions) {
  const auto expect_different = [](const auto& build_with, const std::vector<Fault>& list) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const auto one = build_with(list[i]);
        const auto other = build_with(list[j]);
        const bool same_layers = models::to_json(one.architecture) == models::to_json(other.architecture);
        EXPECT_FALSE(same_layers && one.values == other.values) << i << " and " << j;
      }
    }
  };
  std::vector<Fault> all{Fault::none,           Fault::zero_temperature, Fault::short_window,
                         Fault::wrong_code_bit, Fault::broken_carry,     Fault::off_by_one};
  for (const Level level : kLevels)
    expect_different([level](Fault fault) { return constructions::build(copy_spec(level, 6, 4, 6, fault)); }, all);
  all.push_back(Fault::no_recency);
  const auto recall = [](Level level) {
    return [level](Fault fault) {
      return constructions::build(recall_spec(level, 2, level == Level::faithful ? 8 : 0, 5, fault));
    };
  };
  expect_different(recall(Level::faithful), all);
  all.push_back(Fault::fast_decay);
  expect_different(recall(Level::streaming), all);
}

TEST(Controls, one_that_is_missed_fails_the_check) {
  std::vector<Control> controls{{"no fault", true, "", "nothing", ""}, {"a fault", false, "", "domain", ""}};
  EXPECT_FALSE(controls_check(controls).passed);
  controls[1].caught = true;
  EXPECT_TRUE(controls_check(controls).passed);
}

results::Check check(const std::string& name, bool passed) {
  results::Check result;
  result.name = name;
  result.passed = passed;
  if (name == "domain") result.figures["sequences"] = 12345678U;
  if (name == "margins" && !passed) result.figures["failing"] = "the gap is -1";
  return result;
}

results::Certificate judged(const std::vector<results::Check>& checks) {
  results::Certificate certificate;
  certificate.number = "half";
  certificate.checks = checks;
  judge(certificate, "every position");
  return certificate;
}

/// Every subset of checks, with every pattern of failures.
TEST(Judge, never_certifies_with_a_failed_check) {
  const auto& names = check_names();
  const auto all = static_cast<unsigned>(1U << names.size());
  for (unsigned chosen = 0; chosen < all; ++chosen) {
    for (unsigned failed = chosen;; failed = (failed - 1) & chosen) {
      std::vector<results::Check> checks;
      for (std::size_t i = 0; i < names.size(); ++i) {
        if ((chosen >> i & 1U) != 0) checks.push_back(check(names[i], (failed >> i & 1U) == 0));
      }
      const auto certificate = judged(checks);
      ASSERT_EQ(certificate.verdict, failed == 0 && chosen != 0 ? "certified" : "not shown");
      ASSERT_FALSE(certificate.scope.empty());
      for (const auto& each : checks) {
        const bool named = certificate.scope.find(" " + each.name) != std::string::npos;
        if (!each.passed) {
          ASSERT_TRUE(named) << certificate.scope;
        }
      }
      const bool whole = certificate.verdict == "certified" && certificate.scope.find("every position") == 0;
      const auto has = [&](const std::string& name) {
        return std::any_of(checks.begin(), checks.end(), [&](const auto& each) { return each.name == name; });
      };
      ASSERT_EQ(whole, failed == 0 && has("induction") && has("margins") && (has("domain") || has("streams")))
          << certificate.scope;
      if (failed == 0) break;
    }
  }
}

TEST(Judge, says_for_what_and_in_which_arithmetic) {
  EXPECT_EQ(judged({check("induction", true), check("margins", true), check("streams", true)}).scope,
            "every position, in half arithmetic");
  // Without an end-to-end check nothing ties the margins to the weights as written.
  EXPECT_EQ(judged({check("induction", true), check("margins", true)}).scope,
            "only what was asked for, no set of inputs: induction margins, in half arithmetic");
  EXPECT_EQ(judged({check("domain", true), check("margins", true)}).scope,
            "the 12,345,678 sequences of the domain, in half arithmetic");
  EXPECT_EQ(judged({check("budgets", true)}).scope,
            "only what was asked for, no set of inputs: budgets, in half arithmetic");
  EXPECT_EQ(judged({check("induction", true), check("margins", false)}).scope, "failed: margins (the gap is -1)");
  EXPECT_EQ(judged({}).scope, "no check applies");
}

TEST(Verify, runs_the_checks_that_apply_and_reports_progress) {
  VerifyRequest request;
  request.stream_length = 2000;
  request.window_inputs = 2000;
  std::vector<std::pair<std::string, double>> progress;
  request.progress = [&](const std::string& check, double fraction) { progress.emplace_back(check, fraction); };
  const auto names = [](const results::Certificate& certificate) {
    std::vector<std::string> list;
    for (const auto& each : certificate.checks) list.push_back(each.name);
    return list;
  };
  const auto faithful = verify(recall_spec(Level::faithful, 2, 8, 6), request);
  EXPECT_EQ(faithful.verdict, "certified") << faithful.scope;
  EXPECT_EQ(names(faithful),
            (std::vector<std::string>{"domain", "induction", "margins", "streams", "budgets", "window", "controls"}));
  EXPECT_EQ(faithful.parameters, (results::Json{{"bits", 2}, {"length", 8}, {"window", 6}}));
  EXPECT_EQ(progress.front(), (std::pair<std::string, double>{"domain", 0}));
  EXPECT_EQ(progress.back(), (std::pair<std::string, double>{"controls", 1}));
  request.domain_length = 5;
  const auto streaming = verify(copy_spec(Level::streaming, 6, 4, 0), request);
  EXPECT_EQ(streaming.verdict, "certified") << streaming.scope;
  EXPECT_EQ(names(streaming),
            (std::vector<std::string>{"domain", "induction", "margins", "streams", "budgets", "controls"}));
  EXPECT_EQ(streaming.scope, "every position with an answer, in sequences of every length, in float arithmetic");
  EXPECT_EQ(streaming.matrices.size(), 2U);
}

TEST(Verify, every_fault_ends_as_not_shown) {
  VerifyRequest request;
  request.checks = {"domain", "induction", "streams"};
  request.stream_length = 2000;
  for (const NumberFormat format : kFormats) {
    request.number = format;
    for (const Level level : kLevels) {
      const bool faithful = level == Level::faithful;
      request.domain_length = 6;
      for (const Fault fault : {Fault::zero_temperature, Fault::short_window, Fault::wrong_code_bit,
                                Fault::broken_carry, Fault::off_by_one}) {
        const auto copy = verify(copy_spec(level, 6, 4, 6, fault), request);
        EXPECT_EQ(copy.verdict, "not shown") << "4.3, fault " << static_cast<int>(fault);
      }
      for (const Fault fault : {Fault::zero_temperature, Fault::short_window, Fault::wrong_code_bit,
                                Fault::broken_carry, Fault::off_by_one, Fault::no_recency}) {
        const auto recall =
            verify(recall_spec(level, faithful ? 2 : 1, faithful ? 8 : 0, faithful ? 5 : 4, fault), request);
        EXPECT_EQ(recall.verdict, "not shown") << "4.6, fault " << static_cast<int>(fault);
      }
    }
  }
}

TEST(Verify, leaves_out_a_large_domain_unless_it_is_asked_for) {
  VerifyRequest request;
  request.stream_length = 1000;
  request.domain_length = 9;  // 8^9 sequences
  const auto certificate = verify(copy_spec(Level::streaming, 8, 4, 0), request);
  EXPECT_EQ(results::find_check(certificate, "domain"), nullptr);
  request.domain_length = 14;
  request.checks = {"domain"};
  EXPECT_THROW((void)verify(copy_spec(Level::streaming, 8, 4, 0), request), InputError);
}

}  // namespace
}  // namespace hyseq::proofs_check
