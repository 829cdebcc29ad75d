// Theorem 4.3, level trainable: what training makes of the construction's weights with noise on them, seed by seed.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "results/figures/accuracy_parts.hpp"
#include "results/figures/figures.hpp"
#include "results/figures/plotting.hpp"
#include "results/statistics.hpp"

namespace hyseq::results {
namespace {

constexpr double kLeft = 72, kRight = 14, kTop = 30, kBottom = 58, kGapX = 14, kGapY = 34;
constexpr double kPanelWidth = 182, kPanelHeight = 200;
constexpr double kAir = 0.04;   // of the axis beyond 0 and 1
constexpr double kEnds = 0.6;   // decades between the noises and the places beside them
constexpr double kSide = 0.28;  // decades beyond these
constexpr double kDot = 4.4;    // diameter in pixels
constexpr double kSpread = 6;   // pixels that dots may be moved aside
constexpr const char* kTrained = "#0072B2";
constexpr const char* kDrawn = "#D55E00";
constexpr const char* kBefore = "#555555";

/// The seeds of one start.
struct Start {
  bool drawn = false;
  double noise = 0;
  std::vector<double> before, after;  // accuracies, one per seed
};

using Curve = std::vector<Start>;

struct BasinData {
  std::map<double, std::map<double, Curve>> panels;  // by dropout, then learning rate
  double least = 0, most = 0;                        // noise above 0
  double steps = kMissing, seeds = kMissing;

  [[nodiscard]] std::size_t columns() const {
    std::size_t most_rates = 0;
    for (const auto& [dropout, rates] : panels) most_rates = std::max(most_rates, rates.size());
    return most_rates;
  }
  [[nodiscard]] double left_end() const { return std::log10(least) - kEnds; }
  [[nodiscard]] double right_end() const { return std::log10(most) + kEnds; }
  [[nodiscard]] double place_of(const Start& start) const {
    if (start.drawn) return right_end();
    return start.noise > 0 ? std::log10(start.noise) : left_end();
  }
};

std::vector<double> accuracies(const Json& entry, const char* key) {
  std::vector<double> values;
  const Json valid = array_of(entry, "valid"), correct = array_of(entry, key);
  for (std::size_t i = 0; i < std::min(valid.size(), correct.size()); ++i)
    if (valid[i].is_number() && correct[i].is_number() && valid[i].get<double>() > 0)
      values.push_back(correct[i].get<double>() / valid[i].get<double>());
  return values;
}

/// Of several certificates (other widths or seeds) the last one counts, as a whole.
BasinData collect(const std::vector<const Certificate*>& certificates) {
  BasinData data;
  for (const Certificate* certificate : certificates) {
    const Check* check = find_check(*certificate, "basin");
    if (check == nullptr) continue;
    BasinData own;
    own.steps = number_or(check->figures, "steps");
    own.seeds = number_or(check->figures, "seeds");
    for (const Json& entry : array_of(check->figures, "series")) {
      Start start{text_of(entry, "start") == "drawn", number_or(entry, "noise", 0), accuracies(entry, "correct_before"),
                  accuracies(entry, "correct_after")};
      if (start.after.empty() || start.after.size() != start.before.size()) continue;
      if (start.noise > 0) {
        own.least = own.least > 0 ? std::min(own.least, start.noise) : start.noise;
        own.most = std::max(own.most, start.noise);
      }
      own.panels[number_or(entry, "dropout", 0)][number_or(entry, "rate", 0)].push_back(std::move(start));
    }
    if (!own.panels.empty() && own.least > 0) data = std::move(own);
  }
  return data;
}

double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  return quantile(values, 0.5);
}

std::string rate_words(double rate) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.0e", rate);
  std::string words = text.data();
  if (const std::size_t zero = words.find("e-0"); zero != std::string::npos) words.erase(zero + 2, 1);
  return words;
}

class Drawing {
 public:
  explicit Drawing(BasinData data) : data_(std::move(data)) {}

  Figure draw(const std::string& theorem) {
    const std::size_t columns = data_.columns(), rows = data_.panels.size();
    const double width = static_cast<double>(columns) * (kPanelWidth + kGapX) - kGapX;
    const double legend_room = legend_height(entries(), width) + 8;
    figure_.width = static_cast<int>(kLeft + width + kRight);
    figure_.height =
        static_cast<int>(legend_room + kTop + static_cast<double>(rows) * (kPanelHeight + kGapY) - kGapY + kBottom);
    figure_.title = "Training from the construction of theorem " + theorem + " with noise on its weights";
    figure_.caption =
        "Accuracy on held-out sequences after " + readable(data_.steps) + " training steps, a dot for each of " +
        readable(data_.seeds) +
        " seeds (moved aside where dots would cover each other), bars and line through their medians. At noise s each "
        "weight x starts as x + s (|x| + 0.02) times a standard normal; \"none\" is the construction itself, \"drawn\" "
        "the random initialisation, trained alike. Dashed with rings: median accuracy before the first step. One "
        "column for each peak learning rate, one row for each dropout.";
    double top = figure_.height - legend_room - kTop;
    std::size_t row = 0;
    for (const auto& [dropout, rates] : data_.panels) {
      ++row;
      double left = kLeft;
      for (const auto& [rate, curve] : rates) {
        figure_.commands += panel_defaults() +
                            place({left, left + kPanelWidth, top - kPanelHeight, top}, figure_.width, figure_.height) +
                            panel(curve, rate, dropout, left == kLeft, row == rows);
        left += kPanelWidth + kGapX;
      }
      top -= kPanelHeight + kGapY;
    }
    figure_.commands += legend(entries(), {kLeft, kLeft + width, figure_.height - legend_room, figure_.height - 4.0},
                               figure_.width, figure_.height);
    return figure_;
  }

