#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "results/figures/figures.hpp"
#include "results/figures/plotting.hpp"

namespace hyseq::results {
namespace {

struct Quantity {
  const char* key;
  const char* label;
  const char* pure_key;  // lower bound of the pure models, where one applies
};
constexpr std::array<Quantity, 4> kQuantities{{{"width", "width", nullptr},
                                               {"states", "states", nullptr},
                                               {"window", "window", "pure_window"},
                                               {"working_memory_bits", "memory (bits)", "pure_ssm_bits"}}};

struct Axis {
  const char* key;
  const char* label;
};
constexpr std::array<Axis, 4> kAxes{
    {{"vocabulary", "vocabulary |V|"}, {"bits", "words W"}, {"distances", "distances N"}, {"length", "length L"}}};

constexpr double kLeft = 74, kRight = 14, kTop = 12, kBottom = 58, kGap = 16;
constexpr double kLegendLeft = 34;
constexpr double kPanelWidth = 262, kPanelHeight = 148;

/// Words rather than bits: W = 2^b belongs on the same logarithmic axis as |V|.
double position(const Json& point, const std::string& axis) {
  const double value = number_or(point, axis);
  return axis == "bits" ? std::exp2(value) : value;
}

/// The grid of one level along one axis, sorted by position.
std::vector<Json> along(const Json& grid, const std::string& axis) {
  std::vector<Json> points;
  for (const Json& point : grid)
    if (text_of(point, "axis") == axis && position(point, axis) > 0) points.push_back(point);
  std::stable_sort(points.begin(), points.end(),
                   [&](const Json& a, const Json& b) { return position(a, axis) < position(b, axis); });
  return points;
}

/// Per level the richest grid, that of float where several are equal: the formats differ only in the memory's constant.
std::map<std::string, Json> grids(const std::vector<const Certificate*>& certificates) {
  std::map<std::string, Json> best;
  for (const Certificate* certificate : certificates) {
    const Check* check = find_check(*certificate, "budgets");
    if (check == nullptr) continue;
    const Json grid = array_of(check->figures, "grid");
    Json& held = best[certificate->level];
    if (grid.size() > held.size() || (grid.size() == held.size() && certificate->number == "float")) held = grid;
  }
  std::erase_if(best, [](const auto& level) { return level.second.empty(); });
  return best;
}

void widen(Range& range, double value) {
  if (!(value > 0)) return;  // a logarithmic axis has no place for 0
  range.low = std::min(range.low, value);
  range.high = std::max(range.high, value);
}

constexpr Range kEmpty{1e300, 0};

struct Drawing {
  std::map<std::string, Json> levels;
  std::vector<Axis> axes;
  Figure figure;
  int block = 0;
  bool has_pure = false, has_hollow = false, has_bound = false;

  Range quantity_range(const Quantity& quantity) const {
    Range range = kEmpty;
    for (const auto& [level, grid] : levels)
      for (const Json& point : grid) {
        if (std::none_of(axes.begin(), axes.end(), [&](const Axis& a) { return text_of(point, "axis") == a.key; }))
          continue;
        widen(range, number_or(point, quantity.key));
        widen(range, number_or(point, std::string(quantity.key) + "_bound"));
        if (quantity.pure_key != nullptr) widen(range, number_or(point, quantity.pure_key));
      }
    return range;
  }

  Range axis_range(const Axis& axis) const {
    Range range = kEmpty;
    for (const auto& [level, grid] : levels)
      for (const Json& point : along(grid, axis.key)) widen(range, position(point, axis.key));
    return range;
  }

  /// The curves of one panel: bounds first, points on top.
  std::string curves(const Quantity& quantity, const Axis& axis) {
    std::string lines, points;
    bool pure_drawn = false;
    for (const auto& [level, grid] : levels) {
      std::vector<std::vector<double>> rows;
      bool bound = false, pure = false;
      for (const Json& point : along(grid, axis.key)) {
        const bool built = flag(point, "instantiated");
        const auto positive = [](double value) { return value > 0 ? value : kMissing; };
        rows.push_back({position(point, axis.key), positive(number_or(point, quantity.key)), built ? 1.0 : 0.0,
                        positive(number_or(point, std::string(quantity.key) + "_bound")),
                        quantity.pure_key != nullptr ? positive(number_or(point, quantity.pure_key)) : kMissing});
        has_hollow = has_hollow || !built;
        bound = bound || std::isfinite(rows.back()[3]);
        pure = pure || std::isfinite(rows.back()[4]);
      }
      if (rows.empty()) continue;
      const std::string name = "grid" + std::to_string(block++);
      figure.data += data_block(
          name, "level=" + level + " quantity=" + quantity.key + " x=" + axis.key + ": x y instantiated bound pure",
          rows);
      const Style style = level_style(level);
      const std::string colour = " lc rgb '" + style.colour + "'", source = ", $" + name;
      if (bound) lines += source + " using 1:4 with lines lw 1.2 dt " + std::to_string(style.dash) + colour;
      // The pure models' bounds depend on the task alone, so one level's are everyone's.
      if (pure && !pure_drawn) lines += source + " using 1:5 with lines lw 2 dt 3 lc rgb '" + kPure + "'";
      points += source + " using 1:($3==0?$2:NaN) with points pt " + std::to_string(style.hollow) + " ps 0.8" + colour +
                source + " using 1:($3==1?$2:NaN) with points pt " + std::to_string(style.filled) + " ps 0.8" + colour;
      pure_drawn = pure_drawn || pure;
      has_bound = has_bound || bound;
    }
    has_pure = has_pure || pure_drawn;
    return (lines + points).empty() ? "plot -1 notitle\n" : "plot " + (lines + points).substr(2) + "\n";
  }

