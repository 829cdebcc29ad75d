#include "results/figures/trade_off.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "results/figures/accuracy_parts.hpp"
#include "results/figures/trade_off_parts.hpp"

namespace hyseq::results {
namespace {

constexpr double kLeft = 66, kRight = 18, kTitle = 58, kHead = 70, kPanelTitle = 20, kPanelHeight = 226, kAxis = 50;
constexpr double kPanelWidth = 278, kGap = 20, kWideGap = 52, kSplitHeight = 260, kSplitGap = 84, kSplitTitle = 26;
constexpr double kWidth = kLeft + 3 * kPanelWidth + kGap + kWideGap + kRight;

class Drawing {
 public:
  explicit Drawing(const TradeOffPlot& plot) : plot_(plot) {}

  Figure draw() {
    const std::vector<LegendEntry> entries = trade_off_legend(plot_);
    const double legend_room = legend_height(entries, kWidth - kLeft - kRight) + 10;
    const double row = kHead + kPanelTitle + kPanelHeight + kAxis;
    const bool split = std::ranges::any_of(plot_.tasks, [](const auto& task) { return !task.split.empty(); });
    const double split_row = split ? kHead + kSplitTitle + kSplitHeight + kAxis : 0;
    figure_.name = "trade-off";
    figure_.title = "Working memory: what pure models need and what hybrids hold";
    figure_.caption = trade_off_caption(plot_);
    figure_.width = static_cast<int>(kWidth);
    figure_.height = static_cast<int>(kTitle + legend_room + static_cast<double>(plot_.tasks.size()) * row + split_row);
    double top = figure_.height;
    std::string texts = text(figure_.title, kLeft - 34, top - 26, "left font ',19'");
    top -= kTitle - 8;
    const Panel strip{kLeft - 34, kWidth - kRight, top - legend_room, top};
    top -= legend_room + 8;
    std::string panels;
    for (const TradeOffTask& task : plot_.tasks) {
      texts += text(task.title, kLeft - 34, top - 18, "left font ',15'");
      for (std::size_t i = 0; i < task.sentences.size(); ++i)
        texts += text(task.sentences[i], kLeft - 34, top - 38 - 17 * static_cast<double>(i), "left font ',12'");
      top -= kHead;
      double left = kLeft;
      for (std::size_t i = 0; i < task.panels.size(); ++i) {
        // Panels against sizes share their range and its labels; accuracy has a range of its own.
        const bool own = i == 0 || task.panels[i - 1].accuracy != task.panels[i].accuracy;
        if (i > 0) left += kPanelWidth + (own ? kWideGap : kGap);
        texts += text(task.panels[i].setting, left + 2, top - 10, "left font ',11'");
        const Panel place{left, left + kPanelWidth, top - kPanelTitle - kPanelHeight, top - kPanelTitle};
        panels += bits_panel(task.panels[i], plot_.families, bits_range(task, task.panels[i].accuracy), own, i == 0,
                             block_, figure_.data, place, figure_.width, figure_.height);
      }
      top -= kPanelTitle + kPanelHeight + kAxis;
    }
    if (split) {
      texts += text("Where it is held: recurrent state against window", kLeft - 34, top - 18, "left font ',15'");
      texts += text(
          "A pure SSM keeps N - 1 values, or about W words, in its state, and a pure window spans L. The hybrid splits "
          "the "
          "work: its state takes a few bits and its",
          kLeft - 34, top - 38, "left font ',12'");
      texts += text("window does not grow with L. It does not evade the bound on bits, which counts both.", kLeft - 34,
                    top - 55, "left font ',12'");
      top -= kHead + kSplitTitle;
      const double width = (kWidth - kLeft - kRight - kSplitGap) / 2;
      double left = kLeft;
      for (const TradeOffTask& task : plot_.tasks) {
        if (task.split.empty()) continue;
        const Panel place{left, left + width, top - kSplitHeight, top};
        panels += split_panel(task, plot_.families, block_, figure_.data, place, figure_.width, figure_.height);
        left += width + kSplitGap;
      }
    }
    figure_.commands = panel_defaults() + texts_only(texts, figure_.width, figure_.height) + panels +
                       legend(entries, strip, figure_.width, figure_.height);
    return figure_;
  }

 private:
  [[nodiscard]] std::string text(const std::string& words, double x, double y, const std::string& how) const {
    return words.empty() ? "" : text_at(words, x, y, how, figure_.width, figure_.height);
  }

  /// One range for all panels of a kind, so that heights can be compared. The upper edge of the windows' band may be
  /// cut off.
  static Range bits_range(const TradeOffTask& task, bool accuracy) {
    Range range{8, 64};
    for (const TradeOffPanel& panel : task.panels) {
      if (panel.accuracy != accuracy) continue;
      for (const TradeOffSeries& series : panel.series) {
        double most = 0;
        for (const TradeOffPoint& point : series.points) most = std::max(most, point.bits);
        range.high = std::max(range.high, most);
        // Something of the bound is to be seen, however few the bits.
        if (series.kind == TradeOffKind::need && most > 0) range.low = std::min(range.low, most / 4);
      }
    }
    return range;
  }

  const TradeOffPlot& plot_;
  Figure figure_;
  int block_ = 0;
};

}  // namespace

Figure trade_off_figure(const TradeOffPlot& plot) { return plot.tasks.empty() ? Figure{} : Drawing(plot).draw(); }

}  // namespace hyseq::results
