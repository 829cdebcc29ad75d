#include "trainers/sweep/document.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <toml++/toml.h>

#include "kernels/base/error.hpp"

namespace hyseq::trainers {
namespace {

using Json = nlohmann::ordered_json;
using Pointer = Json::json_pointer;

class Converter {
 public:
  Converter(const std::string& file, std::map<std::string, std::size_t>& lines) : file_(file), lines_(lines) {}

  Json table(const toml::table& table, const std::string& path) {
    using Entry = std::pair<std::string, const toml::node*>;
    std::vector<Entry> entries;
    for (const auto& [key, node] : table) entries.emplace_back(std::string(key.str()), &node);
    // toml++ sorts by name; people expect axes in the order in which they wrote them.
    std::ranges::stable_sort(entries, {}, [](const Entry& entry) {
      const toml::source_position begin = entry.second->source().begin;
      return std::pair(begin.line, begin.column);
    });
    Json json = Json::object();
    for (const auto& [key, node] : entries) json[key] = value(*node, Document::child(path, key));
    return json;
  }

 private:
  Json value(const toml::node& node, const std::string& path) {
    lines_[path] = node.source().begin.line;
    if (const auto* inner = node.as_table()) return table(*inner, path);
    if (const auto* array = node.as_array()) {
      Json json = Json::array();
      for (const toml::node& element : *array)
        json.push_back(value(element, Document::child(path, std::to_string(json.size()))));
      return json;
    }
    if (const auto* text = node.as_string()) return text->get();
    if (const auto* integer = node.as_integer()) return integer->get();
    if (const auto* flag = node.as_boolean()) return flag->get();
    if (const auto* real = node.as_floating_point(); real != nullptr && std::isfinite(real->get())) return real->get();
    throw InputError(file_ + ", line " + std::to_string(lines_[path]) + ": " + dotted(path) +
                     " is a date or not finite, allowed are texts, integers, finite numbers, true and false");
  }

  const std::string& file_;
  std::map<std::string, std::size_t>& lines_;
};

bool within(const std::string& path, const std::string& outer) {
  return path.starts_with(outer) && (path.size() == outer.size() || path[outer.size()] == '/');
}

}  // namespace

Document::Document(const std::string& text, std::string file) : file_(std::move(file)) {
  try {
    const toml::table table = toml::parse(text);
    root_ = Converter(file_, lines_).table(table, "");
  } catch (const toml::parse_error& error) {
    throw InputError(file_ + ", line " + std::to_string(error.source().begin.line) + ": " +
                     std::string(error.description()));
  }
}

const Json* Document::find(const std::string& path) const {
  const Pointer pointer(path);
  return root_.contains(pointer) ? &root_.at(pointer) : nullptr;
}

std::string Document::place(const std::string& path) const {
  for (std::string outer = path; !outer.empty(); outer.resize(outer.rfind('/')))
    if (const auto found = lines_.find(outer); found != lines_.end())
      return file_ + ", line " + std::to_string(found->second);
  return file_;
}

void Document::erase_lines(const std::string& path) {
  std::erase_if(lines_, [&](const auto& line) { return within(line.first, path); });
}

void Document::erase(const std::string& path) {
  if (find(path) == nullptr) return;
  const Pointer pointer(path);
  Json& parent = root_.at(pointer.parent_pointer());
  if (parent.is_object()) parent.erase(pointer.back());
  erase_lines(path);
}

void Document::overlay(const std::string& from, const std::string& to) {
  const Json* found = find(from);
  if (found == nullptr) return;
  const Json source = *found;  // a copy: writing below may move what it points to
  const Json* target = find(to);
  if (source.is_object() && target != nullptr && target->is_object()) {
    for (const auto& [key, value] : source.items()) overlay(child(from, key), child(to, key));
    return;
  }
  erase_lines(to);
  std::map<std::string, std::size_t> moved;
  for (const auto& [path, line] : lines_)
    if (within(path, from)) moved[to + path.substr(from.size())] = line;
  lines_.merge(moved);
  root_[Pointer(to)] = source;
}

std::string Document::child(const std::string& path, const std::string& key) {
  return (Pointer(path) / key).to_string();
}

std::string dotted(const std::string& path) {
  std::string text = path.empty() ? path : path.substr(1);
  std::ranges::replace(text, '/', '.');
  return text;
}

}  // namespace hyseq::trainers
