// A recorded list of calls, replayed: what changes from step to step comes from the memory of the device.
#include <gtest/gtest.h>

#include "tests/kernels_cuda/trial.hpp"

namespace hyseq::kernels::cuda {
namespace {

/// A dropout and its gradient for three members.
Trial dropping() {
  constexpr int kWidth = 13;
  Trial trial;
  trial.batch = 3;
  trial.time = 5;
  trial.step = 4;
  trial.program.vocabulary = 4;
  trial.program.buffers = {{"in", kWidth}, {"out", kWidth}};
  trial.program.gradients = {{"out", kWidth}, {"in", kWidth}};
  const Dropout call{{0, 0, kWidth}, {1, 0, kWidth}, {DropoutPlace::mlp, 2, 0.4}};
  trial.program.forward = {call};
  trial.program.backward = {DropoutBackward{call, {0, 0, kWidth}, {{1, 0, kWidth}, GradientMode::overwrite}}};
  add_members(trial, 3);
  return trial;
}

std::vector<MemberStepValues> seeds(const Trial& trial) {
  std::vector<MemberStepValues> values;
  for (const Member& member : trial.members) values.push_back({member.seed, 0, 0});
  return values;
}

TEST(CudaRecording, TakesStepAndSeedsFromTheDevice) {
  Trial trial = dropping();
  TrialSession<float> session(trial);
  const auto work = [&] {
    session.session().forward();
    session.session().backward();
  };
  work();
  const Graph graph = session.stream().capture(work);
  const auto agrees = [&] {
    bool equal = true;
    for (std::size_t m = 0; m < trial.members.size(); ++m) {
      const MemberResult expected = reference_result(trial, m, NumberFormat::float32);
      const MemberResult found = session.result(m);
      equal = equal && found.buffers == expected.buffers && found.gradients == expected.gradients;
    }
    return equal;
  };
  EXPECT_TRUE(agrees());
  for (const std::uint64_t step : {5U, 6U, 5000U}) {
    trial.step = step;
    trial.members[step % 3].seed += step;
    session.stream().replay(graph);
    EXPECT_FALSE(agrees()) << "the numbers of the step before were seen as those of step " << step;
    session.session().set_step({step, 0, 1, 1}, seeds(trial));
    session.stream().replay(graph);
    EXPECT_TRUE(agrees()) << step;
  }
}

// The second row alone, as a part of its batch.
TEST(CudaRecording, TakesTheFirstRowOfAPartFromTheDevice) {
  const Trial whole = dropping();
  const MemberResult expected = run<float>(whole)[1];
  Trial part = whole;
  part.batch = 1;
  const auto row = [&](auto& values) {
    const auto size = static_cast<std::ptrdiff_t>(values.size() / whole.batch);
    values.assign(values.begin() + size, values.begin() + 2 * size);
  };
  for (Member& member : part.members) {
    row(member.tokens);
    row(member.targets);
    for (auto& buffer : member.buffers) row(buffer);
    for (auto& gradient : member.gradients) row(gradient);
  }
  TrialSession<float> session(part);
  session.session().forward();
  const Graph graph = session.stream().capture([&] { session.session().forward(); });
  std::vector<double> wanted = expected.buffers[1];
  row(wanted);
  EXPECT_NE(session.result(1).buffers[1], wanted);
  session.session().set_step({part.step, 1, 1, 1}, seeds(part));
  session.stream().replay(graph);
  EXPECT_EQ(session.result(1).buffers[1], wanted);
}

}  // namespace
}  // namespace hyseq::kernels::cuda
