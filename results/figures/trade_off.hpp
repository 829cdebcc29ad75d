// The figure of the trade-off: a row per task with working memory against accuracy, N or W, and L, and below it where
// models keep what they hold.
#pragma once

#include "results/figures/gnuplot.hpp"
#include "results/trade_off.hpp"

namespace hyseq::results {

/// A figure without commands where the plot has no task.
[[nodiscard]] Figure trade_off_figure(const TradeOffPlot& plot);

}  // namespace hyseq::results
