// What the figures of learned models share: styles of families, an axis of parameter counts, dots that do not cover
// each other.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "results/figures/accuracy.hpp"
#include "results/figures/plotting.hpp"

namespace hyseq::results {

/// Marker, dash and colour of a family. The four orders of two layers always look the same; other texts take the
/// remaining styles in the order of `all`, in which `layers` stands.
[[nodiscard]] Style family_style(const std::string& layers, const std::vector<std::string>& all);

/// A colour with opacity 0 .. 1, as gnuplot reads it.
[[nodiscard]] std::string faded(const std::string& colour, double opacity);

/// A logarithmic axis with labels like 500, 1,000, 2,000. At most `labels` of them.
[[nodiscard]] std::string log10_axis(const std::string& axis, Range range, int labels, bool show_labels);

/// Offsets, in the unit of `values`, at which dots of the given diameter do not cover each other: a dot is shifted as
/// little as possible, and never further than `limit`, within which too many dots move closer together. The same values
/// in any order get the same picture.
[[nodiscard]] std::vector<double> swarm(const std::vector<double>& values, double diameter, double limit);

/// What an accuracy figure shows, in sentences; whether values of the paper and of the audit are among it.
[[nodiscard]] std::string accuracy_caption(const AccuracyPlot& plot, bool published, bool audit);

/// Sets a text at a place of the figure, in pixels from its lower left corner.
[[nodiscard]] std::string text_at(const std::string& text, double x, double y, const std::string& how, int figure_width,
                                  int figure_height);

/// The texts that `text_at` put into `labels`, drawn as a plot with nothing else.
[[nodiscard]] std::string texts_only(const std::string& labels, int figure_width, int figure_height);

}  // namespace hyseq::results
