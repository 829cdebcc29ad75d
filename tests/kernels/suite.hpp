// The engine suite: every operation in every number type against a plain formula in double.
//
// A test gives a template lambda that runs an operation in a number type and returns an Outcome. Points must agree
// within a tolerance derived from the unit roundoff; intervals must contain what their base computes and be narrow.
#pragma once

#include <gtest/gtest.h>

#include "tests/kernels/bench.hpp"
#include "tests/kernels/comparator.hpp"

namespace hyseq::kernels {

template <class Scalar>
class Operations : public testing::Test {};

using numbers::BFloat16;
using numbers::Half;
using numbers::Interval;

using NumberTypes = testing::Types<double, float, BFloat16, Half, Interval<double>, Interval<float>, Interval<BFloat16>,
                                   Interval<Half>>;

template <class Scalar, class Run>
void expect_agreement(const Run& run, const std::string& what) {
  using Numeric = numbers::Numeric<Scalar>;
  const Outcome<Scalar> outcome = run.template operator()<Scalar>();
  std::vector<double> found;
  for (const Scalar& value : outcome.found) found.push_back(Numeric::to_double(value));
  if constexpr (!IntervalBase<Scalar>::is_interval) {
    EXPECT_EQ(disagreement(outcome.expected, found, outcome.tolerance), "") << what;
  } else {
    using Base = typename IntervalBase<Scalar>::type;
    const Outcome<Base> points = run.template operator()<Base>();
    ASSERT_EQ(points.found.size(), found.size()) << what;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const double point = numbers::Numeric<Base>::to_double(points.found[i]);
      ASSERT_TRUE(numbers::contains(outcome.found[i], point)) << what << ", element " << i;
      // Inputs are points, so that an enclosure need not be wider than the rounding that it allows for; exp and log
      // are only known to a unit in the last place, which the factor covers.
      ASSERT_LE(numbers::width(outcome.found[i]), 16 * outcome.tolerance[i]) << what << ", element " << i;
    }
  }
}

}  // namespace hyseq::kernels
