#include "tests/kernels/comparator.hpp"

#include <algorithm>
#include <limits>

#include <gtest/gtest.h>

namespace hyseq::kernels {
namespace {

const std::vector<double> kExpected = {1.5, -2.25, 0.75, 1e-3, -7.0, 3.5};
const std::vector<double> kTolerance(kExpected.size(), 1e-6);

TEST(Comparator, AcceptsWhatLiesWithinTheTolerance) {
  std::vector<double> found = kExpected;
  EXPECT_EQ(disagreement(kExpected, found, kTolerance), "");
  for (double& value : found) value += 0.9e-6;
  EXPECT_EQ(disagreement(kExpected, found, kTolerance), "");
  for (double& value : found) value += 0.2e-6;
  EXPECT_NE(disagreement(kExpected, found, kTolerance), "");
}

TEST(Comparator, FindsAPlantedNaNFirst) {
  for (std::size_t place = 0; place < kExpected.size(); ++place) {
    for (const double nan : {std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::quiet_NaN()}) {
      std::vector<double> found = kExpected;
      found[0] += 1;  // an ordinary error in front of it
      found[place] = nan;
      EXPECT_EQ(disagreement(kExpected, found, kTolerance).rfind("NaN at element " + std::to_string(place), 0), 0U);
      EXPECT_NE(disagreement(found, kExpected, kTolerance), "");
      std::vector<double> both = found;
      EXPECT_NE(disagreement(found, both, std::vector<double>(6, 1e300)), "");
    }
  }
}

TEST(Comparator, FindsASignFlip) {
  for (std::size_t place = 0; place < kExpected.size(); ++place) {
    std::vector<double> found = kExpected;
    found[place] = -found[place];
    EXPECT_NE(disagreement(kExpected, found, kTolerance), "") << place;
  }
}

TEST(Comparator, FindsElementsShiftedByOneAndSizes) {
  std::vector<double> shifted = kExpected;
  std::rotate(shifted.begin(), shifted.begin() + 1, shifted.end());
  EXPECT_NE(disagreement(kExpected, shifted, kTolerance), "");
  std::vector<double> shorter = kExpected;
  shorter.pop_back();
  EXPECT_NE(disagreement(kExpected, shorter, kTolerance), "");
  EXPECT_NE(disagreement({}, {}, {}), "");
}

TEST(Comparator, FindsInfinity) {
  std::vector<double> found = kExpected;
  found[2] = std::numeric_limits<double>::infinity();
  EXPECT_NE(disagreement(kExpected, found, kTolerance), "");
}

}  // namespace
}  // namespace hyseq::kernels
