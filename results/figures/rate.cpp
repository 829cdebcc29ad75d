// Theorem 3.3: bits per position against success, and how the best encoders close in on the corrected bound.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

#include "results/figures/figures.hpp"
#include "results/figures/plotting.hpp"
#include "results/figures/rate_data.hpp"

namespace hyseq::results {
namespace {

constexpr double kLeft = 62, kRight = 18, kTop = 14, kBottom = 54, kGap = 80;
constexpr double kMain = 560, kSide = 330, kHeight = 380;
constexpr const char* kMachines = "#333333";
constexpr const char *kTrainedPoint = "ps 1.2 lw 1.6 pt 3", *kTrainedPath = "lw 0.9 dt 3";

/// Alphabets M and rates take the same styles, in this order.
Style style_at(std::size_t index) {
  static const std::vector<Style> styles{
      {"#0072B2", 1, 7, 6}, {"#D55E00", 2, 9, 8}, {"#009E73", 4, 5, 4}, {"#B4499A", 3, 13, 12}};
  return styles[index % styles.size()];
}

class Drawing {
 public:
  explicit Drawing(RateData data) : data_(std::move(data)) {}

  Figure draw(const std::string& theorem) {
    const double legend_room = legend_height(entries(), kMain + kSide) + 8;
    figure_.width = static_cast<int>(kLeft + kMain + (data_.gaps.empty() ? 0 : kGap + kSide) + kRight);
    figure_.height = static_cast<int>(legend_room + kTop + kHeight + kBottom);
    figure_.title = "State against success: the corrected bound of theorem " + theorem;
    figure_.caption =
        "Left: log2 of the number of states per letter against the share of right answers, for copying N letters out "
        "of M. The lines are the corrected bound R_M; nothing can lie below the line of its own M. Filled markers are "
        "sizes (N, K) at which no encoder does better, by enumeration of all of them (ringed) or by counting spheres; "
        "hollow ones are the best code found. Crosses are random SSM stacks run through the engine, M = 2, their "
        "states "
        "counted; stars are SSM stacks trained to copy, in the colour of their M: what the model itself gets right, "
        "from "
        "unrounded states along the dotted line to ever fewer bits, as far as it is no worse than a guess. Right, for "
        "M = 2 and K = floor(2^(rate N)) states: how many bits per letter the best encoder lies "
        "above the line. The gap falls with N, though not at every step: rounding K down changes the rate.";
    const double bottom = kBottom, top = kBottom + kHeight;
    figure_.commands =
        panel_defaults() + place({kLeft, kLeft + kMain, bottom, top}, figure_.width, figure_.height) + main_panel();
    if (!data_.gaps.empty()) {
      const double left = kLeft + kMain + kGap;
      figure_.commands +=
          panel_defaults() + place({left, left + kSide, bottom, top}, figure_.width, figure_.height) + gap_panel();
    }
    figure_.commands +=
        legend(entries(), {kLeft, kLeft + kMain + kSide, figure_.height - legend_room, figure_.height - 4.0},
               figure_.width, figure_.height);
    return figure_;
  }

 private:
  /// A block of data; its name with the sign that reads it.
  std::string block(const std::string& name, const std::string& header, const Rows& rows) {
    figure_.data += data_block(name, header, rows);
    return ", $" + name;
  }

  std::string main_panel() {
    double least = 1, most = 0;
    std::string lines, points, labels;
    std::size_t index = 0;
    for (const auto& [letters, curve] : data_.curve) {
      const Style style = style_at(index++);
      const std::string m = readable(letters);
      const std::string colour = coloured(style.colour);
      lines += block("curve" + m, "bound, M=" + m + ": success bits_per_position", curve) +
               " using 1:2 with lines lw 2.2 dt " + std::to_string(style.dash) + colour;
      for (const auto& row : curve) {
        least = std::min(least, row[0]);
        most = std::max(most, row[1]);
      }
      labels += "set label " + quoted("R_{" + m + "}") + " at first " + plain(curve.back()[0]) + "," +
                plain(curve.back()[1]) + " left offset 0.9,0 font ',13' textcolor rgb '" + style.colour + "'\n";
      if (const auto found = data_.found.find(letters); found != data_.found.end()) {
        const std::string source =
            block("codes" + m, "codes, M=" + m + ": success bits_per_position N K best", found->second);
        points += source + " using 1:($5==0?$2:NaN) with points ps 0.75 pt " + std::to_string(style.hollow) + colour;
        points += source + " using 1:($5==1?$2:NaN) with points ps 0.7 pt " + std::to_string(style.filled) + colour;
      }
      if (const auto all = data_.enumerated.find(letters); all != data_.enumerated.end())
        points +=
            block("enumerated" + m, "best of all encoders, M=" + m + ": success bits_per_position N K", all->second) +
            " using 1:2 with points ps 1.25 lw 0.9 pt 6" + colour;
    }
    if (!data_.machines.empty()) {
      points += block("machines", "SSM stacks: success bits_per_position bits input_bits", data_.machines) +
                " using 1:2 with points ps 0.8 lw 1.4 pt 2 lc rgb '" + kMachines + "'";
      for (const auto& row : data_.machines) least = std::min(least, row[0]);
    }
    for (std::size_t i = 0; i < data_.trained.size(); ++i) {
      const TrainedPath& path = data_.trained[i];
      const std::string source =
          block("trained" + std::to_string(i), path.model + ": success bits_per_position bits input_bits", path.points);
      const std::string colour = coloured(style_of(path.letters).colour);
      points += source + " using 1:2 with lines " + kTrainedPath + colour + source + " using 1:2 with points " +
                kTrainedPoint + colour;
      for (const auto& row : path.points) least = std::min(least, row[0]);
    }
    const double air = 0.04 * (1 - least);
    return "set xrange [" + plain(least - air) + ":" + plain(1 + 2 * air) + "]\nset yrange [0:" + plain(1.06 * most) +
           "]\nset xtics auto\nset xtics autofreq\nset ytics auto\nset ytics autofreq\nset xlabel 'success: share of "
           "right answers' offset 0,0.3\nset ylabel 'bits of state per letter' offset 1.5,0\n" +
           labels + "plot " + (lines + points).substr(2) + "\nunset label\n";
  }

