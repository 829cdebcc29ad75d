// The best predictor against one that is found by enumeration: over every sequence of a small domain, the most probable
// target for every content of the receptive field.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tasks/selective_copy_ceiling.hpp"

namespace hyseq::tasks {
namespace {

struct Domain {
  SelectiveCopyShape shape;
  double share;
  std::size_t length;
  std::size_t field;
};

/// {expected right, expected valid}, from the enumeration and from the function under test.
std::pair<BestSuccess, BestSuccess> both(const Domain& domain) {
  const auto& [shape, share, length, field] = domain;
  const int tokens = shape.values + shape.distance_count;
  std::map<std::pair<std::size_t, std::vector<std::int32_t>>, std::map<std::int32_t, double>> seen;
  double valid = 0, right = 0;
  std::vector<std::int32_t> input(length, 0), target(length);
  const auto count = static_cast<std::size_t>(std::pow(tokens, length) + 0.5);
  for (std::size_t code = 0; code < count; ++code) {
    double probability = 1;
    std::size_t rest = code;
    for (std::int32_t& token : input) {
      token = static_cast<std::int32_t>(rest % static_cast<std::size_t>(tokens));
      rest /= static_cast<std::size_t>(tokens);
      probability *= token < shape.values ? (1 - share) / shape.values : share / shape.distance_count;
    }
    label_selective_copy(shape, tokens, input, target);
    for (std::size_t i = 0; i < length; ++i) {
      if (target[i] == tokens) continue;
      const std::size_t first = i + 1 > field ? i + 1 - field : 0;
      const std::vector<std::int32_t> window(input.begin() + static_cast<std::ptrdiff_t>(first),
                                             input.begin() + static_cast<std::ptrdiff_t>(i + 1));
      seen[{i, window}][target[i]] += probability;
    }
    BestSuccess sum;
    add_best_success(shape, share, field, input, sum);
    valid += probability * static_cast<double>(sum.valid);
    right += probability * sum.right;
  }
  double best = 0, all = 0;
  for (const auto& [window, targets] : seen) {
    double most = 0;
    for (const auto& [token, probability] : targets) {
      most = std::max(most, probability);
      all += probability;
    }
    best += most;
  }
  EXPECT_NEAR(valid, all, 1e-9);
  return {{0, best}, {0, right}};
}

TEST(SelectiveCopyCeiling, IsTheBestPredictorOfEveryWindow) {
  for (const Domain& domain :
       {Domain{{2, 1, 2}, 0.3, 6, 1}, Domain{{2, 1, 2}, 0.3, 6, 2}, Domain{{2, 1, 2}, 0.7, 6, 3},
        Domain{{3, 0, 2}, 0.2, 5, 2}, Domain{{1, 2, 1}, 0.5, 7, 3}, Domain{{2, 2, 3}, 0.4, 5, 4}}) {
    const auto [enumerated, computed] = both(domain);
    EXPECT_NEAR(computed.right, enumerated.right, 1e-9) << domain.shape.values << " " << domain.field;
    EXPECT_GT(enumerated.right, 0);
  }
}

TEST(SelectiveCopyCeiling, IsReachedWhereEverythingIsSeen) {
  const std::vector<std::int32_t> input{0, 1, 3, 1, 2, 0};  // distances 1 and 2 are the tokens 2 and 3
  BestSuccess sum;
  add_best_success({2, 1, 2}, 0.3, 6, input, sum);
  EXPECT_EQ(sum.valid, 4);
  EXPECT_EQ(sum.right, 4);
  // Two tokens: distance 2 is out of sight at positions 2 and 3, distance 1 is seen at 4 and 5.
  BestSuccess two;
  add_best_success({2, 1, 2}, 0.3, 2, input, two);
  EXPECT_EQ(two.valid, 4);
  EXPECT_LT(two.right, 4);
  EXPECT_GT(two.right, 2);
}

}  // namespace
}  // namespace hyseq::tasks
