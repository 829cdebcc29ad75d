// The engine suite must fail for engines that are wrong: every planted error is caught.
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "tests/kernels/cases.hpp"
#include "tests/kernels/expectation.hpp"

namespace hyseq::kernels {
namespace {

/// The reference engine with a fault in what it runs or in what it hands out.
class FaultyEngine final : public Engine {
 public:
  std::function<void(Program&)> program_fault;
  std::function<void(ExecuteResult&)> result_fault;

  [[nodiscard]] std::string_view name() const override { return "reference"; }
  [[nodiscard]] std::vector<NumberFormat> formats() const override { return reference_engine().formats(); }
  [[nodiscard]] std::string_view rounding() const override { return ""; }
  [[nodiscard]] std::string_view subnormals() const override { return ""; }
  [[nodiscard]] ForwardResult forward(const ForwardRequest& request) const override {
    return reference_engine().forward(request);
  }
  [[nodiscard]] ExecuteResult execute(const ExecuteRequest& request) const override {
    Program program = *request.program;
    if (program_fault) program_fault(program);
    ExecuteRequest changed = request;
    changed.program = &program;
    ExecuteResult result = reference_engine().execute(changed);
    if (result_fault) result_fault(result);
    return result;
  }
  [[nodiscard]] std::size_t cohort_size(NumberFormat format) const override {
    return reference_engine().cohort_size(format);
  }
  [[nodiscard]] std::size_t cohort_bytes(const CohortRequest& request, std::size_t rows) const override {
    return reference_engine().cohort_bytes(request, rows);
  }
  [[nodiscard]] std::unique_ptr<Cohort> make_cohort(const CohortRequest& request) const override {
    return reference_engine().make_cohort(request);
  }
};

/// The last case of each backward operation that has several rows and a gradient of an input or parameter: the faults
/// below would not show in a gradient of zeros or of one row.
std::vector<ProgramCase> samples() {
  std::map<std::size_t, ProgramCase> chosen;
  for (const CaseGroup& group : case_groups()) {
    for (ProgramCase& values : group.make()) {
      if (!values.has_backward() || values.rows() < 3 || !values.small) continue;
      if (values.inputs.empty() && values.parameters.empty()) continue;
      if (!values.targets.empty() && values.valid_below < 2) continue;
      chosen.insert_or_assign(values.program.backward[0].index(), std::move(values));
    }
  }
  std::vector<ProgramCase> all;
  for (auto& [index, values] : chosen) all.push_back(std::move(values));
  return all;
}

/// Changes every array in turn that the backward list writes, and expects the suite to notice each time.
void expect_caught(const char* what, const std::function<void(std::vector<double>&)>& fault) {
  for (const ProgramCase& values : samples()) {
    const Expectation expected = expectation(values, NumberFormat::float64);
    ASSERT_EQ(check(reference_engine(), values, NumberFormat::float64, expected), "");
    std::set<std::size_t> written;
    for (const ProgramCase::Input& input : values.inputs) {
      written.insert(static_cast<std::size_t>(input.gradient.view.buffer));
    }
    FaultyEngine engine;
    for (const std::size_t buffer : written) {
      engine.result_fault = [&](ExecuteResult& result) { fault(result.gradients[buffer]); };
      EXPECT_NE(check(engine, values, NumberFormat::float64, expected), "") << what << " in " << values.name;
    }
    for (std::size_t p = 0; p < values.parameters.size(); ++p) {
      engine.result_fault = [&](ExecuteResult& result) { fault(result.parameter_gradients[p]); };
      EXPECT_NE(check(engine, values, NumberFormat::float64, expected), "") << what << " in " << values.name;
    }
  }
}

TEST(PlantedErrors, EveryBackwardOperationIsAmongTheSamples) {
  EXPECT_EQ(samples().size(), std::variant_size_v<BackwardOperation>);
}

TEST(PlantedErrors, AWrongSignIsCaught) {
  expect_caught("sign", [](std::vector<double>& values) {
    for (double& value : values) value = -value;
  });
}

TEST(PlantedErrors, ANaNIsCaughtWhereverItStands) {
  for (const double place : {0.0, 0.5, 0.999}) {
    expect_caught("NaN", [place](std::vector<double>& values) {
      values[static_cast<std::size_t>(place * static_cast<double>(values.size()))] = std::nan("");
    });
  }
}

TEST(PlantedErrors, AnOffByOneIsCaught) {
  expect_caught("shift by one",
                [](std::vector<double>& values) { std::rotate(values.begin(), values.begin() + 1, values.end()); });
}

TEST(PlantedErrors, ARelativeErrorOfAMillionthIsCaught) {
  expect_caught("error of 1e-6", [](std::vector<double>& values) {
    for (double& value : values) value *= 1 + 1e-6;
  });
}

/// Runs all cases of a group with a changed program and returns how many of them disagree.
std::size_t caught(const std::vector<ProgramCase>& cases, const std::function<void(Program&)>& fault) {
  FaultyEngine engine;
  engine.program_fault = fault;
  std::size_t count = 0;
  for (const ProgramCase& values : cases) {
    if (!values.small) continue;
    const Expectation expected = expectation(values, NumberFormat::float64);
    if (!check(engine, values, NumberFormat::float64, expected).empty()) ++count;
  }
  return count;
}

TEST(PlantedErrors, AWindowOfOnePositionTooManyIsCaught) {
  const auto fault = [](Program& program) { ++std::get<WindowAttentionBackward>(program.backward[0]).call.window; };
  EXPECT_GT(caught(attention_cases(), fault), 10U);
}

TEST(PlantedErrors, AddingWhereAGradientIsToBeReplacedIsCaughtAndTheReverse) {
  const auto fault = [](Program& program) {
    GradientMode& mode = std::get<MultiplyBackward>(program.backward[0]).b_gradient.mode;
    mode = mode == GradientMode::overwrite ? GradientMode::accumulate : GradientMode::overwrite;
  };
  // All but those where the second gradient is not wanted: one choice of sinks in five and its like.
  const std::vector<ProgramCase> cases = multiply_cases();
  std::size_t wanted = 0;
  for (const ProgramCase& values : cases) {
    if (std::get<MultiplyBackward>(values.program.backward[0]).b_gradient.wanted()) ++wanted;
  }
  EXPECT_EQ(caught(cases, fault), wanted);
}

TEST(PlantedErrors, AForgottenDropoutIsCaught) {
  const auto fault = [](Program& program) {
    std::get<WindowAttentionBackward>(program.backward[0]).call.dropout.rate = 0;
  };
  EXPECT_GT(caught(dropped_attention_cases(), fault), 10U);
}

TEST(PlantedErrors, SwappedOperandsOfAScanAreCaught) {
  const auto fault = [](Program& program) {
    auto& backward = std::get<SelectiveScanBackward>(program.backward[0]);
    std::swap(backward.call.input, backward.call.output);
  };
  EXPECT_GT(caught(scan_cases(), fault), 10U);
}

}  // namespace
}  // namespace hyseq::kernels
