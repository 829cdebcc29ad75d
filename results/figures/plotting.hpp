// What the figures share: text of gnuplot commands, log-axis labels, panels laid out in pixels, and the styles that
// tell levels and number formats apart by marker, dash and colour (Okabe and Ito's colours, safe for the colour-blind).
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "results/certificate.hpp"

namespace hyseq::results {

inline constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

/// UTF-8 characters of a text.
[[nodiscard]] std::size_t characters(const std::string& text);

/// A gnuplot string: quotes doubled, control characters dropped.
[[nodiscard]] std::string quoted(const std::string& text);

/// The shortest text that reads back as the same number; "?" (gnuplot's missing value) where it is not finite.
[[nodiscard]] std::string plain(double value);

/// 65536 -> "65,536"; 0.5 -> "0.5"; what is not an integer to three (from 1000 on) or four digits.
[[nodiscard]] std::string readable(double value);

/// A member that is a finite number (or the text of one), else `otherwise`.
[[nodiscard]] double number_or(const Json& object, const std::string& key, double otherwise = kMissing);

/// Whether the member is `true`.
[[nodiscard]] bool flag(const Json& object, const std::string& key);

/// The member where it is a string, else "".
[[nodiscard]] std::string text_of(const Json& object, const std::string& key);

/// The member where it is an array, else an empty array.
[[nodiscard]] Json array_of(const Json& object, const std::string& key);

/// A named block "$name << end ... end" whose first line is a comment with the column names.
[[nodiscard]] std::string data_block(const std::string& name, const std::string& header,
                                     const std::vector<std::vector<double>>& rows);

/// A rectangle in pixels from the lower left corner of a figure of the given size. Positions are written with the
/// script's variables: part of the image = origin + scale x part of the figure, so that figures can be stacked in one
/// image.
struct Panel {
  double left, right, bottom, top;
};
[[nodiscard]] std::string place(const Panel& panel, int figure_width, int figure_height);
[[nodiscard]] std::string screen_x(double pixels, int figure_width);
[[nodiscard]] std::string screen_y(double pixels, int figure_height);
[[nodiscard]] std::string screen_width(double pixels, int figure_width);
[[nodiscard]] std::string screen_height(double pixels, int figure_height);

/// The range of an axis in powers of two, `low` and `high` included, with a little air, and at most `labels` labels
/// 2^k. `axis` is "x" or "y". An axis without labels keeps its ticks.
struct Range {
  double low, high;
};
[[nodiscard]] std::string log2_axis(const std::string& axis, Range range, int labels, bool show_labels);

/// How one level or number format is drawn. Markers are gnuplot's: `filled` holds, `hollow` does not (or was not
/// built).
struct Style {
  std::string colour;
  int dash;
  int filled;
  int hollow;
};
[[nodiscard]] Style level_style(const std::string& level);
[[nodiscard]] Style number_style(const std::string& number);

/// Colour of a marker or line, as part of a plot command.
[[nodiscard]] std::string coloured(const std::string& colour);

/// Colours of lines that belong to no level or format: text and frames, grids, the bounds of pure models.
inline constexpr const char* kInk = "#333333";
inline constexpr const char* kGrid = "#e3e3e3";
inline constexpr const char* kPure = "#8a1c7c";

/// Frame, grid and fonts that every panel starts from.
[[nodiscard]] std::string panel_defaults();

/// One entry of a legend drawn by hand: gnuplot's own key cannot mix lines and markers in neat rows.
struct LegendEntry {
  std::string text;
  std::string line;    // "dt 2 lw 1.5 lc rgb '#...'", or "" for none
  std::string marker;  // "pt 7 lc rgb '#...'", or "" for none
};
/// The entries in rows and columns that fill the panel, as one empty plot.
[[nodiscard]] std::string legend(const std::vector<LegendEntry>& entries, const Panel& panel, int figure_width,
                                 int figure_height);
/// Height in pixels that `legend` needs for that width.
[[nodiscard]] int legend_height(const std::vector<LegendEntry>& entries, double width);

}  // namespace hyseq::results
