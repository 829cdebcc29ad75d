// From a preset's seeds, grid, calibration and controls to its points.
#pragma once

#include <vector>

#include "trainers/sweep/document.hpp"
#include "trainers/sweep/preset.hpp"

namespace hyseq::trainers {

/// The points of the grid in the order of the document, then the controls. The document's scale is chosen already; keys
/// of its root that have nothing to do with points are not looked at. InputError as load_preset.
[[nodiscard]] std::vector<Point> expand(const Document& document);

}  // namespace hyseq::trainers
