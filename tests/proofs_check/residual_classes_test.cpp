// Residual classes of selective copying and decode recall: machines, partitions, closed forms, verdicts.
#include <set>

#include <gtest/gtest.h>

#include "kernels/base/error.hpp"
#include "proofs_check/residual_classes/closed_forms.hpp"
#include "proofs_check/residual_classes/counting.hpp"
#include "proofs_check/residual_classes/decode_recall_classes.hpp"
#include "proofs_check/residual_classes/partition.hpp"
#include "proofs_check/residual_classes/selective_copy_classes.hpp"
#include "proofs_check/residual_classes/verify.hpp"

namespace hyseq::proofs_check {
namespace {

using tasks::SelectiveCopyShape;

constexpr std::size_t kLimit = 1 << 16;

/// Quadratic refinement: pairs of states are apart if an answer differs or if some token leads to a pair that is apart.
std::size_t naive_classes(const StreamingMachine& machine) {
  const std::size_t n = machine.states();
  const auto tokens = static_cast<std::size_t>(machine.tokens);
  std::vector<std::vector<char>> apart(n, std::vector<char>(n, 0));
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < n; ++b) {
        for (std::size_t i = 0; i < tokens && apart[a][b] == 0; ++i) {
          const std::size_t at = machine.cell(a, i);
          const std::size_t bt = machine.cell(b, i);
          if (machine.answer[at] == machine.answer[bt] &&
              apart[static_cast<std::size_t>(machine.next[at])][static_cast<std::size_t>(machine.next[bt])] == 0) {
            continue;
          }
          apart[a][b] = 1;
          changed = true;
        }
      }
    }
  }
  std::size_t classes = 0;
  for (std::size_t a = 0; a < n; ++a) {
    std::size_t first = 0;
    while (apart[a][first] != 0) ++first;
    classes += first == a ? 1U : 0U;
  }
  return classes;
}

TEST(ResidualClasses, of_the_smallest_cases_are_the_known_numbers) {
  // Two values, distances 0 and 1, asked always: nothing, V0 or V1 before a number; then the last token, of which the
  // other number's token is excluded.
  EXPECT_EQ(residual_partition(copy_machine({2, 0, 2}, kLimit)).classes, 9U);
  EXPECT_EQ(residual_partition(recall_machine({2, 1}, kLimit)).classes, 42U);
  EXPECT_EQ(residual_partition(recall_machine({4, 2}, kLimit)).classes, 5364U);
  // Distance 0 alone: has there been a number?
  EXPECT_EQ(residual_partition(copy_machine({3, 0, 1}, kLimit)).classes, 2U);
}

TEST(ResidualClasses, refinement_equals_a_quadratic_search) {
  for (const StreamingMachine& machine :
       {copy_machine({2, 0, 2}, kLimit), copy_machine({1, 0, 3}, kLimit), copy_machine({2, 1, 2}, kLimit),
        copy_machine({1, 2, 2}, kLimit), recall_machine({2, 1}, kLimit), recall_machine_once(3, kLimit),
        copy_machine_once({2, 0, 3}, kLimit)}) {
    const Partition partition = residual_partition(machine);
    EXPECT_TRUE(partition.stable);
    EXPECT_EQ(partition.classes, naive_classes(machine));
    EXPECT_LE(partition.classes, machine.states());
    const std::set<std::int32_t> used(partition.class_of.begin(), partition.class_of.end());
    EXPECT_EQ(used.size(), partition.classes);
  }
}

TEST(ResidualClasses, one_value_merges_the_numbers) {
  // With one value the numbers differ only while something else than a value is in reach.
  const Partition partition = residual_partition(copy_machine({1, 0, 3}, kLimit));
  EXPECT_LT(partition.classes, copy_machine({1, 0, 3}, kLimit).states());
  EXPECT_EQ(Integer(partition.classes), copy_classes_always({1, 0, 3}));
}

TEST(ResidualClasses, are_found_by_the_labeller_alone) {
  EXPECT_EQ(labelled_classes(4, copy_labeller({2, 0, 2}), 3, 2), 9U);
  EXPECT_EQ(labelled_classes(4, recall_labeller({2, 1}), 5, 4), 42U);
  EXPECT_LT(labelled_classes(4, recall_labeller({2, 1}), 2, 4), 42U) << "short prefixes do not reach all of them";
}

TEST(ResidualClasses, asked_once_of_a_known_length) {
  const SelectiveCopyShape theorem{3, 0, 4};
  const StreamingMachine machine = copy_machine_once(theorem, kLimit);
  EXPECT_EQ(classes_by_time(machine, 3, 6).back(), 27U) << "M^(N-1)";
  EXPECT_EQ(classes_by_time(copy_machine_once({3, 1, 4}, kLimit), 3, 6).back(), 81U) << "M^N";
  EXPECT_EQ(classes_by_time(machine, 3, 6).front(), 1U);
  EXPECT_EQ(classes_by_time(recall_machine_once(2, kLimit), 2, 6), (std::vector<std::size_t>{1, 2, 3, 3, 3, 4, 7}));
  EXPECT_EQ(classes_by_time(recall_machine_once(4, kLimit), 4, 10).back(), 304U);
}

