// Reading and writing the fields of a JSON object, so that one list of fields serves both directions and neither can
// forget one:
//
//   template <class Direction, class Options>
//   void fields(Direction& json, Options& options) { json.field("steps", options.steps); ... }
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "kernels/base/error.hpp"

namespace hyseq::models {

/// The values of an enumeration with their names in JSON; specialised beside the fields that use it.
template <class Enum>
using EnumNames = std::vector<std::pair<Enum, const char*>>;
template <class Enum>
[[nodiscard]] const EnumNames<Enum>& enum_names();

/// One object being read. Fields left out keep their values; remembers which fields were asked for, so that `finish`
/// can refuse the others. Everything wrong is an InputError that begins with `place`.
class JsonReading {
 public:
  JsonReading(const nlohmann::ordered_json& object, std::string place) : object_(object), place_(std::move(place)) {
    if (!object.is_object()) fail("must be an object");
  }

  template <std::integral T>
  void field(const char* key, T& value) {
    const nlohmann::ordered_json* found = find(key);
    if (found == nullptr) return;
    const bool fits = found->is_number_unsigned()
                          ? std::in_range<T>(found->get<std::uint64_t>())
                          : found->is_number_integer() && std::in_range<T>(found->get<std::int64_t>());
    if (!fits) fail(std::string(key) + " must be an integer");
    value = found->get<T>();
  }
  void field(const char* key, bool& value) {
    const nlohmann::ordered_json* found = find(key);
    if (found == nullptr) return;
    if (!found->is_boolean()) fail(std::string(key) + " must be true or false");
    value = found->get<bool>();
  }
  void field(const char* key, double& value) {
    const nlohmann::ordered_json* found = find(key);
    if (found == nullptr) return;
    if (!found->is_number()) fail(std::string(key) + " must be a number");
    value = found->get<double>();
  }
  void field(const char* key, std::string& value) {
    const nlohmann::ordered_json* found = find(key);
    if (found == nullptr) return;
    if (!found->is_string()) fail(std::string(key) + " must be a text");
    value = found->get<std::string>();
  }
  template <class Enum>
  requires std::is_enum_v<Enum>
  void field(const char* key, Enum& value) {
    const nlohmann::ordered_json* found = find(key);
    if (found == nullptr) return;
    std::string allowed;
    for (const auto& [each, text] : enum_names<Enum>()) {
      if (*found == text) {
        value = each;
        return;
      }
      allowed += (allowed.empty() ? "" : ", ") + std::string(text);
    }
    fail(std::string(key) + " is " + found->dump() + "; allowed are " + allowed);
  }

  /// The value of a field that is read by other means, or nullptr.
  [[nodiscard]] const nlohmann::ordered_json* find(const char* key) {
    asked_.insert(key);
    const auto found = object_.find(key);
    return found == object_.end() ? nullptr : &*found;
  }
  void finish() const {
    for (const auto& [key, unused] : object_.items()) {
      if (!asked_.contains(key)) fail("'" + key + "' is not a known field");
    }
  }
  [[noreturn]] void fail(const std::string& what) const { throw InputError(place_ + ": " + what); }

 private:
  const nlohmann::ordered_json& object_;
  std::string place_;
  std::set<std::string> asked_;
};

/// One object being written.
class JsonWriting {
 public:
  explicit JsonWriting(nlohmann::ordered_json& object) : object_(object) {}

  template <class T>
  void field(const char* key, const T& value) {
    if constexpr (std::is_enum_v<T>) {
      for (const auto& [each, text] : enum_names<T>()) {
        if (each == value) object_[key] = text;
      }
    } else {
      object_[key] = value;
    }
  }

 private:
  nlohmann::ordered_json& object_;
};

}  // namespace hyseq::models
