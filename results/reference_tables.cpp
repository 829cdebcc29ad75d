#include "results/reference_tables.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <regex>

#include <toml++/toml.h>

#include "kernels/base/error.hpp"

namespace hyseq::results {
namespace {

struct Tables {
  const char* paper;
  const char* audit;
};

const std::map<std::string, Tables>& tables() {
  static const std::map<std::string, Tables> all{{"fig4", {"fig4_selective_copy", "fig4_audit"}},
                                                 {"fig6", {"fig6_mkar", "fig6_audit"}}};
  return all;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// Reads one table and names what it lacks.
class Reader {
 public:
  Reader(const toml::table& document, const std::string& file, const std::string& name)
      : table_(document[name].as_table()), place_(file + ", table " + name) {
    if (table_ == nullptr) throw InputError(file + " has no table " + name);
  }

  [[nodiscard]] const toml::table& table() const { return *table_; }
  [[nodiscard]] std::optional<double> number(const std::string& key) const { return (*table_)[key].value<double>(); }
  [[nodiscard]] std::string text(const std::string& key) const {
    const std::optional<std::string> value = (*table_)[key].value<std::string>();
    if (!value) refuse("the text '" + key + "' is missing");
    return *value;
  }
  [[nodiscard]] std::vector<double> numbers(const std::string& key, const toml::node& node) const {
    std::vector<double> values;
    const toml::array* array = node.as_array();
    if (array == nullptr) refuse("'" + key + "' is not a list of numbers");
    for (const toml::node& element : *array) {
      const std::optional<double> value = element.value<double>();
      if (!value) refuse("'" + key + "' is not a list of numbers");
      values.push_back(*value);
    }
    return values;
  }
  [[noreturn]] void refuse(const std::string& what) const { throw InputError(place_ + ": " + what); }

 private:
  const toml::table* table_;
  std::string place_;
};

bool is_layers(const std::string& key) {
  static const std::regex pattern("(TF|SSM)(,(TF|SSM))+");
  return std::regex_match(key, pattern);
}

/// "6x fewer parameters" -> 6.
double claimed_ratio(const Reader& reader, const std::string& claim) {
  static const std::regex pattern("([0-9]+(\\.[0-9]+)?)x fewer");
  std::smatch match;
  if (!std::regex_search(claim, match, pattern)) reader.refuse("the claim names no ratio like '6x fewer'");
  return std::stod(match[1]);
}

/// Keys of the audit's accuracies: "ssm_tf_2192" -> SSM,TF with 2,192 parameters.
std::optional<PublishedAccuracy> audit_point(const std::string& key, double accuracy) {
  static const std::regex pattern("((?:tf|ssm)(?:_(?:tf|ssm))+)_([0-9]{1,15})");
  std::smatch match;
  if (!std::regex_match(key, match, pattern)) return std::nullopt;
  std::string layers = match[1];
  for (char& c : layers) c = c == '_' ? ',' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return PublishedAccuracy{layers, std::stoll(match[2]), accuracy};
}

void read_reach(const Reader& reader, const std::string& key, const toml::table& families, ReferenceTable& result) {
  result.threshold = std::stod(key.substr(key.size() - 3)) / 100;  // ..._mean_090
  for (const auto& [layers, node] : families) {
    const std::string name(layers.str());
    PublishedReach reach{name, 0, std::nullopt};
    if (const std::optional<double> parameters = node.value<double>()) {
      reach.parameters = static_cast<std::int64_t>(*parameters);
    } else {
      const std::vector<double> pair = reader.numbers(key, node);
      if (pair.size() != 2) reader.refuse("'" + key + "' of " + name + " is not [parameters, mean accuracy]");
      reach.parameters = static_cast<std::int64_t>(pair[0]);
      reach.accuracy = pair[1];
      result.audit.push_back({name, reach.parameters, pair[1]});
    }
    result.audit_reach.push_back(reach);
  }
}

void read_paper(const Reader& reader, ReferenceTable& result) {
  result.setup = reader.text("setup");
  result.claim = reader.text("claim");
  result.ratio = claimed_ratio(reader, result.claim);
  const toml::node* sizes = reader.table().get("parameters");
  if (sizes == nullptr) reader.refuse("the list 'parameters' is missing");
  const std::vector<double> parameters = reader.numbers("parameters", *sizes);
  for (const auto& [key, node] : reader.table()) {
    const std::string layers(key.str());
    if (!is_layers(layers)) continue;
    const std::vector<double> accuracies = reader.numbers(layers, node);
    if (accuracies.size() != parameters.size())
      reader.refuse("'" + layers + "' has " + std::to_string(accuracies.size()) + " values for " +
                    std::to_string(parameters.size()) + " parameter counts");
    for (std::size_t i = 0; i < accuracies.size(); ++i)
      result.published.push_back({layers, static_cast<std::int64_t>(parameters[i]), accuracies[i]});
  }
}

void read_audit(const Reader& reader, ReferenceTable& result) {
  static const std::regex reach_key("first_width_with_mean_[0-9]{3}");
  result.audit_source = reader.text("source");
  result.audit_ratio = reader.number("ratio");
  result.audit_random_targets = reader.number("random_target_control");
  for (const auto& [key, node] : reader.table()) {
    const std::string name(key.str());
    if (std::regex_match(name, reach_key) && node.is_table())
      read_reach(reader, name, *node.as_table(), result);
    else if (const std::optional<double> value = node.value<double>())
      if (const auto point = audit_point(name, *value)) result.audit.push_back(*point);
  }
  if (result.audit_reach.empty()) reader.refuse("a table 'first_width_with_mean_...' is missing");
}

}  // namespace

const std::vector<std::string>& reference_figures() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const auto& [name, unused] : tables()) list.push_back(name);
    return list;
  }();
  return names;
}

ReferenceTable parse_reference_table(std::string_view text, const std::string& file, const std::string& figure) {
  const auto found = tables().find(figure);
  if (found == tables().end())
    throw InputError("there is no published table for the figure '" + figure +
                     "', allowed are: " + listed(reference_figures()));
  try {
    const toml::table document = toml::parse(text, file);
    ReferenceTable result;
    result.figure = figure;
    read_paper(Reader(document, file, found->second.paper), result);
    read_audit(Reader(document, file, found->second.audit), result);
    return result;
  } catch (const toml::parse_error& error) {
    throw InputError(file + ", line " + std::to_string(error.source().begin.line) + ": " +
                     std::string(error.description()));
  }
}

ReferenceTable reference_table(const std::string& figure) {
  return parse_reference_table(embedded_figures_toml(), "figures.toml", figure);
}

}  // namespace hyseq::results
