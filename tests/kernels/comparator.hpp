// The one comparison of computed with expected numbers. Tested against planted errors in comparator_test.cpp.
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

namespace hyseq::kernels {

/// Empty where |found - expected| <= tolerance holds for every element; else the first disagreement in words. NaN fails
/// before anything is compared, wherever it stands: every comparison with it would be false.
[[nodiscard]] inline std::string disagreement(const std::vector<double>& expected, const std::vector<double>& found,
                                              const std::vector<double>& tolerance) {
  if (expected.size() != found.size() || expected.size() != tolerance.size()) {
    return "sizes differ: expected " + std::to_string(expected.size()) + ", found " + std::to_string(found.size()) +
           ", tolerances " + std::to_string(tolerance.size());
  }
  if (expected.empty()) return "there is nothing to compare";
  const auto describe = [&](std::size_t i) {
    return "element " + std::to_string(i) + ": expected " + std::to_string(expected[i]) + ", found " +
           std::to_string(found[i]) + ", off by " + std::to_string(std::abs(found[i] - expected[i]) / tolerance[i]) +
           " tolerances of " + std::to_string(tolerance[i] * 1e9) + "e-9";
  };
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (std::isnan(expected[i]) || std::isnan(found[i]) || std::isnan(tolerance[i])) return "NaN at " + describe(i);
  }
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (!(std::abs(found[i] - expected[i]) <= tolerance[i])) return describe(i);
  }
  return {};
}

}  // namespace hyseq::kernels
