#include "results/figures/trade_off_parts.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "results/figures/accuracy_parts.hpp"

namespace hyseq::results {
namespace {

constexpr const char* kImpossible = "#ece7df";
constexpr double kEdge = 0.25;  // where "0" stands on the split panel's logarithmic axes

Range x_range(const TradeOffPanel& panel) {
  Range range{1e300, 1};
  for (const TradeOffSeries& series : panel.series)
    for (const TradeOffPoint& point : series.points) {
      range.low = std::min(range.low, point.x);
      range.high = std::max(range.high, point.x);
    }
  return range;
}

struct Layers {
  std::string back, middle, front;  // parts of a plot command, each beginning with ", "
};

void add_series(const TradeOffSeries& series, const std::vector<std::string>& families, const std::string& source,
                bool accuracy, const std::string& floor, Layers& layers) {
  const Style style = family_style(series.family, families);
  switch (series.kind) {
    case TradeOffKind::need:
      layers.back += source + " using 1:2 with filledcurves y1=" + floor + coloured(kImpossible);
      layers.middle += source + " using 1:2 with lines lw 2.4" + coloured(kInk);
      break;
    case TradeOffKind::windows:
      layers.back += source + " using 1:2:5 with filledcurves fs transparent solid 0.13 noborder" + coloured(kWindows);
      for (const char* column : {"2", "5"})
        layers.middle += source + " using 1:" + column + " with lines lw 1.2 dt 4" + coloured(kWindows);
      break;
    case TradeOffKind::built: {
      const bool faithful = is_faithful(series.label);
      if (series.points.size() > 1) layers.middle += source + " using 1:2 with lines " + built_line(faithful);
      // Two points are the ends of a level line.
      if (series.points.size() != 2 || accuracy)
        layers.front += source + " using 1:2 with points ps " + (accuracy ? "1.25 " : "0.95 ") + built_marker(faithful);
      break;
    }
    case TradeOffKind::trained:
      layers.middle += source + " using 1:2 with lines lw 0.8" + coloured(faded(style.colour, 0.45)) + source +
                       " using 1:2:3:4 with xerrorbars ps 0 lw 0.9" + coloured(faded(style.colour, 0.55));
      layers.front +=
          source + " using 1:2 with points ps 0.9 pt " + std::to_string(style.filled) + coloured(style.colour);
      break;
    case TradeOffKind::smallest:
      if (series.points.size() > 1)
        layers.middle +=
            source + " using 1:2 with lines lw 1.2 dt " + std::to_string(style.dash) + coloured(style.colour);
      layers.front +=
          source + " using 1:2 with points ps 1.3 lw 1.8 pt " + std::to_string(style.hollow) + coloured(style.colour);
      break;
  }
}

/// Names of the built hybrids beside their pentagons, the highest first, moved down as far as they would cover each
/// other.
std::string built_labels(const TradeOffPanel& panel, Range range, double height) {
  constexpr double kLabelHeight = 13;  // pixels
  std::vector<std::pair<double, const TradeOffSeries*>> built;
  for (const TradeOffSeries& series : panel.series)
    if (series.kind == TradeOffKind::built && !series.points.empty())
      built.emplace_back(series.points[0].bits, &series);
  std::ranges::sort(built, [](const auto& a, const auto& b) { return a.first > b.first; });
  // The axis has 6% of air at either end (log2_axis).
  const double row = kLabelHeight * 1.12 * std::log2(range.high / range.low) / height;
  double below = 1e300;
  std::string labels;
  for (const auto& [bits, series] : built) {
    below = std::min(std::log2(bits), below - row);
    labels += "set label " + quoted(series->label) + " at first " + plain(series->points[0].x) + "," +
              plain(std::exp2(below)) + " right offset -1.3,0 front noenhanced font ',10' textcolor rgb '" + kHybrid +
              "'\n";
  }
  return labels;
}

/// The places on a split panel: nothing of a quantity stands on its edge.
double placed(double value) { return value > 0 ? std::max(value, 2 * kEdge) : kEdge; }

}  // namespace

bool is_faithful(const std::string& label) { return label.rfind("faithful", 0) == 0; }

std::string built_marker(bool faithful) { return std::string("pt ") + (faithful ? "14" : "15") + coloured(kHybrid); }

std::string built_line(bool faithful) { return std::string("lw 1.4 dt ") + (faithful ? "2" : "1") + coloured(kHybrid); }

std::string bits_panel(const TradeOffPanel& panel, const std::vector<std::string>& families, Range range, bool numbered,
                       bool named, int& block, std::string& data, const Panel& place_at, int figure_width,
                       int figure_height) {
  std::string commands = panel_defaults() + place(place_at, figure_width, figure_height);
  if (panel.accuracy) {
    commands += "unset logscale x\nset xrange [0:1.045]\nset xtics 0.2\nset format x '%g'\n";
  } else {
    commands += log2_axis("x", x_range(panel), 6, true);
  }
  commands += log2_axis("y", range, 7, numbered) + "set xlabel " + quoted(panel.x_label) +
              " noenhanced offset 0,0.3\nset ylabel " + quoted(named ? "working memory (bits)" : "") +
              " offset 0.5,0\nset xtics nomirror\nset ytics nomirror\nset style fill solid 1 noborder\n";
  Layers layers;
  std::string labels;
  for (const TradeOffSeries& series : panel.series) {
    if (series.points.empty()) continue;
    std::vector<std::vector<double>> rows;
    for (const TradeOffPoint& point : series.points)
      rows.push_back({point.x, point.bits, point.low, point.high, point.bits_high > 0 ? point.bits_high : kMissing});
    const std::string name = "memory" + std::to_string(block++);
    data += data_block(name,
                       (panel.accuracy ? "accuracy" : panel.x_label) + ", " + panel.setting + "; " + series.label +
                           ": x bits low high bits_high",
                       rows);
    add_series(series, families, ", $" + name, panel.accuracy, plain(range.low / 16), layers);
    if (series.kind == TradeOffKind::need)
      labels += std::string(
          "set label 'no model of any kind' at graph 0.97, graph 0.05 right front font ',11' textcolor "
          "rgb '#7a7366'\n");
  }
  if (panel.accuracy) labels += built_labels(panel, range, place_at.top - place_at.bottom);
  if (panel.accuracy &&
      std::ranges::none_of(panel.series, [](const TradeOffSeries& each) { return each.kind == TradeOffKind::trained; }))
    labels +=
        "set label 'no trained model in the store' at graph 0.04, graph 0.94 left font ',11' textcolor rgb "
        "'#7a7366'\n";
  const std::string parts = layers.back + layers.middle + layers.front;
  return commands + labels + (parts.empty() ? "plot -1 notitle\n" : "plot " + parts.substr(2) + "\n") +
         "unset label\nset format x\n";
}

std::string split_panel(const TradeOffTask& task, const std::vector<std::string>& families, int& block,
                        std::string& data, const Panel& place_at, int figure_width, int figure_height) {
  Range windows{1, 4}, states{1, 4};
  for (const Holding& each : task.split) {
    windows.high = std::max(windows.high, each.window);
    states.high = std::max(states.high, each.state_bits);
  }
  const auto axis = [](const char* name, double high) {
    const int last = static_cast<int>(std::ceil(std::log2(high))), step = std::max(1, (last + 5) / 6);
    std::string tics = "'0' " + plain(kEdge);
    for (int k = 0; k <= last; k += step)
      tics += ", '" + (k == 0 ? std::string("1") : "2^{" + std::to_string(k) + "}") + "' " + plain(std::exp2(k));
    return std::string("set logscale ") + name + " 2\nset " + name + "range [" + plain(0.6 * kEdge) + ":" +
           plain(3 * high) + "]\nset " + name + "tics (" + tics + ") enhanced\n";
  };
  std::string commands = panel_defaults() + place(place_at, figure_width, figure_height) + axis("x", windows.high) +
                         axis("y", states.high) + "set xlabel 'total window (tokens)' offset 0,0.3\nset ylabel " +
                         "'recurrent state (bits)' offset 0.5,0\nset title " + quoted(task.title) +
                         " noenhanced offset 0,-0.6 font ',13'\n";
  std::string plots, labels;
  const auto points_of = [&](TradeOffKind kind, const std::string& family) {
    std::vector<std::vector<double>> rows;
    for (const Holding& each : task.split)
      if (each.kind == kind && (family.empty() || each.family == family))
        rows.push_back({placed(each.window), placed(each.state_bits), each.window, each.state_bits});
    return rows;
  };
  const auto add = [&](TradeOffKind kind, const std::string& family, const std::string& header,
                       const std::string& how) {
    const auto rows = points_of(kind, family);
    if (rows.empty()) return;
    const std::string name = "held" + std::to_string(block++);
    data += data_block(name, task.title + ", " + header + ": drawn_window drawn_state window state_bits", rows);
    plots += ", $" + name + " using 1:2 with " + how;
  };
  add(TradeOffKind::need, "", "pure SSMs need", "linespoints lw 3 pt 5 ps 0.7" + coloured(kStates));
  add(TradeOffKind::windows, "", "pure windows need", "linespoints lw 3 pt 9 ps 0.8" + coloured(kWindows));
  add(TradeOffKind::built, "", "built hybrids", "linespoints lw 1.4 ps 1 " + built_marker(false));
  std::set<std::string> seen;
  for (const Holding& each : task.split)
    if (each.kind == TradeOffKind::smallest && seen.insert(each.family).second) {
      const Style style = family_style(each.family, families);
      add(TradeOffKind::smallest, each.family, "smallest trained " + each.family,
          "points ps 1.3 lw 1.6 pt " + std::to_string(style.hollow) + coloured(style.colour));
    }
  // The two ends of every line by name.
  struct Line {
    TradeOffKind kind;
    const char *name, *colour, *first, *last;  // how the labels of its ends stand
  };
  for (const Line& line :
       {Line{TradeOffKind::need, "pure SSM, ", kStates, "left offset 0.9,-0.2", "left offset -0.6,0.9"},
        Line{TradeOffKind::windows, "pure window, ", kWindows, "center offset 0,0.9", "right offset 1,0.9"},
        Line{TradeOffKind::built, "hybrid, ", kHybrid, "center offset 0,-0.9", "left offset 0.9,0"}}) {
    const Holding *first = nullptr, *last = nullptr;
    for (const Holding& each : task.split)
      if (each.kind == line.kind) {
        if (first == nullptr) first = &each;
        last = &each;
      }
    const auto name = [&](const Holding& end, const std::string& text, const char* how) {
      labels += "set label " + quoted(text) + " at first " + plain(placed(end.window)) + "," +
                plain(placed(end.state_bits)) + " " + how + " front noenhanced font ',11' textcolor rgb '" +
                line.colour + "'\n";
    };
    if (last != nullptr) name(*last, line.name + last->label, line.last);
    if (first != last) name(*first, first->label, line.first);
  }
  return commands + labels + (plots.empty() ? "plot -1 notitle\n" : "plot " + plots.substr(2) + "\n") +
         "unset label\nunset title\n";
}

}  // namespace hyseq::results
