// Helpers of the task tests.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/base/error.hpp"
#include "tasks/batch.hpp"
#include "tasks/registry.hpp"

namespace hyseq::tasks {

using Tokens = std::vector<std::int32_t>;

inline Tokens label(const Task& task, const Tokens& input) {
  Tokens target(input.size());
  task.label(input, target);
  return target;
}

inline constexpr StreamKey kTraining{1, Purpose::training_data};

/// Chi-square statistic of counts against probabilities proportional to `weights`.
inline double chi_square(const std::vector<std::uint64_t>& counts, const std::vector<double>& weights) {
  const double total = static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}));
  const double weight = std::accumulate(weights.begin(), weights.end(), 0.0);
  double sum = 0.0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double expected = total * weights.at(i) / weight;
    const double difference = static_cast<double>(counts[i]) - expected;
    sum += difference * difference / expected;
  }
  return sum;
}

/// The counts fit the weights: chi-square within five standard deviations of its mean. The seeds of the tests are
/// fixed, so this either always passes or always fails.
inline void expect_distribution(const std::vector<std::uint64_t>& counts, const std::vector<double>& weights,
                                const std::string& what) {
  const double freedom = static_cast<double>(counts.size()) - 1.0;
  EXPECT_LE(chi_square(counts, weights), freedom + 5.0 * std::sqrt(2.0 * freedom)) << what;
}

inline void expect_uniform(const std::vector<std::uint64_t>& counts, const std::string& what) {
  expect_distribution(counts, std::vector<double>(counts.size(), 1.0), what);
}

/// The text of the InputError that `action` throws; fails without one.
template <class Action>
std::string input_error(const Action& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  ADD_FAILURE() << "no InputError was thrown";
  return "";
}

}  // namespace hyseq::tasks
