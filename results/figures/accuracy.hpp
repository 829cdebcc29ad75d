// The figures of learned models, as functions of finished runs alone:
//
//   accuracy      accuracy against parameters, one curve per family, with what others published beside it and, where
//                 given, ceilings that no model of a family can pass ("frontier")
//   distribution  one row of dots per group, a dot per seed ("ablation"): means hide that seeds fall into two heaps
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "results/figures/gnuplot.hpp"
#include "results/reference_tables.hpp"
#include "results/run_record.hpp"

namespace hyseq::results {

/// All finished seeds of one size of a family.
struct AccuracyPoint {
  int width = 0;
  std::int64_t parameters = 0;  // > 0
  double learning_rate = 0;     // peak, chosen; 0 where not yet
  std::vector<Counts> seeds;    // final evaluation, one entry per finished run
  std::int64_t missing = 0;     // runs that belong here and are not finished
  std::int64_t diverged = 0;    // of the finished ones
  std::string setting{};        // chosen by the calibration; "" for the point as the preset has it
};

/// One curve. `layers` decides marker, dash and colour; `label` is what the legend calls it ("" for `layers`).
struct AccuracySeries {
  std::string layers;
  std::string label;
  std::vector<AccuracyPoint> points;
};

/// A level line that no model of a family can pass.
struct Ceiling {
  double accuracy = 0;  // 0 .. 1
  std::string layers;   // draws it in this family's colour and dash; "" for a neutral line
  std::string label;    // written at the line
};

struct AccuracyPlot {
  std::string name;   // of the figure: letters, digits, '.', '-'
  std::string title;  // drawn above it
  std::vector<AccuracySeries> series;
  std::vector<PublishedAccuracy> published;  // drawn hollow
  std::vector<PublishedAccuracy> audit;      // drawn hollow and large
  std::optional<double> threshold;
  std::optional<double> chance;
  std::vector<Ceiling> ceilings;
  std::string note;  // one more sentence of the caption
};

/// A large panel with every family's mean and band, and below it one panel per series with its single seeds. A figure
/// without commands where no point has a seed. Points without seeds are left out, and the caption says how many runs
/// are missing.
[[nodiscard]] Figure accuracy_figure(const AccuracyPlot& plot);

/// "11 seeds", or "3 to 11 seeds" where the points have different numbers; "no seeds" where there are none.
[[nodiscard]] std::string seeds_words(const std::vector<AccuracySeries>& series);

/// One row of dots.
struct DistributionGroup {
  std::string label;
  std::vector<Counts> seeds;  // may be empty: the row stays, without dots
};

/// Rows that belong together, under a heading. The first group is what the others are compared with: its median is
/// drawn through all of them.
struct DistributionPanel {
  std::string title;
  std::string layers;  // decides marker and colour
  std::vector<DistributionGroup> groups;
};

struct DistributionPlot {
  std::string name;
  std::string title;
  std::vector<DistributionPanel> panels;
  std::string note;
};

/// Panels one below the other, accuracy 0 .. 1 to the right. A dot per seed, shifted up or down only as far as dots
/// would cover each other (the same way every time), a bar at the median, a hollow diamond at the mean.
[[nodiscard]] Figure distribution_figure(const DistributionPlot& plot);

}  // namespace hyseq::results
