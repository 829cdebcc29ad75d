// Losses, hits and their sums, and the gradient of the logits, for several members at once.
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "kernels/softmax_cross_entropy/reference.hpp"
#include "tests/kernels_cuda/trial.hpp"

namespace hyseq::kernels::cuda {
namespace {

Trial loss_trial(std::int32_t vocabulary, std::size_t batch, std::size_t time, std::size_t members) {
  Trial trial;
  trial.batch = batch;
  trial.time = time;
  trial.valid_below = vocabulary;
  trial.program.vocabulary = vocabulary;
  trial.program.buffers = {{"logits", vocabulary + 3}};
  trial.program.gradients = {{"logits gradient", vocabulary}};
  trial.program.logits = {0, 3, vocabulary};
  trial.program.backward = {CrossEntropyBackward{trial.program.logits, {0, 0, vocabulary}}};
  add_members(trial, members);
  return trial;
}

/// The logits of one member, [rows, vocabulary], in T.
template <class T>
std::vector<T> logits(const Trial& trial, const Member& member) {
  const auto vocabulary = static_cast<std::size_t>(trial.program.vocabulary);
  std::vector<T> values;
  for (std::size_t row = 0; row < trial.rows(); ++row) {
    for (std::size_t v = 0; v < vocabulary; ++v) {
      values.push_back(static_cast<T>(member.buffers[0][row * (vocabulary + 3) + 3 + v]));
    }
  }
  return values;
}

template <class T>
std::vector<LossSums> sums_of(TrialSession<T>& session, int times) {
  DeviceArray<LossSums> sums(session.members());
  zero(session.stream(), sums.span());
  for (int i = 0; i < times; ++i) session.session().loss(sums.span());
  std::vector<LossSums> found(session.members());
  sums.download(session.stream(), found);
  session.stream().wait();
  return found;
}

template <class T>
void expect_losses(const Trial& trial) {
  TrialSession<T> session(trial);
  const std::vector<LossSums> once = sums_of(session, 1);
  const std::vector<LossSums> twice = sums_of(session, 2);
  std::vector<std::uint8_t> hits(session.members() * trial.rows());
  session.session().download_hits(hits);
  for (std::size_t m = 0; m < trial.members.size(); ++m) {
    const Member& member = trial.members[m];
    const std::vector<T> x = logits<T>(trial, member);
    const LossResult expected = cross_entropy(std::span<const T>(x), member.targets, trial.valid_below);
    const double sum = expected.loss * static_cast<double>(expected.valid);
    const double roundoff = static_cast<double>(std::numeric_limits<T>::epsilon());
    EXPECT_NEAR(once[m].loss, sum, 8 * roundoff * static_cast<double>(trial.rows()) * std::log(x.size())) << m;
    EXPECT_EQ(once[m].correct, static_cast<std::uint64_t>(expected.correct)) << m;
    EXPECT_EQ(twice[m].loss, 2 * once[m].loss) << m;
    EXPECT_EQ(twice[m].correct, 2 * once[m].correct) << m;
    for (std::size_t row = 0; row < trial.rows(); ++row) {
      const auto width = static_cast<std::size_t>(trial.program.vocabulary);
      const bool counts = is_valid_target(member.targets[row], trial.valid_below);
      const bool hit = counts && unique_argmax(x.data() + row * width, width) == member.targets[row];
      EXPECT_EQ(hits[m * trial.rows() + row], hit ? 1 : 0) << m << ", row " << row;
    }
  }
}

// Vocabularies of one thread, of part of a warp, of a warp, of a block; more rows than one round of a block sums.
TEST(CudaLoss, IsTheReferencesForEveryMember) {
  for (const std::int32_t vocabulary : {1, 2, 5, 34, 101, 1025, 4100}) {
    Trial trial = loss_trial(vocabulary, 2, vocabulary > 1000 ? 2 : 150, 3);
    if (vocabulary > 1) {
      trial.valid_below = vocabulary - 1;                           // some targets do not count
      std::ranges::fill(trial.members[1].targets, vocabulary - 1);  // none of this member does
    }
    expect_losses<float>(trial);
    expect_losses<double>(trial);
  }
}

TEST(CudaLoss, TiesAreNoHits) {
  Trial trial = loss_trial(7, 1, 4, 2);
  for (Member& member : trial.members) {
    member.targets = {2, 2, 2, 6};
    member.buffers[0] = {9, 9, 9, 0, 0, 5, 0, 0, 0, 0,  // unique
                         9, 9, 9, 0, 5, 5, 0, 0, 0, 0,  // tied
                         9, 9, 9, 0, 6, 5, 0, 0, 0, 0,  // another one
                         9, 9, 9, 0, 6, 5, 0, 0, 0, 7};
  }
  TrialSession<float> session(trial);
  EXPECT_EQ(sums_of(session, 1)[1].correct, 2U);
  std::vector<std::uint8_t> hits(8);
  session.session().download_hits(hits);
  EXPECT_EQ(hits, (std::vector<std::uint8_t>{1, 0, 0, 1, 1, 0, 0, 1}));
}

TEST(CudaLoss, LargeLogitsAreFinite) {
  for (const std::int32_t vocabulary : {5, 101}) {
    Trial trial = loss_trial(vocabulary, 1, 3, 1);
    for (double& x : trial.members[0].buffers[0]) x = static_cast<double>(static_cast<float>(1e10 + 1e9 * x));
    expect_losses<float>(trial);
    const MemberResult found = run<float>(trial)[0];
    for (const double g : found.gradients[0]) EXPECT_TRUE(std::isfinite(g));
  }
}

// A number that is none makes a member's loss none, no hit, and stays with its member.
TEST(CudaLoss, NaNStaysWithItsMember) {
  Trial trial = loss_trial(34, 1, 3, 3);
  const LossSums before = [&] {
    TrialSession<float> session(trial);
    return sums_of(session, 1)[2];
  }();
  const auto target = static_cast<std::size_t>(trial.members[1].targets[0]);
  trial.members[1].buffers[0][3 + (target + 1) % 34] = std::numeric_limits<double>::quiet_NaN();
  trial.members[1].buffers[0][3 + target] = 100;
  TrialSession<float> session(trial);
  const std::vector<LossSums> sums = sums_of(session, 1);
  EXPECT_TRUE(std::isnan(sums[1].loss));
  EXPECT_EQ(sums[2].loss, before.loss);
  std::vector<std::uint8_t> hits(9);
  session.session().download_hits(hits);
  EXPECT_EQ(hits[3], 0);
}

TEST(CudaLoss, GradientIsTheReferencesForEveryMember) {
  for (const std::int32_t vocabulary : {1, 2, 5, 34, 1025}) {
    Trial trial = loss_trial(vocabulary, 2, vocabulary > 1000 ? 2 : 20, 3);
    if (vocabulary > 1) {
      trial.valid_below = vocabulary - 1;
      std::ranges::fill(trial.members[1].targets, vocabulary - 1);
    }
    const std::vector<MemberResult> in_float = run<float>(trial);
    const std::vector<MemberResult> in_double = run<double>(trial);
    for (std::size_t m = 0; m < trial.members.size(); ++m) {
      const std::vector<double> expected = reference_result(trial, m, NumberFormat::float64).gradients[0];
      for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_NEAR(in_float[m].gradients[0][i], expected[i], 2e-6);
        EXPECT_NEAR(in_double[m].gradients[0][i], expected[i], 1e-15);
      }
    }
  }
}

}  // namespace
}  // namespace hyseq::kernels::cuda