TEST(ClosedForms, small_values_and_growth) {
  for (const int words : {1, 2, 3, 4, 5, 8, 32, 100, 256})
    EXPECT_NEAR(recall_bits_once(words), log2_of(recall_classes_once(words)), 1e-9) << words;
  EXPECT_EQ(connected_maps(1), 1);
  EXPECT_EQ(connected_maps(2), 3);
  EXPECT_EQ(connected_maps(3), 17);
  EXPECT_EQ(connected_maps(4), 142);
  EXPECT_EQ(connected_maps(5), 1569);
  EXPECT_EQ(recall_classes_always(2, 1), 42);
  EXPECT_EQ(recall_classes_once(3), 41);
  EXPECT_EQ(recall_classes_once_any_length(2), 11);
  EXPECT_EQ(copy_classes_always({4, 1, 6}), 1111111 + 6 * 4096);
  EXPECT_EQ(copy_classes_once({5, 0, 4}, 3, 3), 125);
  EXPECT_EQ(copy_classes_once({5, 0, 4}, 2, 2), 25) << "distance 3 does not fit";
  EXPECT_EQ(copy_classes_once_any_length({2, 0, 4}), 15);
  EXPECT_NEAR(log2_of(Integer(1) << 5000U), 5000, 1e-9);
  EXPECT_NEAR(log2_of(Integer(10)), 3.321928094887362, 1e-12);
}

TEST(Machines, a_wrong_one_disagrees_with_the_labeller) {
  const SelectiveCopyShape shape{2, 1, 3};
  for (const CopyFault fault : {CopyFault::short_memory, CopyFault::numbers_not_copied, CopyFault::first_number}) {
    const Agreement agreement = compare(copy_machine(shape, kLimit, fault), copy_labeller(shape), 1000, 2, 1);
    EXPECT_FALSE(agreement.agrees());
    ASSERT_FALSE(agreement.disagreement.empty());
    EXPECT_EQ(copy_labeller(shape)(agreement.disagreement), agreement.labelled);
    EXPECT_NE(agreement.labelled, agreement.answered);
  }
  for (const RecallFault fault : {RecallFault::first_follower, RecallFault::lost_bit, RecallFault::words_only}) {
    const Agreement agreement = compare(recall_machine({4, 2}, kLimit, fault), recall_labeller({4, 2}), 1000, 2, 1);
    EXPECT_FALSE(agreement.disagreement.empty());
  }
  const Agreement sound = compare(copy_machine(shape, kLimit), copy_labeller(shape), 1000, 2, 1);
  EXPECT_TRUE(sound.agrees()) << sound.text();
  EXPECT_FALSE(Agreement{}.agrees()) << "nothing compared is no agreement";
}

TEST(Machines, too_many_memories_are_refused) {
  try {
    (void)copy_machine({4, 0, 6}, 1000);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("1000"), std::string::npos);
  }
}

TEST(Counting, controls_need_a_fault_and_a_sound_case) {
  EXPECT_FALSE(planted_check({}).passed);
  EXPECT_FALSE(planted_check({{"a fault", true, "count", "count", ""}}).passed);
  EXPECT_FALSE(planted_check({{"none", true, "", "nothing", ""}, {"a fault", false, "", "count", ""}}).passed);
  EXPECT_TRUE(planted_check({{"none", true, "", "nothing", ""}, {"a fault", true, "count", "count", ""}}).passed);
}

TEST(Verify42, ends_as_refuted_with_the_corrected_form) {
  ResidualClassesRequest request;
  request.most_memories = 3000;
  request.threads = 2;
  const results::Certificate certificate = verify_residual_classes_4_2(request);
  for (const results::Check& check : certificate.checks) EXPECT_TRUE(check.passed) << check.name << check.figures;
  EXPECT_EQ(certificate.verdict, "refuted as printed") << certificate.scope;
  EXPECT_NE(certificate.scope.find("(N-1) log2 M"), std::string::npos);
  EXPECT_NE(certificate.scope.find("limit of enumeration"), std::string::npos);
  const auto& always = *results::find_check(certificate, "classes_always");
  EXPECT_GT(always.figures["left_out"].size(), 0U);
  EXPECT_GT(always.figures["table"].size(), 30U);
  EXPECT_NO_THROW((void)results::to_json(certificate));
  request.threads = 1;
  const results::Certificate alone = verify_residual_classes_4_2(request);
  for (const char* figure : {"cases", "matching", "answers_compared", "table", "left_out"})
    EXPECT_EQ(alone.checks.front().figures.at(figure), always.figures.at(figure)) << figure;
}

TEST(Verify45, ends_as_certified) {
  ResidualClassesRequest request;
  request.most_memories = 50000;
  const results::Certificate certificate = verify_residual_classes_4_5(request);
  for (const results::Check& check : certificate.checks) EXPECT_TRUE(check.passed) << check.name << check.figures;
  EXPECT_EQ(certificate.verdict, "certified") << certificate.scope;
  EXPECT_NO_THROW((void)results::to_json(certificate));
  const auto& always = *results::find_check(certificate, "classes_always");
  EXPECT_EQ(always.figures["table"].size(), 3U);
  EXPECT_EQ(always.figures["left_out"].size(), 1U) << "five words are above this limit";
  request.most_memories = 3000;
  EXPECT_EQ(verify_residual_classes_4_5(request).scope, "failed: classes_always") << "four words were not counted";
}

TEST(Verdict, one_failed_check_ends_as_not_shown) {
  results::Certificate certificate;
  conclude(certificate, "certified", "everything");
  EXPECT_EQ(certificate.verdict, "not shown") << "without checks";
  certificate.checks.resize(2);
  certificate.checks[0].passed = true;
  certificate.checks[1].name = "window";
  conclude(certificate, "certified", "everything");
  EXPECT_EQ(certificate.verdict, "not shown");
  EXPECT_EQ(certificate.scope, "failed: window");
  certificate.checks[1].passed = true;
  conclude(certificate, "certified", "everything");
  EXPECT_EQ(certificate.scope, "everything");
}

}  // namespace
}  // namespace hyseq::proofs_check
