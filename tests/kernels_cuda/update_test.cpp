// The end of a step: norms, clipping and AdamW for several members at once.
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "kernels/adamw/cuda.hpp"
#include "kernels/adamw/reference.hpp"

namespace hyseq::kernels::cuda {
namespace {

using Arrays = std::vector<std::vector<double>>;

/// Parameters on both sides of a piece's size, and one whose last group is not full.
Program parameters_of_all_sizes() {
  Program program;
  for (const std::size_t size : {3U, 4U, 9000U, 1U, 40000U, 17U}) program.parameters.push_back({"p", {size}});
  return program;
}

Arrays random_arrays(const Program& program, std::mt19937& random, float scale, bool squared = false) {
  std::normal_distribution<float> normal(0, scale);
  Arrays arrays;
  for (const ParameterInfo& parameter : program.parameters) {
    auto& array = arrays.emplace_back(parameter.size());
    for (double& value : array) {
      value = static_cast<double>(normal(random));
      if (squared) value = static_cast<double>(static_cast<float>(value * value));
    }
  }
  return arrays;
}

TEST(CudaUpdate, PiecesCoverEveryNumberOnceAndKnowItsDecay) {
  const Program program = parameters_of_all_sizes();
  const ParameterLayout layout(program);
  for (const std::vector<std::uint8_t>& decays :
       {std::vector<std::uint8_t>{}, std::vector<std::uint8_t>{1, 0, 0, 1, 1, 0}}) {
    AdamW optimiser;
    optimiser.decays = decays;
    const std::vector<UpdatePiece> pieces = update_pieces(layout, optimiser);
    std::size_t next = 0;
    for (const UpdatePiece& piece : pieces) {
      EXPECT_EQ(piece.first, next);
      EXPECT_GT(piece.count, 0U);
      EXPECT_LE(piece.count, 2048U);
      for (std::size_t p = 0; p < layout.offsets.size(); ++p) {
        const std::size_t first = layout.offsets[p] / kGroup;
        if (first < piece.first || first >= piece.first + piece.count) continue;
        EXPECT_EQ(piece.decays, decays.empty() ? 1U : decays[p]) << p;
      }
      next += piece.count;
    }
    EXPECT_EQ(next * kGroup, layout.step);
  }
}

/// A cohort's numbers on the device, and the same as the reference updates them.
template <class T>
class Cohort {
 public:
  Cohort(std::size_t members, const AdamW& optimiser, const Clip& clip)
      : layout_(program_),
        optimiser_(layout_, members, optimiser, clip, stream_),
        settings_(optimiser),
        clip_(clip),
        values_(members * layout_.step),
        gradients_(members * layout_.step),
        first_(members * layout_.step),
        second_(members * layout_.step),
        losses_(members),
        member_steps_(members) {
    zero(stream_, gradients_.span());
    std::mt19937 random(5);
    for (std::size_t m = 0; m < members; ++m) {
      members_.push_back({random_arrays(program_, random, 1), random_arrays(program_, random, 0.02F * float(m + 1)),
                          random_arrays(program_, random, 0.1F), random_arrays(program_, random, 0.1F, true), 1.5});
      upload_member(layout_, members_[m].values, m, stream_, values_);
      upload_member(layout_, members_[m].first, m, stream_, first_);
      upload_member(layout_, members_[m].second, m, stream_, second_);
    }
  }

  struct Member {
    Arrays values;
    Arrays gradients;
    Arrays first;
    Arrays second;
    double loss;
  };
  [[nodiscard]] Member& member(std::size_t m) { return members_[m]; }

  void update(std::uint64_t step) {
    std::vector<LossSums> losses;
    std::vector<MemberStepValues> steps;
    for (std::size_t m = 0; m < members_.size(); ++m) {
      upload_member(layout_, members_[m].gradients, m, stream_, gradients_);
      losses.push_back({members_[m].loss, 0});
      steps.push_back({0, 1, rate(m)});
    }
    losses_.upload(stream_, losses);
    member_steps_.upload(stream_, steps);
    StepValues common;
    common.correction1 = 1 - std::pow(settings_.beta1, static_cast<double>(step + 1));
    common.correction2 = 1 - std::pow(settings_.beta2, static_cast<double>(step + 1));
    step_.upload(stream_, std::span(&common, 1));
    optimiser_.update(stream_, {values_.span(), gradients_.span(), first_.span(), second_.span()}, losses_.span(),
                      step_.span(), member_steps_.span());
  }

