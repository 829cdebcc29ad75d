#include "results/certificate.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "kernels/base/error.hpp"

namespace hyseq::results {
namespace {

bool is_finite(const Json& value) { return !value.is_number_float() || std::isfinite(value.get<double>()); }

const char* reason(double value) {
  if (std::isnan(value)) return "not a number";
  return value > 0 ? "infinite" : "minus infinite";
}

/// A required member of a stored certificate, as the type asked for.
template <class T>
T member(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) throw InputError(std::string("a certificate lacks the field \"") + key + "\"");
  try {
    return found->get<T>();
  } catch (const Json::exception&) {
    throw InputError(std::string("a certificate's field \"") + key + "\" is " + found->type_name() +
                     ", which is not what that field holds");
  }
}

bool is_own_key(const std::string& key) {
  return key == "name" || key == "passed" || key == "empty" || key == "meaning";
}

Json check_to_json(const Check& check) {
  Json json{{"name", check.name}, {"passed", check.passed}};
  if (check.empty) json["empty"] = true;
  json["meaning"] = check.meaning;
  for (const auto& [key, value] : check.figures.items()) {
    if (is_own_key(key)) throw std::invalid_argument("check " + check.name + ": the key \"" + key + "\" is taken");
    json[key] = value;
  }
  return json;
}

Check check_from_json(const Json& json) {
  if (!json.is_object()) throw InputError("a certificate's field \"checks\" holds something that is not an object");
  Check check;
  check.name = member<std::string>(json, "name");
  check.passed = member<bool>(json, "passed");
  if (json.contains("empty")) check.empty = member<bool>(json, "empty");
  check.meaning = json.contains("meaning") ? member<std::string>(json, "meaning") : std::string();
  for (const auto& [key, value] : json.items())
    if (!is_own_key(key)) check.figures[key] = value;
  return check;
}

}  // namespace

std::string outcome_words(const Check& check) {
  if (check.empty) return "nothing to check";
  return check.passed ? "passed" : "did not pass";
}

Json strict(const Json& value) {
  if (value.is_object()) {
    Json out = Json::object();
    for (const auto& [key, item] : value.items()) {
      out[key] = strict(item);
      if (!is_finite(item)) out[key + "_reason"] = reason(item.get<double>());
    }
    return out;
  }
  if (value.is_array()) {
    Json out = Json::array();
    for (const Json& item : value) out.push_back(strict(item));
    return out;
  }
  return is_finite(value) ? value : Json(nullptr);
}

std::string strict_text(const Json& value) {
  return strict(value).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json to_json(const Certificate& certificate) {
  Json checks = Json::array();
  for (const Check& check : certificate.checks) checks.push_back(check_to_json(check));
  return strict(Json{{"theorem", certificate.theorem},
                     {"level", certificate.level},
                     {"number", certificate.number},
                     {"parameters", certificate.parameters},
                     {"verdict", certificate.verdict},
                     {"scope", certificate.scope},
                     {"checks", checks},
                     {"seconds", certificate.seconds},
                     {"command", certificate.command}});
}

Certificate certificate_from_json(const Json& json) {
  if (!json.is_object()) throw InputError("a certificate must be a JSON object, not " + std::string(json.type_name()));
  Certificate certificate;
  certificate.theorem = member<std::string>(json, "theorem");
  certificate.level = member<std::string>(json, "level");
  certificate.number = member<std::string>(json, "number");
  certificate.parameters = member<Json>(json, "parameters");
  certificate.verdict = member<std::string>(json, "verdict");
  certificate.scope = member<std::string>(json, "scope");
  for (const Json& check : member<Json>(json, "checks")) certificate.checks.push_back(check_from_json(check));
  // A time that was not finite was written as null; it reads back as "unknown", which is 0.
  if (json.contains("seconds") && !json["seconds"].is_null()) certificate.seconds = member<double>(json, "seconds");
  if (json.contains("command")) certificate.command = member<std::string>(json, "command");
  return certificate;
}

const Check* find_check(const Certificate& certificate, const std::string& name) {
  const auto found = std::find_if(certificate.checks.begin(), certificate.checks.end(),
                                  [&](const Check& check) { return check.name == name; });
  return found == certificate.checks.end() ? nullptr : &*found;
}

}  // namespace hyseq::results
