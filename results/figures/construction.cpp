#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "results/figures/figures.hpp"
#include "results/figures/plotting.hpp"

namespace hyseq::results {
namespace {

constexpr std::size_t kMaxColumns = 48;  // more would be too fine to read; the title says how many are shown
constexpr std::size_t kMaxRows = 64;
constexpr double kCellHeight = 20;
constexpr double kTitle = 34;
constexpr double kColourBox = 100;

/// `count` indices out of `size`, first and last included, evenly spread.
std::vector<std::size_t> spread(std::size_t size, std::size_t count) {
  std::vector<std::size_t> picked(std::min(size, count));
  std::iota(picked.begin(), picked.end(), std::size_t{0});
  if (size > count)
    for (std::size_t& i : picked) i = i * (size - 1) / (count - 1);
  return picked;
}

/// Width in pixels of the longest of the labels shown, at the figures' font size.
double longest(const std::vector<std::string>& labels, const std::vector<std::size_t>& picked) {
  std::size_t most = 0;
  for (const std::size_t i : picked) most = std::max(most, characters(labels[i]));
  return 6.4 * static_cast<double>(most) + 6;
}

/// A cell's number in at most four characters, or "" where that would say too little; with a true minus sign.
std::string cell_text(double value) {
  if (value == 0) return "";
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2g", std::abs(value));
  std::string digits = text.data();
  if (digits.rfind("0.", 0) == 0) digits.erase(0, 1);
  if (digits.size() > 4) return "";
  return (value < 0 ? "−" : "") + digits;
}

/// One heat map: what is shown of a matrix, in which colours, and where.
struct Map {
  const LabelledMatrix* matrix = nullptr;
  std::vector<std::size_t> rows, columns;
  std::vector<double> scale;  // per row: the value that has the full colour
  bool relative = false;      // rows differ so much in size that each has its own scale
  std::string title;
  double cell_width = 0, left_gutter = 0, bottom_gutter = 0;
  bool colour_box = true;  // else the next map's serves both
  bool row_labels = true;  // else they stand at the map to the left
  bool upright = false;    // column labels fit without turning them
  std::string block;       // names of the data blocks

