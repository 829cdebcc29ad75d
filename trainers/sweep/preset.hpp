// A sweep as data: a TOML file (format: trainers/presets/README.md) read into a grid of points, each with the runs that
// calibrate its learning rate and the final runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "trainers/configuration.hpp"

namespace hyseq::trainers {

/// One setting of the grid, or a control of one.
struct Point {
  std::string control;            // name of the control; "" for a point of the grid
  nlohmann::ordered_json axes;    // {"model.layers": "SSM,TF", "model.width": 8}, in the order of the preset
  std::string layers;             // "SSM,TF"
  int width = 0;                  // of the model
  std::int64_t parameters = 0;    // of the model
  std::size_t calibrated_by = 0;  // index of the point whose calibration sets the rate: its own, or a control's subject
  std::vector<double> rates;      // tried in the calibration; empty: none, and `final_run` has the rate
  std::vector<std::uint64_t> calibration_seeds;
  std::vector<std::uint64_t> seeds;
  RunConfiguration calibration_run;  // but for seed and learning rate; meaningful where there are rates
  RunConfiguration final_run;        // likewise

  [[nodiscard]] RunConfiguration calibration(double rate, std::uint64_t seed) const;
  [[nodiscard]] RunConfiguration final(double rate, std::uint64_t seed) const;
};

struct Preset {
  std::string name;   // "fig4", or the file's name without extension
  std::string scale;  // "published"
  std::string title;
  std::vector<Point> points;  // those of the grid in the order of the preset, then the controls
};

/// For people: "SSM,TF d=8", with the values of further axes and the control's name.
[[nodiscard]] std::string label(const Point& point);

/// Names of the presets that are part of the program.
[[nodiscard]] std::vector<std::string> preset_names();

/// `name_or_file` is one of `preset_names` or a path that ends in .toml. `scale` is "published" (the file as it stands)
/// or one of its [scale.NAME] tables. InputError with file, line and key for everything that does not fit: unknown keys
/// and scales, calibration seeds among the final ones, controls that match no point, values that no run can have.
[[nodiscard]] Preset load_preset(const std::string& name_or_file, const std::string& scale);

/// The same from a text; `file` is what messages call it.
[[nodiscard]] Preset parse_preset(const std::string& text, const std::string& file, const std::string& scale);

}  // namespace hyseq::trainers
