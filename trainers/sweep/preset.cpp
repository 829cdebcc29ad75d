#include "trainers/sweep/preset.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "kernels/base/error.hpp"
#include "trainers/presets/builtin.hpp"
#include "trainers/sweep/document.hpp"
#include "trainers/sweep/expansion.hpp"
#include "trainers/sweep/settings.hpp"
#include "trainers/sweep/table.hpp"

namespace hyseq::trainers {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kPublished = "published";

/// Lays the tables of the scale over the rest.
void choose_scale(Document& document, const std::string& scale) {
  const Json* scales = document.find("/scale");
  std::string allowed = kPublished;
  if (scales != nullptr && scales->is_object())
    for (const auto& [name, table] : scales->items())
      if (name != kPublished) allowed += ", " + name;
  const std::string path = Document::child("/scale", scale);
  if (document.find(path) == nullptr && scale != kPublished)
    throw InputError(document.file() + ": there is no scale '" + scale + "', allowed are: " + allowed);
  document.overlay(path, "");
  document.erase("/scale");
}

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) throw InputError("the preset " + path + " cannot be read");
  return text.str();
}

}  // namespace

std::vector<Choice> Point::choices() const {
  std::vector<Choice> all;
  for (std::size_t setting = 0; setting <= alternatives.size(); ++setting)
    for (const double rate : rates) all.push_back({rate, setting});
  return all;
}

const RunConfiguration& Point::final_of(std::size_t setting) const {
  return setting == 0 ? final_run : alternatives.at(setting - 1).final_run;
}

RunConfiguration Point::calibration(const Choice& choice, std::uint64_t seed) const {
  RunConfiguration run = choice.setting == 0 ? calibration_run : alternatives.at(choice.setting - 1).calibration_run;
  run.optimiser.learning_rate = choice.rate;
  run.seed = seed;
  return run;
}

RunConfiguration Point::final(const Choice& choice, std::uint64_t seed) const {
  RunConfiguration run = final_of(choice.setting);
  run.optimiser.learning_rate = choice.rate;
  run.seed = seed;
  return run;
}

const std::string& setting_name(const Point& point, std::size_t setting) {
  static const std::string as_it_stands;
  return setting == 0 ? as_it_stands : point.alternatives.at(setting - 1).name;
}

std::string label(const Point& point) {
  std::string text = point.layers + " d=" + std::to_string(point.width);
  for (const auto& [axis, value] : point.axes.items())
    if (axis != "model.layers" && axis != "model.width")
      text += " " + axis + "=" + (value.is_string() ? value.get<std::string>() : value.dump());
  return point.control.empty() ? text : text + " (" + point.control + ")";
}

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const BuiltinPreset& preset : builtin_presets()) names.emplace_back(preset.name);
  return names;
}

Preset parse_preset(const std::string& text, const std::string& file, const std::string& scale) {
  Document document(text, file);
  choose_scale(document, scale);
  Preset preset;
  preset.name = std::filesystem::path(file).stem().string();
  preset.scale = scale;
  Table root(document, "");
  preset.title = root.text("title", preset.name);
  for (const char* key : {"seeds", "grid", "calibration", "control"}) root.find(key);
  for (const std::string_view section : kSections) root.find(std::string(section));
  root.finish();
  preset.points = expand(document);
  return preset;
}

Preset load_preset(const std::string& name_or_file, const std::string& scale) {
  std::string names;
  for (const BuiltinPreset& preset : builtin_presets()) {
    if (preset.name == name_or_file) return parse_preset(std::string(preset.text), name_or_file + ".toml", scale);
    names += std::string(preset.name) + ", ";
  }
  if (!name_or_file.ends_with(".toml"))
    throw InputError("there is no preset '" + name_or_file + "', allowed are: " + names +
                     "or the path of a .toml file");
  return parse_preset(read_file(name_or_file), name_or_file, scale);
}

}  // namespace hyseq::trainers