  std::vector<LegendEntry> entries() const {
    std::vector<LegendEntry> list;
    for (const auto& [level, grid] : levels) {
      const Style style = level_style(level);
      const std::string colour = " lc rgb '" + style.colour + "'";
      list.push_back({level + ", built", "", "pt " + std::to_string(style.filled) + colour});
      if (has_hollow) list.push_back({level + ", from lowering", "", "pt " + std::to_string(style.hollow) + colour});
      if (has_bound) list.push_back({level + ", formula", "lw 1.2 dt " + std::to_string(style.dash) + colour, ""});
    }
    if (has_pure) list.push_back({"least for a pure model", std::string("lw 2 dt 3 lc rgb '") + kPure + "'", ""});
    return list;
  }
};

}  // namespace

Figure budgets_figure(const std::vector<const Certificate*>& certificates) {
  Drawing drawing{grids(certificates), {}, {}};
  for (const Axis& axis : kAxes)
    if (drawing.axis_range(axis).high > 0) drawing.axes.push_back(axis);
  std::vector<Quantity> quantities;
  for (const Quantity& quantity : kQuantities)
    if (drawing.quantity_range(quantity).high > 0) quantities.push_back(quantity);
  if (drawing.axes.empty() || quantities.empty()) return {};

  const auto columns = static_cast<double>(drawing.axes.size()), rows = static_cast<double>(quantities.size());
  Figure& figure = drawing.figure;
  figure.width = static_cast<int>(kLeft + columns * kPanelWidth + (columns - 1) * kGap + kRight);
  // Drawing the panels finds out which entries the legend needs; until then there is room for all.
  drawing.has_pure = drawing.has_hollow = drawing.has_bound = true;
  const double legend_room = legend_height(drawing.entries(), figure.width - kRight - kLegendLeft) + 8;
  drawing.has_pure = drawing.has_hollow = drawing.has_bound = false;
  figure.height = static_cast<int>(legend_room + kTop + rows * kPanelHeight + (rows - 1) * kGap + kBottom);
  figure.title = "What the construction of theorem " + certificates.front()->theorem + " costs";
  figure.caption =
      "Each panel varies one size and keeps the others fixed; all axes are logarithmic. Filled markers were built and "
      "counted, hollow ones follow from the lowering alone, thin lines are the theorem's formulas, and the dotted line "
      "is "
      "the least that a pure model (SSM: bits, sliding-window Transformer: window) needs for the same task.";

  figure.commands = panel_defaults();
  for (std::size_t q = 0; q < quantities.size(); ++q)
    for (std::size_t a = 0; a < drawing.axes.size(); ++a) {
      const double left = kLeft + static_cast<double>(a) * (kPanelWidth + kGap);
      const double top = figure.height - legend_room - kTop - static_cast<double>(q) * (kPanelHeight + kGap);
      const bool bottom = q + 1 == quantities.size();
      figure.commands += place({left, left + kPanelWidth, top - kPanelHeight, top}, figure.width, figure.height) +
                         log2_axis("x", drawing.axis_range(drawing.axes[a]), 6, bottom) +
                         log2_axis("y", drawing.quantity_range(quantities[q]), 5, a == 0) + "set xlabel " +
                         quoted(bottom ? drawing.axes[a].label : "") + " noenhanced\nset ylabel " +
                         quoted(a == 0 ? quantities[q].label : "") + " noenhanced offset 0.5,0\n" +
                         drawing.curves(quantities[q], drawing.axes[a]);
    }
  const Panel strip{kLegendLeft, figure.width - kRight, figure.height - legend_room, figure.height - 4.0};
  figure.commands += legend(drawing.entries(), strip, figure.width, figure.height);
  return figure;
}

}  // namespace hyseq::results
