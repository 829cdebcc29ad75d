#include "results/figures/plotting.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace hyseq::results {
namespace {

constexpr double kLegendRow = 20;
constexpr double kLegendSample = 30;
constexpr double kLegendGap = 22;

/// Width of a legend's entries, all alike so that they stand in columns; about right for Arial at 12 pixels.
double entry_width(const std::vector<LegendEntry>& entries) {
  std::size_t longest = 0;
  for (const LegendEntry& entry : entries) longest = std::max(longest, characters(entry.text));
  return kLegendSample + 5.9 * static_cast<double>(longest) + kLegendGap;
}

int legend_columns(const std::vector<LegendEntry>& entries, double width) {
  return std::max(1, static_cast<int>((width + kLegendGap) / entry_width(entries)));
}

}  // namespace

std::size_t characters(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u; }));
}

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) continue;
    out += c;
    if (c == '\'') out += c;
  }
  return out + "'";
}

std::string plain(double value) {
  if (!std::isfinite(value)) return "?";
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

std::string readable(double value) {
  std::array<char, 64> text{};
  const double size = std::abs(value);
  if (size >= 1e15 || (value != std::floor(value) && size < 1000)) {
    std::snprintf(text.data(), text.size(), "%.4g", value);
    return text.data();
  }
  // Estimates such as 4251733.7 keep three digits; counts keep all.
  const double step = value == std::floor(value) ? 1 : std::pow(10.0, std::floor(std::log10(size)) - 2);
  std::snprintf(text.data(), text.size(), "%.0f", std::round(size / step) * step);
  std::string digits = text.data();
  for (int i = static_cast<int>(digits.size()) - 3; i > 0; i -= 3) digits.insert(static_cast<std::size_t>(i), 1, ',');
  return (value < 0 ? "-" : "") + digits;
}

double number_or(const Json& object, const std::string& key, double otherwise) {
  const auto found = object.find(key);
  if (found == object.end()) return otherwise;
  double value = otherwise;
  if (found->is_number()) value = found->get<double>();
  if (found->is_string()) {
    const std::string text = found->get<std::string>();
    char* end = nullptr;
    const double parsed = std::strtod(text.c_str(), &end);
    if (!text.empty() && *end == '\0') value = parsed;
  }
  return std::isfinite(value) ? value : otherwise;
}

bool flag(const Json& object, const std::string& key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_boolean() && found->get<bool>();
}

std::string text_of(const Json& object, const std::string& key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Json array_of(const Json& object, const std::string& key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_array() ? *found : Json::array();
}

std::string data_block(const std::string& name, const std::string& header,
                       const std::vector<std::vector<double>>& rows) {
  std::string block = "$" + name + " << end\n# " + header + "\n";
  for (const std::vector<double>& row : rows) {
    std::string line;
    for (const double value : row) {
      if (!line.empty()) line += ' ';
      line += plain(value);
    }
    block += line;
    block += '\n';
  }
  return block + "end\n";
}

std::string screen_width(double pixels, int figure_width) { return "scale_x*" + plain(pixels / figure_width); }
std::string screen_height(double pixels, int figure_height) { return "scale_y*" + plain(pixels / figure_height); }
std::string screen_x(double pixels, int figure_width) {
  return "(origin_x+" + screen_width(pixels, figure_width) + ")";
}
std::string screen_y(double pixels, int figure_height) {
  return "(origin_y+" + screen_height(pixels, figure_height) + ")";
}

std::string place(const Panel& panel, int figure_width, int figure_height) {
  return "set lmargin at screen " + screen_x(panel.left, figure_width) + "\nset rmargin at screen " +
         screen_x(panel.right, figure_width) + "\nset bmargin at screen " + screen_y(panel.bottom, figure_height) +
         "\nset tmargin at screen " + screen_y(panel.top, figure_height) + "\n";
}

std::string log2_axis(const std::string& axis, Range range, int labels, bool show_labels) {
  // Two octaves at least, so that a constant is drawn as a level line inside its panel.
  double low = std::log2(range.low), high = std::log2(range.high);
  if (high - low < 2) {
    const double middle = (low + high) / 2;
    low = middle - 1;
    high = middle + 1;
  }
  const double air = 0.06 * (high - low);
  const int first = static_cast<int>(std::ceil(low - (low >= 0 ? std::min(air, low) : air))),
            last = static_cast<int>(std::floor(high + air));
  const int step = std::max(1, (last - first + labels) / labels);
  std::string tics;
  for (int k = first; k <= last; ++k) {
    if ((k - first) % step != 0) continue;
    const std::string label = show_labels ? "2^{" + std::to_string(k) + "}" : "";
    tics += (tics.empty() ? "" : ", ") + quoted(label) + " " + plain(std::exp2(k));
  }
  return "set logscale " + axis + " 2\nset " + axis + "range [" + plain(std::exp2(low - air)) + ":" +
         plain(std::exp2(high + air)) + "]\nset " + axis + "tics (" + tics + ") enhanced\n";
}

Style level_style(const std::string& level) {
  if (level == "faithful") return {"#0072B2", 1, 7, 6};
  if (level == "streaming") return {"#D55E00", 2, 9, 8};
  return {"#009E73", 4, 5, 4};
}

Style number_style(const std::string& number) {
  if (number == "double") return {"#0072B2", 1, 7, 6};
  if (number == "float") return {"#D55E00", 2, 9, 8};
  if (number == "bfloat16") return {"#009E73", 4, 5, 4};
  return {"#B4499A", 3, 13, 12};
}

std::string panel_defaults() {
  return std::string("set border 3 lw 0.8 lc rgb '") + kInk + "'\nset tics nomirror out scale 0.5 textcolor rgb '" +
         kInk + "'\nset grid xtics ytics back lt 1 lw 0.6 lc rgb '" + kGrid +
         "'\nunset key\nset minussign\nset datafile missing '?'\nset style fill solid 1\n";
}

std::string legend(const std::vector<LegendEntry>& entries, const Panel& panel, int figure_width, int figure_height) {
  const double width = panel.right - panel.left, height = panel.top - panel.bottom;
  const int columns = legend_columns(entries, width);
  std::string commands =
      place(panel, figure_width, figure_height) +
      "unset border\nunset tics\nunset xzeroaxis\nunset grid\nunset logscale\nunset xlabel\nunset ylabel\nunset title\n"
      "unset arrow\nunset label\nset xrange [0:" +
      plain(width) + "]\nset yrange [0:" + plain(height) + "]\n";
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const LegendEntry& entry = entries[i];
    const int row = static_cast<int>(i) / columns;
    const double x = entry_width(entries) * (static_cast<int>(i) % columns);
    const std::string y = plain(height - kLegendRow * (row + 0.5));
    const double end = x + kLegendSample - 6;
    if (!entry.line.empty())
      commands +=
          "set arrow from " + plain(x) + "," + y + " to " + plain(end) + "," + y + " nohead " + entry.line + "\n";
    if (!entry.marker.empty())
      commands += "set label '' at " + plain((x + end) / 2) + "," + y + " point " + entry.marker + "\n";
    commands += "set label " + quoted(entry.text) + " at " + plain(x + kLegendSample) + "," + y +
                " left noenhanced textcolor rgb '" + kInk + "'\n";
  }
  return commands + "plot -1 notitle\nunset label\nunset arrow\n";
}

int legend_height(const std::vector<LegendEntry>& entries, double width) {
  const int columns = legend_columns(entries, width);
  return static_cast<int>(kLegendRow) * ((static_cast<int>(entries.size()) + columns - 1) / columns);
}

std::string coloured(const std::string& colour) { return " lc rgb '" + colour + "'"; }

}  // namespace hyseq::results