 private:
  /// Names of the noises at their places; a label to each decade and to both ends.
  [[nodiscard]] std::string noise_tics(const Curve& curve, bool labelled) const {
    std::string tics;
    for (const Start& start : curve) {
      const double decade = start.noise > 0 ? std::log10(start.noise) : 0;
      const bool named = start.drawn || start.noise == 0 || std::abs(decade - std::round(decade)) < 1e-9;
      const std::string label = start.drawn ? "drawn" : start.noise == 0 ? "none" : readable(start.noise);
      tics += (tics.empty() ? "" : ", ") + quoted(labelled && named ? label : "") + " " + plain(data_.place_of(start));
    }
    return "set xtics nomirror (" + tics + ") noenhanced offset 0,0.4 font ',11'\n";
  }

  std::string panel(const Curve& curve, double rate, double dropout, bool first, bool bottom) {
    const std::string name = "basin" + std::to_string(++blocks_);
    const double low = data_.left_end() - kSide, high = data_.right_end() + kSide;
    const double per_decade = kPanelWidth / (high - low), per_unit = kPanelHeight / (1 + 2 * kAir);
    std::vector<std::vector<double>> dots, medians;
    for (const Start& start : curve) {
      const double x = data_.place_of(start), drawn = start.drawn ? 1 : 0;
      std::vector<double> heights;
      for (const double value : start.after) heights.push_back(value * per_unit);
      const std::vector<double> offsets = swarm(heights, kDot, kSpread);
      for (std::size_t i = 0; i < offsets.size(); ++i)
        dots.push_back({x + offsets[i] / per_decade, start.after[i], start.noise, drawn});
      medians.push_back({x, median_of(start.before), median_of(start.after), start.noise, drawn});
    }
    const std::string what = "dropout " + readable(dropout) + ", rate " + rate_words(rate);
    figure_.data += data_block(name + "dots", what + ": place accuracy noise drawn", dots) +
                    data_block(name, what + ": place median_before median_after noise drawn", medians);
    const std::string half = plain(7 / per_decade), whole = plain(14 / per_decade);
    const auto where = [](int drawn, const char* column) {
      return "($5==" + std::to_string(drawn) + "?" + column + ":NaN)";
    };
    const std::string source = "$" + name;
    std::string text = "unset label\nset xrange [" + plain(low) + ":" + plain(high) + "]\nset yrange [" + plain(-kAir) +
                       ":" + plain(1 + kAir) + "]\nset ytics nomirror 0,0.2,1\nset format y '" + (first ? "%.1f" : "") +
                       "'\n" + noise_tics(curve, bottom) + "set xlabel " +
                       quoted(bottom ? "noise on the weights" : "") + " offset 0,0.9 noenhanced\nset ylabel " +
                       quoted(!first        ? ""
                              : dropout > 0 ? "accuracy, dropout " + readable(dropout)
                                            : std::string("accuracy, no dropout")) +
                       " offset 1.2,0 noenhanced\nset label " + quoted("learning rate " + rate_words(rate)) +
                       " at graph 0,1 left offset 0,0.7 noenhanced textcolor rgb '" + kInk + "'\n";
    text += "plot " + source + " using 1:" + where(0, "$2") + " with linespoints lw 1.5 dt 2 pt 6 ps 0.5" +
            coloured(kBefore) + ", " + source + " using 1:" + where(1, "$2") + " with points lw 1.2 pt 6 ps 0.5" +
            coloured(kBefore);
    for (const auto& [drawn, colour] : {std::pair{0, kTrained}, std::pair{1, kDrawn}}) {
      if (drawn == 0) text += ", " + source + " using 1:" + where(0, "$3") + " with lines lw 1.2" + coloured(colour);
      text += ", " + source + " using ($1-" + half + "):" + where(drawn, "$3") + ":(" + whole +
              "):(0) with vectors nohead lw 2.4" + coloured(colour) + ", " + source +
              "dots using 1:($4==" + std::to_string(drawn) + "?$2:NaN) with points ps 0.42 pt 7 lc rgb '" +
              faded(colour, 0.6) + "'";
    }
    return text + "\nunset label\n";
  }

  [[nodiscard]] static std::vector<LegendEntry> entries() {
    return {
        {"from the construction: seeds and median", "lw 2.4" + coloured(kTrained), "pt 7 ps 0.5" + coloured(kTrained)},
        {"from drawn weights", "lw 2.4" + coloured(kDrawn), "pt 7 ps 0.5" + coloured(kDrawn)},
        {"before training, median", "lw 1.5 dt 2" + coloured(kBefore), "pt 6 ps 0.5" + coloured(kBefore)}};
  }

  BasinData data_;
  Figure figure_;
  int blocks_ = 0;
};

}  // namespace

Figure basin_figure(const std::vector<const Certificate*>& certificates) {
  BasinData data = collect(certificates);
  if (data.panels.empty()) return {};
  return Drawing(std::move(data)).draw(certificates.front()->theorem);
}

}  // namespace hyseq::results
