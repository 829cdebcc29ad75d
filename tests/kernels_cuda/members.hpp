// One operation on the emulated device, for several members at once, each against the plain formulas of the engine
// suite.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kernels/cuda/context.hpp"
#include "tests/kernels/expectation.hpp"

namespace hyseq::kernels::cuda {

/// Numbers of all members on the device: member after member, or within each array.
template <class T>
class DeviceNumbers {
 public:
  DeviceNumbers(Stream& stream, const std::vector<std::vector<double>>& members) : members_(members.size()) {
    std::vector<T> all;
    for (const auto& values : members) {
      for (const double value : values) all.push_back(static_cast<T>(value));
    }
    array_ = DeviceArray<T>(all.size());
    array_.upload(stream, all);
  }
  [[nodiscard]] Span<T> span() { return array_.span(); }
  [[nodiscard]] std::vector<double> member(Stream& stream, std::size_t m) const {
    std::vector<T> all(array_.size());
    array_.download(stream, all);
    const auto size = static_cast<std::ptrdiff_t>(all.size() / members_);
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(m) * size;
    return {first, first + size};
  }

 private:
  std::size_t members_;
  DeviceArray<T> array_;
};

template <class T>
inline constexpr NumberFormat kFormat = sizeof(T) == sizeof(float) ? NumberFormat::float32 : NumberFormat::float64;

/// The cases' forward and backward call, run on one device for all of them together. Sizes, segments and the dropout's
/// step must be the same in all cases. Returns what every member got.
template <class T, class Call, class BackwardCall>
[[nodiscard]] std::vector<ExecuteResult> run_members(const std::vector<ProgramCase>& cases) {
  const ProgramCase& one = cases.front();
  const Program& program = one.program;
  Stream stream;
  Workspace workspace;
  Context<T> context;
  context.program = &program;
  context.stream = &stream;
  context.workspace = &workspace;
  context.members = cases.size();
  context.batch = one.batch;
  context.time = one.time;

  const auto gather = [&](const auto& arrays_of, std::size_t index) {
    std::vector<std::vector<double>> members;
    for (const ProgramCase& values : cases) members.push_back(arrays_of(values)[index]);
    return members;
  };
  std::vector<DeviceNumbers<T>> buffers;
  for (std::size_t i = 0; i < program.buffers.size(); ++i) {
    buffers.emplace_back(stream, gather([](const ProgramCase& values) { return values.buffers; }, i));
    context.strides.push_back(static_cast<std::size_t>(program.buffers[i].width));
  }
  std::vector<DeviceNumbers<T>> gradients;
  for (std::size_t i = 0; i < program.gradients.size(); ++i) {
    gradients.emplace_back(stream, gather([](const ProgramCase& values) { return values.gradients; }, i));
    context.gradient_strides.push_back(static_cast<std::size_t>(program.gradients[i].width));
  }
  for (auto& buffer : buffers) context.buffers.push_back(buffer.span());
  for (auto& gradient : gradients) context.gradients.push_back(gradient.span());
  std::vector<std::vector<double>> parameters(cases.size());
  for (std::size_t p = 0; p < program.parameters.size(); ++p) {
    context.offsets.push_back(parameters[0].size());
    for (std::size_t m = 0; m < cases.size(); ++m) {
      parameters[m].insert(parameters[m].end(), cases[m].parameters[p].begin(), cases[m].parameters[p].end());
    }
  }
  context.parameter_step = parameters[0].size();
  DeviceNumbers<T> parameter_values(stream, parameters);
  for (auto& values : parameters) std::ranges::fill(values, 0.0);
  DeviceNumbers<T> parameter_gradients(stream, parameters);
  context.parameters = parameter_values.span();
  context.parameter_gradients = parameter_gradients.span();

  std::vector<std::uint32_t> position(one.rows());
  for (std::size_t row = 0; row < one.rows(); ++row) {
    const bool starts = row % one.time == 0 || (!one.segments.empty() && one.segments[row] != one.segments[row - 1]);
    position[row] = starts ? 0 : position[row - 1] + 1;
  }
  DeviceArray<std::uint32_t> positions(position.size());
  positions.upload(stream, position);
  context.position = positions.span();
  DeviceArray<StepValues> step(1);
  step.upload(stream, std::vector<StepValues>{{one.dropout.step, 0, 1, 1}});
  context.step = step.span();
  std::vector<MemberStepValues> member_values;
  for (const ProgramCase& values : cases) member_values.push_back({values.dropout.seed, 0, 0});
  DeviceArray<MemberStepValues> member_steps(cases.size());
  member_steps.upload(stream, member_values);
  context.member_steps = member_steps.span();

  const auto& call = std::get<Call>(program.forward[0]);
  DeviceArray<T> kept;
  if constexpr (requires { kept_size(call, program, cases.size(), one.batch, one.time); }) {
    kept = DeviceArray<T>(kept_size(call, program, cases.size(), one.batch, one.time));
  }
  context.kept = kept.span();
  forward(call, context);
  backward(std::get<BackwardCall>(program.backward[0]), context);

  std::vector<ExecuteResult> results(cases.size());
  for (std::size_t m = 0; m < cases.size(); ++m) {
    for (const auto& buffer : buffers) results[m].buffers.push_back(buffer.member(stream, m));
    for (const auto& gradient : gradients) results[m].gradients.push_back(gradient.member(stream, m));
    const std::vector<double> all = parameter_gradients.member(stream, m);
    for (std::size_t p = 0; p < program.parameters.size(); ++p) {
      const auto first = all.begin() + static_cast<std::ptrdiff_t>(context.offsets[p]);
      results[m].parameter_gradients.emplace_back(first,
                                                  first + static_cast<std::ptrdiff_t>(program.parameters[p].size()));
    }
  }
  return results;
}

/// Empty, or the first disagreement of a member with what the formulas give. make(member) gives its case.
template <class T, class Call, class BackwardCall, class Make>
[[nodiscard]] std::string check_members(std::size_t members, const Make& make) {
  std::vector<ProgramCase> cases;
  for (std::size_t m = 0; m < members; ++m) {
    cases.push_back(make(m).rounded(kFormat<T>));
    cases.back().name += ", member " + std::to_string(m);
    cases.back().dropout.seed += m;
  }
  const std::vector<ExecuteResult> results = run_members<T, Call, BackwardCall>(cases);
  for (std::size_t m = 0; m < members; ++m) {
    const std::string difference = compare(results[m], cases[m], kFormat<T>, expectation(cases[m], kFormat<T>), false);
    if (!difference.empty()) return difference;
  }
  return {};
}

}  // namespace hyseq::kernels::cuda