  /// What the reference makes of a member whose gradient has this norm.
  [[nodiscard]] Member expected(std::size_t m, std::uint64_t step, double norm) const {
    const auto rounded = [](const Arrays& arrays) {
      std::vector<std::vector<T>> all;
      for (const auto& array : arrays) {
        auto& to = all.emplace_back();
        for (const double value : array) to.push_back(static_cast<T>(value));
      }
      return all;
    };
    auto values = rounded(members_[m].values);
    auto first = rounded(members_[m].first);
    auto second = rounded(members_[m].second);
    const auto gradients = rounded(members_[m].gradients);
    AdamWStep update{&settings_, step + 1, rate(m), true, clip_factor(clip_, norm)};
    Member result;
    for (std::size_t p = 0; p < values.size(); ++p) {
      update.decays = settings_.decays.empty() || settings_.decays[p] != 0;
      adamw<T>(update, gradients[p], values[p], first[p], second[p]);
      result.values.emplace_back(values[p].begin(), values[p].end());
      result.first.emplace_back(first[p].begin(), first[p].end());
      result.second.emplace_back(second[p].begin(), second[p].end());
    }
    return result;
  }

  [[nodiscard]] Member found(std::size_t m) {
    const auto get = [&](const DeviceArray<T>& array) { return download_member(program_, layout_, m, stream_, array); };
    return {get(values_), {}, get(first_), get(second_), 0};
  }
  [[nodiscard]] std::vector<double> squares() {
    std::vector<double> squares(members_.size());
    optimiser_.squares().download(stream_, squares);
    stream_.wait();
    return squares;
  }
  [[nodiscard]] double norm(std::size_t m) const { return gradient_norm(members_[m].gradients); }

 private:
  [[nodiscard]] static double rate(std::size_t m) { return 0.01 / static_cast<double>(m + 1); }

  Program program_ = parameters_of_all_sizes();
  ParameterLayout layout_;
  Stream stream_;
  Optimiser<T> optimiser_;
  AdamW settings_;
  Clip clip_;
  DeviceArray<T> values_;
  DeviceArray<T> gradients_;
  DeviceArray<T> first_;
  DeviceArray<T> second_;
  DeviceArray<LossSums> losses_;
  DeviceArray<StepValues> step_{1};
  DeviceArray<MemberStepValues> member_steps_;
  std::vector<Member> members_;
};

/// Norms are sums in another order. What follows from a norm is the same function in both, and so the same bits.
template <class T>
void expect_update(Cohort<T>& cohort, std::size_t m, std::uint64_t step) {
  const double norm = std::sqrt(cohort.squares()[m]);
  EXPECT_NEAR(norm, cohort.norm(m), 1e-12 * cohort.norm(m)) << m;
  const auto expected = cohort.expected(m, step, norm);
  const auto found = cohort.found(m);
  EXPECT_TRUE(found.values == expected.values) << m;
  EXPECT_TRUE(found.first == expected.first) << m;
  EXPECT_TRUE(found.second == expected.second) << m;
  EXPECT_FALSE(found.values == cohort.member(m).values) << m;
}

template <class T>
void expect_updates(const AdamW& optimiser, const Clip& clip) {
  constexpr std::size_t kMembers = 3;
  Cohort<T> cohort(kMembers, optimiser, clip);
  cohort.update(4);
  for (std::size_t m = 0; m < kMembers; ++m) expect_update(cohort, m, 4);
}

TEST(CudaUpdate, IsTheReferencesForEveryMember) {
  AdamW optimiser;
  for (const double limit : {0.0, 1.0, 5.0, 1e6}) {
    expect_updates<float>(optimiser, {limit, 1e-6});
    expect_updates<double>(optimiser, {limit, 1e-6});
  }
  optimiser.decays = {1, 0, 0, 1, 1, 0};
  optimiser.decay = 0.5;
  expect_updates<float>(optimiser, {});
  expect_updates<double>(optimiser, {});
}

// Squares of these floats overflow in float.
TEST(CudaUpdate, NormsAreSummedInDouble) {
  Cohort<float> cohort(1, {}, {});
  cohort.member(0).gradients[2][8999] = static_cast<double>(3e30F);
  cohort.update(0);
  EXPECT_NEAR(std::sqrt(cohort.squares()[0]), 3e30, 1e24);
  expect_update(cohort, 0, 0);
}

TEST(CudaUpdate, LeavesMembersAloneThatAreNotFinite) {
  Cohort<float> cohort(5, {}, {});
  cohort.member(1).gradients[4][39999] = std::numeric_limits<double>::quiet_NaN();
  cohort.member(2).gradients[0][0] = -std::numeric_limits<double>::infinity();
  cohort.member(3).loss = std::numeric_limits<double>::quiet_NaN();
  cohort.update(0);
  for (const std::size_t m : {1U, 2U, 3U}) {
    const auto found = cohort.found(m);
    EXPECT_EQ(found.values, cohort.member(m).values) << m;
    EXPECT_EQ(found.first, cohort.member(m).first) << m;
    EXPECT_EQ(found.second, cohort.member(m).second) << m;
  }
  for (const std::size_t m : {0U, 4U}) expect_update(cohort, m, 0);
  const std::vector<double> squares = cohort.squares();
  EXPECT_TRUE(std::isnan(squares[1]));
  EXPECT_TRUE(std::isinf(squares[2]));
  EXPECT_TRUE(std::isfinite(squares[3]));
}

}  // namespace
}  // namespace hyseq::kernels::cuda
