#include "trainers/sweep/table.hpp"

#include <algorithm>

#include "kernels/base/error.hpp"
#include "kernels/base/number_text.hpp"

namespace hyseq::trainers {
namespace {

using Json = nlohmann::ordered_json;

std::string bounds(std::int64_t least, std::int64_t most) {
  return "from " + std::to_string(least) + " to " + std::to_string(most);
}

bool inside(const Json& value, std::int64_t least, std::int64_t most) {
  return value.is_number_integer() && value >= least && value <= most;
}

}  // namespace

bool parse_span(const std::string& text, std::int64_t& first, std::int64_t& last) {
  const std::size_t dots = text.find("..");
  return dots != std::string::npos && parse_number(text.substr(0, dots), first) &&
         parse_number(text.substr(dots + 2), last) && first <= last;
}

Table::Table(const Document& document, std::string path) : document_(document), path_(std::move(path)) {
  const Json* table = document_.find(path_);
  if (table != nullptr && !table->is_object())
    throw InputError(document_.place(path_) + ": " + dotted(path_) + " is " + table->dump() + ", allowed is a table");
}

const Json* Table::find(const std::string& key) {
  known_.push_back(key);
  return document_.find(path(key));
}

bool Table::has(const std::string& key) const { return document_.find(path(key)) != nullptr; }

void Table::refuse(const std::string& key, const std::string& allowed) const {
  const Json* value = document_.find(path(key));
  throw InputError(place(key) + ": " + dotted(path(key)) + " is " + (value == nullptr ? "missing" : value->dump()) +
                   ", allowed is " + allowed);
}

std::int64_t Table::integer(const std::string& key, std::int64_t fallback, std::int64_t least, std::int64_t most) {
  const Json* value = find(key);
  if (value == nullptr) return fallback;
  if (!inside(*value, least, most)) refuse(key, "an integer " + bounds(least, most));
  return value->get<std::int64_t>();
}

double Table::real(const std::string& key, double fallback, double least, double most) {
  const Json* value = find(key);
  if (value == nullptr) return fallback;
  if (!value->is_number() || *value < least || *value > most)
    refuse(key, "a number from " + plain_number(least) + " to " + plain_number(most));
  return value->get<double>();
}

bool Table::flag(const std::string& key, bool fallback) {
  const Json* value = find(key);
  if (value == nullptr) return fallback;
  if (!value->is_boolean()) refuse(key, "true or false");
  return value->get<bool>();
}

std::string Table::text(const std::string& key, const std::string& fallback) {
  const Json* value = find(key);
  if (value == nullptr) return fallback;
  if (!value->is_string()) refuse(key, "a text in quotes");
  return value->get<std::string>();
}

std::vector<double> Table::reals(const std::string& key, double least, double most) {
  const Json* value = find(key);
  if (value == nullptr) return {};
  const bool fits = value->is_array() && std::ranges::all_of(*value, [&](const Json& entry) {
                      return entry.is_number() && entry >= least && entry <= most;
                    });
  if (!fits) refuse(key, "a list of numbers from " + plain_number(least) + " to " + plain_number(most));
  return value->get<std::vector<double>>();
}

std::vector<std::int64_t> Table::integers(const std::string& key, std::int64_t least, std::int64_t most) {
  const Json* value = find(key);
  if (value == nullptr) return {};
  if (inside(*value, least, most)) return {value->get<std::int64_t>()};
  std::vector<std::int64_t> result;
  if (value->is_string()) {
    constexpr std::int64_t longest = 100000;  // a slip of the keyboard should not fill the memory
    std::int64_t first = 0;
    std::int64_t last = 0;
    if (parse_span(value->get<std::string>(), first, last) && first >= least && last <= most && last - first < longest)
      for (std::int64_t i = first; i <= last; ++i) result.push_back(i);
  } else if (value->is_array() &&
             std::ranges::all_of(*value, [&](const Json& entry) { return inside(entry, least, most); })) {
    result = value->get<std::vector<std::int64_t>>();
  }
  if (result.empty() && *value != Json::array())
    refuse(key, "an integer, a list of integers or a text like \"0..10\", " + bounds(least, most));
  return result;
}

tasks::LengthRange Table::range(const std::string& key, tasks::LengthRange fallback, std::int64_t most) {
  const Json* value = find(key);
  if (value == nullptr) return fallback;
  std::int64_t first = 0;
  std::int64_t last = 0;
  if (inside(*value, 1, most))
    first = last = value->get<std::int64_t>();
  else if (!value->is_string() || !parse_span(value->get<std::string>(), first, last) || first < 1 || last > most)
    refuse(key, "an integer or a text like \"20..50\", " + bounds(1, most));
  return {static_cast<std::size_t>(first), static_cast<std::size_t>(last)};
}

void Table::finish() const {
  const Json* table = document_.find(path_);
  if (table == nullptr) return;
  for (const auto& [key, value] : table->items()) {
    if (std::ranges::find(known_, key) != known_.end()) continue;
    std::string names;
    for (const std::string& name : known_) names += (names.empty() ? "" : ", ") + name;
    throw InputError(place(key) + ": there is no key '" + key + "'" + (path_.empty() ? "" : " in " + dotted(path_)) +
                     ", allowed are: " + names);
  }
}

}  // namespace hyseq::trainers
