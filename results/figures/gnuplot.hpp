// From a figure's gnuplot commands to an image, through the gnuplot program.
#pragma once

#include <string>

namespace hyseq::results {

/// A figure is a function of stored results alone: its data blocks and the commands that draw them.
struct Figure {
  std::string name;     // "budgets-4.3": letters, digits, '.', '-'
  std::string title;    // for a heading beside it
  std::string caption;  // what is drawn, what its lines and markers mean
  int width = 0;        // in CSS pixels (1/96 inch)
  int height = 0;
  std::string data;      // gnuplot data blocks, each `$name << end`
  std::string commands;  // everything but the terminal and the output
};

enum class ImageFormat { svg, pdf, png };

/// By the ending of the path; throws InputError where it is none of .svg, .pdf, .png.
[[nodiscard]] ImageFormat image_format(const std::string& path);

/// A complete script: `gnuplot FILE` in an empty folder draws the figure to `output`.
[[nodiscard]] std::string script(const Figure& figure, ImageFormat format, const std::string& output);

/// Draws to `path` and leaves the script with its data beside it as `<path>.gnuplot`; both appear whole or not at all.
/// Throws InputError for an unknown ending, EnvironmentError where gnuplot is missing or fails or the folder cannot be
/// written.
void render(const Figure& figure, const std::string& path);

/// The figure as the text of an SVG document.
[[nodiscard]] std::string render_svg(const Figure& figure);

}  // namespace hyseq::results
