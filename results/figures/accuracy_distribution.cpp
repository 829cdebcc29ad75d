#include <algorithm>
#include <cmath>
#include <vector>

#include "results/figures/accuracy.hpp"
#include "results/figures/accuracy_parts.hpp"
#include "results/figures/plotting.hpp"
#include "results/statistics.hpp"

namespace hyseq::results {
namespace {

constexpr int kWidth = 860;
constexpr double kRight = 118, kTitle = 64, kHeading = 30, kRow = 28, kGap = 10, kAxis = 52;
constexpr double kAir = 0.02;  // of the axis beyond 0 and 1
constexpr double kDot = 5.6;   // diameter in pixels

/// Width that the labels need, at the figures' font size.
double labels_width(const DistributionPlot& plot) {
  std::size_t most = 0;
  for (const DistributionPanel& panel : plot.panels)
    for (const DistributionGroup& group : panel.groups) most = std::max(most, characters(group.label));
  return std::clamp(6.3 * static_cast<double>(most) + 24, 90.0, 420.0);
}

std::string row_tics(const DistributionPanel& panel) {
  std::string tics;
  for (std::size_t i = 0; i < panel.groups.size(); ++i)
    tics += (tics.empty() ? "" : ", ") + quoted(panel.groups[i].label) + " -" + std::to_string(i);
  return "set ytics nomirror (" + tics + ") noenhanced scale 0\n";
}

/// Seeds, medians and means of one panel as data blocks; rows count downwards from 0.
std::string data_of(const DistributionPanel& panel, const std::string& block, double pixels_per_unit) {
  std::vector<std::vector<double>> dots, summaries;
  for (std::size_t i = 0; i < panel.groups.size(); ++i) {
    if (panel.groups[i].seeds.empty()) continue;
    const Summary summary = summarise(panel.groups[i].seeds);
    const double row = -static_cast<double>(i);
    std::vector<double> places;
    for (const double value : summary.values) places.push_back(value * pixels_per_unit);
    const std::vector<double> offsets = swarm(places, kDot, 0.38 * kRow);
    for (std::size_t s = 0; s < offsets.size(); ++s) dots.push_back({summary.values[s], row + offsets[s] / kRow});
    summaries.push_back({row, summary.median, summary.mean, summary.band.low, summary.band.high,
                         static_cast<double>(summary.values.size())});
  }
  return data_block(block + "dots", panel.title + ": accuracy row", dots) +
         data_block(block, panel.title + ": row median mean low_10% high_90% seeds", summaries);
}

std::string seeds_of(const DistributionPlot& plot) {
  std::vector<AccuracySeries> all(1);
  for (const DistributionPanel& panel : plot.panels)
    for (const DistributionGroup& group : panel.groups) {
      all[0].points.emplace_back();
      all[0].points.back().seeds = group.seeds;
    }
  return seeds_words(all);
}

bool has_seeds(const DistributionPanel& panel) {
  return std::any_of(panel.groups.begin(), panel.groups.end(), [](const auto& group) { return !group.seeds.empty(); });
}

/// Mean and median of every row as text at the right margin.
std::string numbers(const DistributionPanel& panel) {
  std::string text;
  for (std::size_t i = 0; i < panel.groups.size(); ++i) {
    if (panel.groups[i].seeds.empty()) continue;
    const Summary summary = summarise(panel.groups[i].seeds);
    const auto column = [&](double value, double at) {
      text += "set label sprintf('%.3f', " + plain(value) + ") at graph 1, first -" + std::to_string(i) +
              " right offset " + plain(at) + ",0 font ',11' textcolor rgb '" + kInk + "'\n";
    };
    column(summary.median, 6.2);
    column(summary.mean, 11.7);
  }
  return text;
}

std::string panel_plot(const DistributionPanel& panel, const std::string& block, const Style& style, bool bottom) {
  const std::string colour = " lc rgb '" + style.colour + "'", source = "$" + block;
  std::string text = "set xrange [" + plain(-kAir) + ":" + plain(1 + kAir) + "]\nset yrange [" +
                     plain(0.5 - static_cast<double>(panel.groups.size())) +
                     ":0.5]\nset xtics nomirror 0,0.2,1\nset format x '" + (bottom ? "%.1f" : "") + "'\n" +
                     row_tics(panel) + "set xlabel " + quoted(bottom ? "accuracy" : "") +
                     " offset 0,0.3\nunset arrow\n";
  if (!panel.groups.front().seeds.empty()) {
    const std::string median = plain(summarise(panel.groups.front().seeds).median);
    text += "set arrow from first " + median + ", graph 0 to first " + median + ", graph 1 nohead back lw 1 dt 2" +
            " lc rgb '#999999'\n";
  }
  return text + "plot " + source + " using 2:($1-0.4):(0):(0.8) with vectors nohead lw 2.6" + colour + ", " + source +
         "dots using 1:2 with points ps 0.5 pt 7 lc rgb '" + faded(style.colour, 0.55) + "', " + source +
         " using 3:1 with points ps 0.95 lw 1.4 pt 12 lc rgb '" + kInk + "'\n";
}

}  // namespace

Figure distribution_figure(const DistributionPlot& plot) {
  std::vector<const DistributionPanel*> panels;
  std::vector<std::string> all;
  double rows = 0;
  for (const DistributionPanel& panel : plot.panels) {
    all.push_back(panel.layers);
    if (!has_seeds(panel)) continue;
    panels.push_back(&panel);
    rows += static_cast<double>(panel.groups.size());
  }
  if (panels.empty()) return {};

  Figure figure;
  figure.name = plot.name;
  figure.title = plot.title;
  figure.width = kWidth;
  const double left = labels_width(plot);
  const std::string ink = std::string(" lc rgb '") + kInk + "'";
  const std::vector<LegendEntry> entries{{"one seed", "", "pt 7 ps 0.5 lc rgb '" + faded(kInk, 0.55) + "'"},
                                         {"median (bar)", "lw 2.6" + ink, ""},
                                         {"mean", "", "pt 12 ps 0.95 lw 1.4" + ink},
                                         {"median of the first row", "lw 1 dt 2 lc rgb '#999999'", ""}};
  const double legend_room = legend_height(entries, kWidth - 16.0 - left) + 8;
  figure.height = static_cast<int>(kTitle + static_cast<double>(panels.size()) * (kHeading + kGap) + rows * kRow +
                                   kAxis + legend_room);
  const double unit = (kWidth - kRight - left) / (1 + 2 * kAir);
  const std::string subtitle = "A dot per seed, " + seeds_of(plot) + " a row";
  const double title_y = figure.height - 22.0, header_y = figure.height - kTitle - kHeading + 11;
  figure.commands =
      texts_only(text_at(plot.title, 16, title_y, "left font ',15'", kWidth, figure.height) +
                     text_at(subtitle, 16, title_y - 22, "left font ',12'", kWidth, figure.height) +
                     text_at("median", kWidth - kRight + 52, header_y, "right font ',11'", kWidth, figure.height) +
                     text_at("mean", kWidth - kRight + 98, header_y, "right font ',11'", kWidth, figure.height),
                 kWidth, figure.height);
  double top = figure.height - kTitle;
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const DistributionPanel& panel = *panels[i];
    const std::string block = "groups" + std::to_string(i);
    figure.data += data_of(panel, block, unit);
    top -= kHeading;
    const double height = static_cast<double>(panel.groups.size()) * kRow;
    figure.commands += panel_defaults() + place({left, kWidth - kRight, top - height, top}, kWidth, figure.height) +
                       "unset label\n" + numbers(panel) +
                       text_at(panel.title, left, top + 11, "left font ',13'", kWidth, figure.height) +
                       panel_plot(panel, block, family_style(panel.layers, all), i + 1 == panels.size());
    top -= height + kGap;
  }
  figure.commands += legend(entries, {left, kWidth - 16.0, 4, legend_room}, kWidth, figure.height);
  figure.caption =
      "Accuracy of single seeds, one dot each (" + seeds_of(plot) +
      " a row), moved up or down where dots would cover each other. Bars are medians, diamonds means, and the "
      "dashed line continues the median of the first row of a panel.";
  if (!plot.note.empty()) figure.caption += " " + plot.note;
  return figure;
}

}  // namespace hyseq::results
