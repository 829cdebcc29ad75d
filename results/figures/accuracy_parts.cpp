#include "results/figures/accuracy_parts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>

namespace hyseq::results {
namespace {

const std::map<std::string, Style>& known_styles() {
  static const std::map<std::string, Style> styles{{"SSM,TF", {"#0072B2", 1, 7, 6}},
                                                   {"TF,TF", {"#D55E00", 2, 9, 8}},
                                                   {"SSM,SSM", {"#009E73", 4, 5, 4}},
                                                   {"TF,SSM", {"#B4499A", 3, 13, 12}}};
  return styles;
}

const std::array<Style, 4>& other_styles() {
  static const std::array<Style, 4> styles{
      {{"#E69F00", 5, 11, 10}, {"#56B4E9", 2, 15, 14}, {"#333333", 1, 7, 6}, {"#8A6D00", 4, 9, 8}}};
  return styles;
}

}  // namespace

Style family_style(const std::string& layers, const std::vector<std::string>& all) {
  if (const auto found = known_styles().find(layers); found != known_styles().end()) return found->second;
  std::vector<std::string> others;
  for (const std::string& name : all)
    if (!known_styles().contains(name) && std::find(others.begin(), others.end(), name) == others.end())
      others.push_back(name);
  const auto place = std::find(others.begin(), others.end(), layers) - others.begin();
  return other_styles()[static_cast<std::size_t>(place) % other_styles().size()];
}

std::string faded(const std::string& colour, double opacity) {
  std::array<char, 4> alpha{};
  std::snprintf(alpha.data(), alpha.size(), "%02x",
                static_cast<unsigned>(std::lround(255 * (1 - std::clamp(opacity, 0.0, 1.0)))));
  return "#" + std::string(alpha.data()) + colour.substr(1);
}

std::string log10_axis(const std::string& axis, Range range, int labels, bool show_labels) {
  double low = std::log10(range.low), high = std::log10(range.high);
  if (high - low < 0.3) {
    const double middle = (low + high) / 2;
    low = middle - 0.15;
    high = middle + 0.15;
  }
  const double air = 0.05 * (high - low);
  low -= air;
  high += air;
  const auto ticks = [&](const std::vector<int>& leading) {
    std::vector<double> values;
    for (int decade = static_cast<int>(std::floor(low)); decade <= static_cast<int>(std::ceil(high)); ++decade)
      for (const int digit : leading) {
        const double value = digit * std::pow(10.0, decade);
        if (std::log10(value) >= low && std::log10(value) <= high) values.push_back(value);
      }
    return values;
  };
  std::vector<double> labelled = ticks({1, 2, 5});
  for (const auto& fewer : {std::vector<int>{1, 3}, std::vector<int>{1}})
    if (static_cast<int>(labelled.size()) > labels && ticks(fewer).size() >= 2) labelled = ticks(fewer);
  std::string tics;
  for (const double value : ticks({1, 2, 3, 4, 5, 6, 7, 8, 9})) {
    const bool major = std::find(labelled.begin(), labelled.end(), value) != labelled.end();
    tics += (tics.empty() ? "" : ", ") + quoted(major && show_labels ? readable(value) : "") + " " + plain(value) +
            (major ? " 0" : " 1");
  }
  return "set logscale " + axis + " 10\nset " + axis + "range [" + plain(std::pow(10.0, low)) + ":" +
         plain(std::pow(10.0, high)) + "]\nset " + axis + "tics nomirror (" + tics + ") noenhanced\n";
}

std::vector<double> swarm(const std::vector<double>& values, double diameter, double limit) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> offsets(values.size(), 0);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto room = [&](double offset, double distance) {
      return std::none_of(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(i), [&](std::size_t j) {
        return std::hypot(values[order[i]] - values[j], offset - offsets[j]) < distance * (1 - 1e-9);
      });
    };
    // Nearest place first, above and below the row in turn; where all room is taken dots move closer together.
    bool placed = false;
    for (double distance = diameter; !placed && distance > diameter / 8; distance /= 2)
      for (int k = 0; !placed; ++k) {
        const int ring = (k + 1) / 2;
        const double offset = ring * distance / 4 * (k % 2 == 0 ? 1 : -1);
        if (std::abs(offset) > limit) break;
        placed = room(offset, distance);
        if (placed) offsets[order[i]] = offset;
      }
  }
  return offsets;
}

std::string text_at(const std::string& text, double x, double y, const std::string& how, int figure_width,
                    int figure_height) {
  return "set label " + quoted(text) + " at screen " + screen_x(x, figure_width) + ", screen " +
         screen_y(y, figure_height) + " noenhanced textcolor rgb '" + kInk + "' " + how + "\n";
}

std::string texts_only(const std::string& labels, int figure_width, int figure_height) {
  const Panel whole{0, static_cast<double>(figure_width), 0, static_cast<double>(figure_height)};
  return place(whole, figure_width, figure_height) +
         "unset border\nunset tics\nunset grid\nunset logscale\nunset xlabel\nunset ylabel\nunset title\nunset arrow\n"
         "unset label\nset xrange [0:1]\nset yrange [0:1]\n" +
         labels + "plot -1 notitle\nunset label\n";
}

}  // namespace hyseq::results
