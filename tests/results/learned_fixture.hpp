// Runs that might have been trained, for the tests of the learned figures: accuracies with the shape of the published
// ones, made from counter-based random numbers.
#pragma once

#include <string>
#include <vector>

#include "results/figures/accuracy.hpp"

namespace hyseq::results::fixture {

/// Counts with the given accuracy, to the nearest of `valid` positions.
[[nodiscard]] Counts counts_of(double accuracy, std::int64_t valid = 4096);

/// Selective copying: four orders of two layers at seven widths, 11 seeds each; the pure models' seeds fall into two
/// heaps where their mean lies between.
[[nodiscard]] std::vector<AccuracySeries> copying_series();

/// The figure of them, with all that is published.
[[nodiscard]] AccuracyPlot copying_plot();

/// Two panels of settings, one row without seeds.
[[nodiscard]] DistributionPlot settings_plot();

}  // namespace hyseq::results::fixture