  /// That of the curve for the same M.
  [[nodiscard]] Style style_of(double letters) const {
    return style_at(static_cast<std::size_t>(std::distance(data_.curve.begin(), data_.curve.find(letters))));
  }

  std::string gap_panel() {
    double least = 1e300, most = 0, highest = 0;
    std::string lines;
    std::size_t index = 0;
    for (const auto& [rate, rows] : data_.gaps) {
      const Style style = style_at(index++);
      const std::string colour = coloured(style.colour);
      const std::string source =
          block("gap" + std::to_string(index), "rate " + readable(rate) + ": N gap_per_position best K", rows);
      lines += source + " using 1:2 with lines lw 1.4 dt " + std::to_string(style.dash) + colour + source +
               " using 1:($3==0?$2:NaN) with points ps 0.95 pt " + std::to_string(style.hollow) + colour + source +
               " using 1:($3==1?$2:NaN) with points ps 0.95 pt " + std::to_string(style.filled) + colour;
      for (const auto& row : rows) {
        least = std::min(least, row[0]);
        most = std::max(most, row[0]);
        highest = std::max(highest, row[1]);
      }
    }
    return "set xrange [" + plain(least - 0.5) + ":" + plain(most + 0.5) +
           "]\nset yrange [0:" + plain(1.1 * std::max(highest, 1e-9)) +
           "]\nset xtics 2\nset ytics auto\nset ytics autofreq\nset xlabel 'letters N' offset 0,0.3\nset ylabel 'bits "
           "per letter above the bound, M = 2' offset 1,0\nplot " +
           lines.substr(2) + "\n";
  }

  [[nodiscard]] std::vector<LegendEntry> entries() const {
    std::vector<LegendEntry> list;
    std::size_t index = 0;
    for (const auto& [letters, curve] : data_.curve) {
      const Style style = style_at(index++);
      list.push_back({"M = " + readable(letters) + ": bound, best codes",
                      "lw 2.2 dt " + std::to_string(style.dash) + coloured(style.colour),
                      "ps 0.8 pt " + std::to_string(style.filled) + coloured(style.colour)});
    }
    if (!data_.enumerated.empty()) list.push_back({"best of all encoders", "", "ps 1.25 pt 6 lc rgb '#333333'"});
    if (!data_.machines.empty())
      list.push_back({"random SSM stacks", "", std::string("ps 0.8 lw 1.4 pt 2 lc rgb '") + kMachines + "'"});
    if (!data_.trained.empty()) {
      const std::string grey = std::string(" lc rgb '") + kMachines + "'";
      list.push_back({"trained SSMs", kTrainedPath + grey, kTrainedPoint + grey});
    }
    index = 0;
    for (const auto& [rate, rows] : data_.gaps) {
      const Style style = style_at(index++);
      list.push_back({"right: rate " + readable(rate),
                      "lw 1.4 dt " + std::to_string(style.dash) + coloured(style.colour),
                      "ps 0.9 pt " + std::to_string(style.filled) + coloured(style.colour)});
    }
    return list;
  }

  RateData data_;
  Figure figure_;
};

}  // namespace

Figure rate_figure(const std::vector<const Certificate*>& certificates) {
  RateData data = collect_rate(certificates);
  if (data.empty()) return {};
  return Drawing(std::move(data)).draw(certificates.front()->theorem);
}

}  // namespace hyseq::results
