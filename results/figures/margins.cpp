#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <vector>

#include "results/figures/figures.hpp"
#include "results/figures/plotting.hpp"

namespace hyseq::results {
namespace {

constexpr double kLeft = 78, kRight = 16, kTop = 14, kBottom = 58, kGap = 22;
constexpr double kPanelWidth = 640, kPanelHeight = 190;

struct Point {
  double mass, gap;
  bool holds;
};

/// One number format: what was computed by size, and where it was predicted and found to end.
struct Curve {
  std::map<double, Point> points;
  double predicted = kMissing, found = kMissing;
  bool at_least = false;
};

struct Curves {
  std::map<std::string, Curve> by_number;
  bool in_bits = false;  // sizes are b of W = 2^b words, else distances N
};

/// One certificate's curve of each format.
std::map<std::string, Curve> curves_of_check(const Json& figures, bool in_bits) {
  std::map<std::string, Curve> curves;
  for (const Json& entry : array_of(figures, "series"))
    if (const double size = number_or(entry, "size"); size > 0)
      curves[text_of(entry, "number")].points[size] = {number_or(entry, "target_mass"), number_or(entry, "decoder_gap"),
                                                       flag(entry, "holds")};
  for (const Json& entry : array_of(figures, "largest_holding_by_number")) {
    Curve& curve = curves[text_of(entry, "number")];
    curve.predicted = number_or(entry, "predicted");
    curve.found = number_or(entry, in_bits ? "bits" : "distances");
    curve.at_least = flag(entry, "at_least");
  }
  return curves;
}

/// Of each format the longest curve that a certificate has: curves of different parameters are not mixed.
Curves collect(const std::vector<const Certificate*>& certificates) {
  Curves curves;
  for (const Certificate* certificate : certificates) {
    const Check* check = find_check(*certificate, "margins");
    if (check == nullptr) continue;
    curves.in_bits = certificate->parameters.contains("bits");
    for (auto& [number, curve] : curves_of_check(check->figures, curves.in_bits))
      if (Curve& held = curves.by_number[number]; curve.points.size() > held.points.size()) held = std::move(curve);
  }
  std::erase_if(curves.by_number, [](const auto& c) { return c.second.points.empty(); });
  return curves;
}

/// From the most precise format to the least.
std::vector<std::string> in_order(const Curves& curves) {
  std::vector<std::string> order;
  for (const char* number : {"double", "float", "bfloat16", "half"})
    if (curves.by_number.contains(number)) order.emplace_back(number);
  return order;
}

Range sizes(const Curves& curves) {
  Range range{1e300, 0};
  const auto widen = [&](double value) {
    if (!(value > 0)) return;
    range.low = std::min(range.low, value);
    range.high = std::max(range.high, value);
  };
  for (const auto& [number, curve] : curves.by_number) {
    for (const auto& [size, point] : curve.points) widen(size);
    widen(curve.predicted);
  }
  return range;
}

std::string size_axis(const Curves& curves, bool labels) {
  const Range range = sizes(curves);
  if (!curves.in_bits) return log2_axis("x", range, 14, labels);
  const double step = std::max(1.0, std::ceil((range.high - range.low) / 14));
  return "unset logscale x\nset xrange [" + plain(range.low - 0.5) + ":" + plain(range.high + 0.5) + "]\nset xtics " +
         plain(step) + "\nset format x '" + (labels ? "%g" : "") + "'\n";
}

/// Gaps span many powers of ten or none: logarithmic where that shows more. Gaps of 0 or less then lie on the lower
/// edge.
struct GapAxis {
  bool logarithmic = false;
  double floor = 0;
  std::string commands;
};

GapAxis gap_axis(const Curves& curves) {
  Range positive{1e300, 0};
  double lowest = 0, highest = 0;
  for (const auto& [number, curve] : curves.by_number)
    for (const auto& [size, point] : curve.points) {
      if (!std::isfinite(point.gap)) continue;
      lowest = std::min(lowest, point.gap);
      highest = std::max(highest, point.gap);
      if (point.gap > 0) positive = {std::min(positive.low, point.gap), std::max(positive.high, point.gap)};
    }
  GapAxis axis;
  axis.logarithmic = positive.high > 50 * positive.low;
  if (axis.logarithmic) {
    const int low = static_cast<int>(std::floor(std::log10(positive.low))) - 1;
    const int high = static_cast<int>(std::floor(std::log10(positive.high * 2.5)));
    axis.floor = std::pow(10.0, low);
    const int step = std::max(1, (high - low + 4) / 5);
    std::string tics = "'≤ 0' " + plain(axis.floor);
    for (int k = low + 1; k <= high; ++k)
      if ((high - k) % step == 0) tics += ", '10^{" + std::to_string(k) + "}' " + plain(std::pow(10.0, k));
    axis.commands = "set logscale y 10\nset yrange [" + plain(axis.floor * 0.7) + ":" + plain(positive.high * 2.5) +
                    "]\nset ytics (" + tics + ") enhanced\n";
  } else {
    const double air = 0.08 * std::max(highest - lowest, 1e-300);
    axis.commands = "unset logscale y\nset yrange [" + plain(lowest - air) + ":" + plain(highest + air) +
                    "]\nset ytics auto\nset ytics autofreq\n";
  }
  return axis;
}

std::string limits(const Curves& curves) {
  std::string commands;
  for (const std::string& number : in_order(curves)) {
    const Curve& curve = curves.by_number.at(number);
    if (!std::isfinite(curve.predicted)) continue;
    const Style style = number_style(number);
    const std::string x = plain(curve.predicted);
    commands += "set arrow from first " + x + ", graph 0 to first " + x + ", graph 1 nohead back lw 1.4 dt " +
                std::to_string(style.dash) + " lc rgb '" + style.colour + "'\n";
  }
  return commands;
}

std::string curves_of(const Curves& curves, int column) {
  const std::string y = std::to_string(column);
  std::string plot = "plot ";
  for (const std::string& number : in_order(curves)) {
    const Style style = number_style(number);
    const std::string block = "$" + number, colour = " lc rgb '" + style.colour + "'";
    if (plot.back() == '\'') plot += ", ";
    plot += block + " using 1:" + y + " with lines lw 1.4 dt " + std::to_string(style.dash) + colour;
    const auto points = [&](const char* holds, int marker) {
      return ", " + block + " using 1:($4==" + holds + "?$" + y + ":NaN) with points ps 0.9 pt " +
             std::to_string(marker) + colour;
    };
    plot += points("1", style.filled) + points("0", style.hollow);
  }
  return plot + "\n";
}

std::vector<LegendEntry> entries(const Curves& curves) {
  std::vector<LegendEntry> list;
  const std::string unit = curves.in_bits ? "b" : "N";
  for (const std::string& number : in_order(curves)) {
    const Curve& curve = curves.by_number.at(number);
    const Style style = number_style(number);
    const std::string colour = " lc rgb '" + style.colour + "'";
    std::string text = number;
    if (std::isfinite(curve.found))
      text += ": holds to " + unit + (curve.at_least ? " ≥ " : " = ") + readable(curve.found);
    if (std::isfinite(curve.predicted)) text += ", predicted " + readable(curve.predicted);
    list.push_back(
        {text, "lw 1.4 dt " + std::to_string(style.dash) + colour, "pt " + std::to_string(style.filled) + colour});
  }
  return list;
}

}  // namespace

Figure margins_figure(const std::vector<const Certificate*>& certificates) {
  const Curves curves = collect(certificates);
  const std::vector<std::string> numbers = in_order(curves);
  if (numbers.empty()) return {};

  Figure figure;
  const std::vector<LegendEntry> legend_entries = entries(curves);
  const double legend_room = legend_height(legend_entries, kPanelWidth) + 8;
  figure.width = static_cast<int>(kLeft + kPanelWidth + kRight);
  figure.height = static_cast<int>(legend_room + kTop + 2 * kPanelHeight + kGap + kBottom);
  figure.title = "Margins of theorem " + certificates.front()->theorem + ", " + certificates.front()->level;
  figure.caption =
      "Worst-case attention mass on the target and worst-case gap between the right token and the best wrong one, for "
      "each "
      "number format. Filled markers hold, hollow ones do not; the vertical lines are the limits predicted for the "
      "formats.";

  const GapAxis gap = gap_axis(curves);
  for (const std::string& number : numbers) {
    std::vector<std::vector<double>> rows;
    for (const auto& [size, point] : curves.by_number.at(number).points) {
      const bool edge = gap.logarithmic && point.gap < gap.floor;
      rows.push_back({size, point.mass, edge ? gap.floor : point.gap, point.holds ? 1.0 : 0.0, point.gap});
    }
    figure.data += data_block(number, "size target_mass drawn_gap holds decoder_gap", rows);
  }

  const double top = figure.height - legend_room - kTop;
  const auto panel = [&](double upper) {
    return place({kLeft, kLeft + kPanelWidth, upper - kPanelHeight, upper}, figure.width, figure.height);
  };
  figure.commands =
      panel_defaults() + limits(curves) + panel(top) + size_axis(curves, false) +
      "set yrange [0:1.04]\nset ytics 0.25\nset ylabel 'mass on the target'\n" + curves_of(curves, 2) +
      panel(top - kPanelHeight - kGap) + size_axis(curves, true) + gap.commands +
      "set ylabel 'gap of the decoder'\nset xzeroaxis lt 1 lw 0.8 lc rgb '#333333'\nset xlabel " +
      quoted(curves.in_bits ? "word bits b (W = 2^{b} words)" : "distances N") + "\n" + curves_of(curves, 3) +
      legend(legend_entries, {kLeft, kLeft + kPanelWidth, figure.height - legend_room, figure.height - 4.0},
             figure.width, figure.height);
  return figure;
}

}  // namespace hyseq::results
