// A sweep as data: a TOML file (format: trainers/presets/README.md) read into a grid of points, each with the runs that
// calibrate it and the final runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "trainers/configuration.hpp"

namespace hyseq::trainers {

/// What a calibration chooses for a point.
struct Choice {
  double rate = 0;
  std::size_t setting = 0;  // 0: the point as it stands; k: its alternative k - 1
};

/// Another setting that a point's calibration may choose, with as many parameters as the point itself.
struct Alternative {
  std::string name;
  RunConfiguration calibration_run;  // but for seed and learning rate
  RunConfiguration final_run;        // likewise
};

/// One setting of the grid, or a control of one.
struct Point {
  std::string control;            // name of the control; "" for a point of the grid
  nlohmann::ordered_json axes;    // {"model.layers": "SSM,TF", "model.width": 8}, in the order of the preset
  std::string layers;             // "SSM,TF"
  int width = 0;                  // of the model
  std::int64_t parameters = 0;    // of the model
  std::size_t calibrated_by = 0;  // index of the point whose calibration counts: its own, or a control's subject
  std::vector<double> rates;      // tried in the calibration; empty: none, and `final_run` has the rate
  std::vector<std::uint64_t> calibration_seeds;
  std::vector<std::uint64_t> seeds;
  RunConfiguration calibration_run;  // but for seed and learning rate; meaningful where there are rates
  RunConfiguration final_run;        // likewise
  std::vector<Alternative> alternatives;

  /// All that the calibration tries: every rate of the point as it stands, then of each alternative; none where there
  /// are no rates.
  [[nodiscard]] std::vector<Choice> choices() const;
  /// What holds without calibration.
  [[nodiscard]] Choice uncalibrated() const { return {final_run.optimiser.learning_rate, 0}; }
  [[nodiscard]] const RunConfiguration& final_of(std::size_t setting) const;
  [[nodiscard]] RunConfiguration calibration(const Choice& choice, std::uint64_t seed) const;
  [[nodiscard]] RunConfiguration final(const Choice& choice, std::uint64_t seed) const;
};

struct Preset {
  std::string name;   // "fig4", or the file's name without extension
  std::string scale;  // "published"
  std::string title;
  std::vector<Point> points;  // those of the grid in the order of the preset, then the controls
};

/// "" for the point as it stands, else the alternative's name.
[[nodiscard]] const std::string& setting_name(const Point& point, std::size_t setting);

/// For people: "SSM,TF d=8", with the values of further axes and the control's name.
[[nodiscard]] std::string label(const Point& point);

/// Names of the presets that are part of the program.
[[nodiscard]] std::vector<std::string> preset_names();

/// `name_or_file` is one of `preset_names` or a path that ends in .toml. `scale` is "published" (the file as it stands)
/// or one of its [scale.NAME] tables. InputError with file, line and key for everything that does not fit: unknown keys
/// and scales, calibration seeds among the final ones, controls and settings that match no point, values that no run
/// can have.
[[nodiscard]] Preset load_preset(const std::string& name_or_file, const std::string& scale);

/// The same from a text; `file` is what messages call it.
[[nodiscard]] Preset parse_preset(const std::string& text, const std::string& file, const std::string& scale);

}  // namespace hyseq::trainers
