// The text of a preset as a tree of values that knows on which line each of them stands.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include <nlohmann/json.hpp>

namespace hyseq::trainers {

/// Paths are JSON pointers: "/calibration/steps", "/grid/0/model/width"; "" is the whole document.
class Document {
 public:
  /// Reads TOML; keys keep the order of the text. InputError with file and line for text that is not TOML, for dates
  /// and for numbers that are not finite.
  Document(const std::string& text, std::string file);

  [[nodiscard]] const nlohmann::ordered_json& root() const { return root_; }
  [[nodiscard]] const std::string& file() const { return file_; }

  /// The value at `path`, or nullptr.
  [[nodiscard]] const nlohmann::ordered_json* find(const std::string& path) const;

  /// "fig4.toml, line 12": where `path` or the closest value around it stands.
  [[nodiscard]] std::string place(const std::string& path) const;

  /// Lays the value at `from` over the one at `to`: tables merge key by key, everything else is replaced whole and
  /// takes its line along. Nothing happens where there is no value at `from`.
  void overlay(const std::string& from, const std::string& to);

  void erase(const std::string& path);

  /// The path of `key` below `path`.
  [[nodiscard]] static std::string child(const std::string& path, const std::string& key);

 private:
  void erase_lines(const std::string& path);

  std::string file_;
  nlohmann::ordered_json root_ = nlohmann::ordered_json::object();
  std::map<std::string, std::size_t> lines_;
};

/// "model.width" for "/model/width": how paths are written to people.
[[nodiscard]] std::string dotted(const std::string& path);

}  // namespace hyseq::trainers
