// Legend and caption of the trade-off figure.
#include <algorithm>

#include "results/figures/accuracy_parts.hpp"
#include "results/figures/trade_off_parts.hpp"

namespace hyseq::results {
namespace {

bool has(const TradeOffPlot& plot, TradeOffKind kind) {
  return std::ranges::any_of(plot.tasks, [&](const TradeOffTask& task) {
    return std::ranges::any_of(task.panels, [&](const TradeOffPanel& panel) {
      return std::ranges::any_of(panel.series,
                                 [&](const TradeOffSeries& each) { return each.kind == kind && !each.points.empty(); });
    });
  });
}

bool has_level(const TradeOffPlot& plot, bool faithful) {
  return std::ranges::any_of(plot.tasks, [&](const TradeOffTask& task) {
    return std::ranges::any_of(task.panels, [&](const TradeOffPanel& panel) {
      return std::ranges::any_of(panel.series, [&](const TradeOffSeries& each) {
        return each.kind == TradeOffKind::built && is_faithful(each.label) == faithful;
      });
    });
  });
}

}  // namespace

std::vector<LegendEntry> trade_off_legend(const TradeOffPlot& plot) {
  std::vector<LegendEntry> list;
  if (has(plot, TradeOffKind::need)) list.push_back({"least for any model", "lw 2.4" + coloured(kInk), ""});
  if (has(plot, TradeOffKind::windows))
    list.push_back({"least for a pure window", "lw 1.6 dt 4" + coloured(kWindows), ""});
  if (has_level(plot, false))
    list.push_back({"built hybrid, streaming", built_line(false), "ps 1.2 " + built_marker(false)});
  if (has_level(plot, true))
    list.push_back({"built hybrid, faithful", built_line(true), "ps 1.2 " + built_marker(true)});
  for (const std::string& family : plot.families) {
    const Style style = family_style(family, plot.families);
    list.push_back({"trained " + family, "", "ps 1.1 pt " + std::to_string(style.filled) + coloured(style.colour)});
  }
  return list;
}

std::string trade_off_caption(const TradeOffPlot& plot) {
  std::string text =
      "Bits held between two tokens: keys and values of the window, recurrent states, convolution tails. Black line "
      "and "
      "grey: what no model of any kind can do with so few bits, hybrids included. Against accuracy that is the "
      "corrected "
      "Theorem 3.3, for selective copying as it is sampled and for recall on the contexts that are hardest to keep; "
      "elsewhere log2 of the residual classes of Theorems 4.2 and 4.5, exactly. Orange: least for a sliding-window "
      "Transformer without state, from width 1 up to "
      "the hybrid's width. Pentagons are constructed hybrids with a certificate.";
  if (has(plot, TradeOffKind::trained))
    text +=
        " Trained models stand at the mean accuracy of their seeds, the bar from the 10% to the 90% quantile, with "
        "all bits of their numbers counted, used or not; of several settings the best.";
  if (has(plot, TradeOffKind::smallest))
    text += " In the other panels, of each kind the one with the least memory whose mean reaches " +
            readable(kReached) + ", at the size that it was trained on.";
  if (!plot.unreached.empty()) {
    text += " Not reached by any size of ";
    for (std::size_t i = 0; i < plot.unreached.size(); ++i) text += (i > 0 ? ", " : "") + plot.unreached[i];
    text += '.';
  }
  return text;
}

}  // namespace hyseq::results
