// The engine suite: every operation, forward and backward, in every number format of every engine of this build.
#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "tests/kernels/cases.hpp"
#include "tests/kernels/expectation.hpp"

namespace hyseq::kernels {

namespace {

struct Subject {
  const Engine* engine;
  NumberFormat format;
  CaseGroup group;
};

std::vector<Subject> subjects() {
  std::vector<Subject> all;
  for (const CaseGroup& group : case_groups()) {
    for (const Engine* engine : engines()) {
      for (const NumberFormat format : engine->formats()) all.push_back({engine, format, group});
    }
  }
  return all;
}

std::string subject_name(const testing::TestParamInfo<Subject>& info) {
  std::string name = std::string(info.param.engine->name()) + "_" + std::string(hyseq::name(info.param.format)) + "_" +
                     info.param.group.name;
  std::ranges::replace(name, '-', '_');
  return name;
}

/// Cases of a group in a format with what they must give, made once for all engines.
const std::vector<std::pair<ProgramCase, Expectation>>& expectations(const CaseGroup& group, NumberFormat format) {
  static std::map<std::pair<std::string, NumberFormat>, std::vector<std::pair<ProgramCase, Expectation>>> known;
  auto& made = known[{group.name, format}];
  if (made.empty()) {
    for (const ProgramCase& values : group.make()) {
      ProgramCase rounded = values.rounded(format);
      Expectation expected = expectation(rounded, format);
      made.emplace_back(std::move(rounded), std::move(expected));
    }
  }
  return made;
}

class EngineSuite : public testing::TestWithParam<Subject> {};

TEST_P(EngineSuite, GivesTheValuesAndDerivativesOfItsOperations) {
  const Subject& subject = GetParam();
  for (const auto& [values, expected] : expectations(subject.group, subject.format)) {
    ASSERT_EQ(check(*subject.engine, values, subject.format, expected), "");
  }
}

INSTANTIATE_TEST_SUITE_P(All, EngineSuite, testing::ValuesIn(subjects()), subject_name);

// An operation added to the vocabulary without a case fails here.
TEST(EngineSuiteCoverage, EveryOperationAndBackwardOperationHasCases) {
  std::set<std::size_t> forward;
  std::set<std::size_t> backward;
  for (const CaseGroup& group : case_groups()) {
    for (const ProgramCase& values : group.make()) {
      for (const Operation& operation : values.program.forward) forward.insert(operation.index());
      for (const BackwardOperation& operation : values.program.backward) backward.insert(operation.index());
    }
  }
  EXPECT_EQ(forward.size(), std::variant_size_v<Operation>);
  EXPECT_EQ(backward.size(), std::variant_size_v<BackwardOperation>);
}

}  // namespace
}  // namespace hyseq::kernels
