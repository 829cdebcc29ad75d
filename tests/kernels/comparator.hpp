// The one comparison of computed with expected numbers. Tested against planted errors in comparator_test.cpp.
#pragma once

#include <cmath>
#include <cstddef>
#include <iomanip>
#include <sstream>
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
    std::ostringstream text;
    text << "element " << i << ": expected " << std::setprecision(9) << expected[i] << ", found " << found[i]
         << ", off by " << std::setprecision(3) << found[i] - expected[i] << ", allowed is " << tolerance[i];
    return text.str();
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