  [[nodiscard]] double at(std::size_t row, std::size_t column) const {
    return matrix->values[rows[row] * matrix->column_labels.size() + columns[column]];
  }
  [[nodiscard]] double cells_width() const { return cell_width * static_cast<double>(columns.size()); }
  /// Half of what the title is wider than the cells: it stands centred above them.
  [[nodiscard]] double overhang() const {
    return std::max(0.0, (7.2 * static_cast<double>(characters(title)) - cells_width()) / 2);
  }
  [[nodiscard]] double left() const { return std::max(left_gutter, overhang()); }
  [[nodiscard]] double width() const {
    return left() + cells_width() + std::max(colour_box ? kColourBox : 30, overhang() + 10);
  }
  [[nodiscard]] double height() const {
    return kTitle + kCellHeight * static_cast<double>(rows.size()) + bottom_gutter;
  }
};

void choose_scale(Map& map) {
  double largest = 0, smallest = 0;
  for (std::size_t r = 0; r < map.rows.size(); ++r) {
    double row = 0;
    for (std::size_t c = 0; c < map.columns.size(); ++c) row = std::max(row, std::abs(map.at(r, c)));
    map.scale.push_back(row > 0 ? row : 1);
    largest = std::max(largest, row);
    if (row > 0) smallest = smallest > 0 ? std::min(smallest, row) : row;
  }
  map.relative = largest > 4 * smallest;
  if (!map.relative) std::fill(map.scale.begin(), map.scale.end(), largest > 0 ? largest : 1);
}

std::string shown(std::size_t part, std::size_t whole, const char* what) {
  if (part == whole) return "";
  return " (" + std::to_string(part) + " of " + readable(static_cast<double>(whole)) + " " + what + ")";
}

Map make_map(const LabelledMatrix& matrix, std::size_t index) {
  Map map;
  map.matrix = &matrix;
  map.rows = spread(matrix.row_labels.size(), kMaxRows);
  map.columns = spread(matrix.column_labels.size(), kMaxColumns);
  map.block = "matrix" + std::to_string(index);
  map.title = matrix.title + shown(map.columns.size(), matrix.column_labels.size(), "columns") +
              shown(map.rows.size(), matrix.row_labels.size(), "rows");
  choose_scale(map);
  const std::size_t columns = map.columns.size();
  map.cell_width = columns <= 8 ? 34 : columns <= 20 ? 28 : columns <= 40 ? 21 : 14;
  map.left_gutter = longest(matrix.row_labels, map.rows) + 14;
  map.upright = longest(matrix.column_labels, map.columns) <= map.cell_width;
  map.bottom_gutter = map.upright ? 30 : longest(matrix.column_labels, map.columns) + 16;
  return map;
}

std::string tics(const std::vector<std::string>& labels, const std::vector<std::size_t>& picked, std::size_t step) {
  std::string text;
  for (std::size_t i = 0; i < picked.size(); i += step)
    text += (text.empty() ? "(" : ", ") + quoted(labels[picked[i]]) + " " + std::to_string(i);
  return text + ") noenhanced scale 0\n";
}

std::string data_of(const Map& map) {
  std::vector<std::vector<double>> cells;
  std::string texts = "$" + map.block + "texts << end\n# column row text colour\n";
  for (std::size_t r = 0; r < map.rows.size(); ++r)
    for (std::size_t c = 0; c < map.columns.size(); ++c) {
      const double value = map.at(r, c), shade = value / map.scale[r];
      cells.push_back({static_cast<double>(c), static_cast<double>(r), map.relative ? shade : value, value});
      if (const std::string text = cell_text(value); !text.empty())
        texts += std::to_string(c) + " " + std::to_string(r) + " \"" + text + "\" " +
                 (std::abs(shade) > 0.55 ? "0xffffff" : "0x222222") + "\n";
    }
  return data_block(map.block, "column row colour value", cells) + texts + "end\n";
}

std::string commands_of(const Map& map, const Panel& panel, int width, int height) {
  const LabelledMatrix& matrix = *map.matrix;
  const std::size_t rows = map.rows.size(), columns = map.columns.size();
  const auto step = static_cast<std::size_t>(std::ceil(15 / map.cell_width));
  const std::string limit = plain(map.relative ? 1 : map.scale.front());
  std::string text = place(panel, width, height);
  text += "set title " + quoted(map.title) + " noenhanced font ',14' textcolor rgb '" + kInk + "'\n";
  text += "set xrange [-0.5:" + plain(static_cast<double>(columns) - 0.5) + "]\n";
  text += "set yrange [" + plain(static_cast<double>(rows) - 0.5) + ":-0.5]\n";
  text += "set xtics " + std::string(map.upright ? "norotate " : "rotate by 90 right ") +
          tics(matrix.column_labels, map.columns, step);
  text += map.row_labels ? "set ytics " + tics(matrix.row_labels, map.rows, 1) : "unset ytics\n";
  text += "set cbrange [-" + limit + ":" + limit + "]\n";
  text += map.colour_box ? "set colorbox user origin screen " + screen_x(panel.right + 18, width) + "," +
                               screen_y(panel.bottom, height) + " size screen " + screen_width(12, width) + "," +
                               screen_height(std::min(panel.top - panel.bottom, 240.0), height) + "\n"
                         : "unset colorbox\n";
  text += "set cblabel " + quoted(map.relative ? "value / largest of its row" : "value") + " offset 1,0\n";
  text += "plot $" + map.block +
          " using 1:2:($1-0.5):($1+0.5):($2-0.5):($2+0.5):3 with boxxyerror fillstyle solid 1 border lc rgb '#cfcfcf' "
          "lw 0.5 fillcolor palette";
  if (map.cell_width >= 20)
    text += ", $" + map.block + "texts using 1:2:3:4 with labels font ',10' textcolor rgb variable";
  return text + "\n";
}

/// The smallest construction explains best.
const Certificate* smallest_with_matrices(const std::vector<const Certificate*>& certificates) {
  const Certificate* best = nullptr;
  const auto cells = [](const Certificate& c) {
    std::size_t sum = 0;
    for (const LabelledMatrix& m : c.matrices) sum += m.values.size();
    return sum;
  };
  for (const Certificate* c : certificates)
    if (!c->matrices.empty() && (best == nullptr || cells(*c) < cells(*best))) best = c;
  return best;
}

}  // namespace

Figure construction_figure(const std::vector<const Certificate*>& certificates) {
  const Certificate* certificate = smallest_with_matrices(certificates);
  if (certificate == nullptr) return {};
  std::vector<Map> maps;
  for (const LabelledMatrix& matrix : certificate->matrices)
    if (!matrix.values.empty()) maps.push_back(make_map(matrix, maps.size()));
  if (maps.empty()) return {};

  // Side by side, with the row labels once where they are the same, as long as that stays readable; else stacked.
  const auto total_width = [&] {
    double width = 0;
    for (const Map& map : maps) width += map.width();
    return width;
  };
  for (std::size_t i = 1; i < maps.size(); ++i)
    if (maps[i].matrix->row_labels == maps[i - 1].matrix->row_labels) {
      maps[i].row_labels = false;
      maps[i].left_gutter = 10;
    }
  for (std::size_t i = 0; i + 1 < maps.size(); ++i)
    maps[i].colour_box = maps[i].relative != maps[i + 1].relative ||
                         (!maps[i].relative && maps[i].scale.front() != maps[i + 1].scale.front());
  const bool side_by_side = total_width() <= 1130;
  double tallest = 0, widest = 0, stacked = 0;
  for (std::size_t i = 0; i < maps.size(); ++i) {
    if (!side_by_side) maps[i] = make_map(*maps[i].matrix, i);
    tallest = std::max(tallest, maps[i].height());
    widest = std::max(widest, maps[i].width());
    stacked += maps[i].height() + 10;
  }
  Figure figure;
  figure.width = static_cast<int>((side_by_side ? total_width() : widest)) + 10;
  figure.height = static_cast<int>(side_by_side ? tallest : stacked) + 10;
  figure.title = "The construction of theorem " + certificate->theorem + ", " + certificate->level;
  figure.caption =
      "Rows are coordinates of the model's width with their meaning, columns are tokens; numbers in the cells are the "
      "values "
      "themselves. White is 0, blue negative, red positive.";
  figure.commands = panel_defaults() +
                    "set border 0\nunset grid\nset palette defined (-1 '#0b4f8a', -0.5 '#6aaed6', 0 '#ffffff', 0.5 "
                    "'#f4a27a', 1 '#b2182b')\n";
  double x = 0, y = figure.height - 5;
  for (const Map& map : maps) {
    const double left = x + map.left(), top = y - kTitle;
    const Panel panel{left, left + map.cells_width(), top - kCellHeight * static_cast<double>(map.rows.size()), top};
    figure.data += data_of(map);
    figure.commands += commands_of(map, panel, figure.width, figure.height);
    if (side_by_side) {
      x += map.width();
    } else {
      y -= map.height() + 10;
    }
  }
  return figure;
}

}  // namespace hyseq::results
