#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "results/figures/plotting.hpp"
#include "results/report/sections.hpp"
#include "results/report/wording.hpp"

namespace hyseq::results {
namespace {

std::string labelled(const std::string& label, const std::string& html) {
  return "<div><dt>" + escape_html(label) + "</dt><dd>" + html + "</dd></div>\n";
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// A table; heads that begin with '>' stand over columns of numbers.
std::string table(const std::vector<std::string>& heads, const std::string& rows) {
  std::string html = "<div class=\"scroll\"><table>\n<thead><tr>";
  for (const std::string& head : heads)
    html += head[0] == '>' ? "<th class=\"right\">" + escape_html(head.substr(1)) + "</th>"
                           : "<th>" + escape_html(head) + "</th>";
  return html + "</tr></thead>\n<tbody>\n" + rows + "</tbody>\n</table></div>\n";
}

/// Lists of records that no figure draws (streams, the table of windows): a row each, the first record's keys as heads.
std::string record_tables(const Json& figures) {
  constexpr std::array drawn{"series", "grid", "curve", "controls", "largest_holding_by_number"};
  std::string html;
  for (const auto& [key, list] : figures.items()) {
    if (!list.is_array() || list.empty() || !list.front().is_object()) continue;
    if (std::find(drawn.begin(), drawn.end(), key) != drawn.end()) continue;
    std::vector<std::string> heads;
    for (const auto& [head, value] : list.front().items())
      heads.push_back((value.is_number() ? ">" : "") + key_words(head));
    std::string rows;
    for (const Json& record : list) {
      rows += "<tr>";
      for (const auto& [head, value] : record.items())
        rows += (value.is_number() ? "<td class=\"right\">" : "<td>") + value_html(value) + "</td>";
      rows += "</tr>\n";
    }
    html += table(heads, rows);
  }
  return html;
}

/// The figures of a check that fit a line; tables and plots show the rest.
std::string key_figures(const Json& figures, const std::vector<std::string>& shown_elsewhere) {
  std::string html;
  for (const auto& [key, value] : figures.items()) {
    bool skip = value.is_array() && !value.empty() && value.front().is_structured();
    for (const std::string& prefix : shown_elsewhere) skip = skip || key == prefix || key == prefix + "_bound";
    // A reason belongs to the null beside it.
    if (ends_with(key, "_reason") && figures.contains(key.substr(0, key.size() - 7))) skip = true;
    if (skip) continue;
    std::string text = value_html(value);
    if (const std::string reason = text_of(figures, key + "_reason"); value.is_null() && !reason.empty())
      text = escape_html(reason);
    if (ends_with(key, "seconds") && !ends_with(key, "per_core_second") && value.is_number())
      text = duration_words(value.get<double>());
    html += labelled(key_words(key), text);
  }
  return (html.empty() ? "" : "<dl class=\"figures\">\n" + html + "</dl>\n") + record_tables(figures);
}

/// Fitted exponents mean little beyond the second decimal, and a fit of a constant gives residue of rounding.
std::string exponent_html(const Json& exponent) {
  return exponent.is_number() ? value_html(std::round(100 * exponent.get<double>()) / 100 + 0.0) : value_html(exponent);
}

/// What became of a control: a fault must be caught, and the construction without a fault must not be.
std::string outcome_html(const Json& control) {
  const std::string caught_by = text_of(control, "caught_by");
  if (!flag(control, "caught")) return "<strong>not as it should be</strong>";
  return caught_by.empty() ? "passes every check, as it should" : "caught by " + escape_html(caught_by);
}

/// A quantity's value and bound, either as members "width" and "width_bound" or as {"value": ..., "bound": ...}.
std::string budgets_html(const Json& figures) {
  constexpr std::array quantities{"width", "nonzero_parameters", "states", "window", "working_memory_bits"};
  const Json growth = figures.contains("growth") ? figures["growth"] : Json::object();
  const auto member = [](const Json& object, const char* key) {
    return object.is_object() && object.contains(key) ? value_html(object[key]) : std::string();
  };
  std::string rows;
  std::vector<std::string> used{"growth"};
  for (const char* quantity : quantities) {
    if (!figures.contains(quantity)) continue;
    used.emplace_back(quantity);
    const Json& value = figures[quantity];
    const std::string bound_key = std::string(quantity) + "_bound";
    const std::string bound = value.is_object() ? member(value, "bound") : member(figures, bound_key.c_str());
    rows += "<tr><td>" + key_words(quantity) + "</td><td class=\"right\">" +
            (value.is_object() ? member(value, "value") : value_html(value)) + "</td><td class=\"right\">" + bound +
            "</td></tr>\n";
  }
  const std::string head = rows.empty() ? "" : table({"Quantity", ">Built", ">Allowed"}, rows);
  std::string exponents;
  for (const auto& [name, exponent] : growth.items())
    exponents += "<tr><td>" + escape_html(key_words(name)) + "</td><td class=\"right\">" + exponent_html(exponent) +
                 "</td></tr>\n";
  return head + key_figures(figures, used) +
         (exponents.empty() ? "" : table({"Growth", ">Fitted exponent"}, exponents));
}

std::string controls_html(const Json& figures) {
  std::string rows;
  for (const Json& control : array_of(figures, "controls")) {
    rows += "<tr><td>" + escape_html(text_of(control, "name")) + "</td><td>" + outcome_html(control) +
            "</td><td><code>" + escape_html(text_of(control, "counterexample")) + "</code></td></tr>\n";
  }
  return (rows.empty() ? "" : table({"What was broken", "Outcome", "Counterexample"}, rows)) + key_figures(figures, {});
}

/// {"distances": 1024, "at_least": true, "predicted": 4096} in two texts: what was found and what was predicted.
std::pair<std::string, std::string> limit_html(const Json& entry) {
  const bool bits = entry.is_object() && entry.contains("bits");
  const auto number = [](double value) { return std::isfinite(value) ? readable(value) : std::string("none"); };
  return {std::string(flag(entry, "at_least") ? "at least " : "") + (bits ? "b = " : "N = ") +
              number(number_or(entry, bits ? "bits" : "distances")),
          number(number_or(entry, "predicted"))};
}

std::string margins_html(const Json& figures) {
  std::string rows;
  for (const Json& entry : array_of(figures, "largest_holding_by_number")) {
    const auto [found, predicted] = limit_html(entry);
    rows += "<tr><td>" + escape_html(text_of(entry, "number")) + "</td><td class=\"right\">" + found +
            "</td><td class=\"right\">" + predicted + "</td></tr>\n";
  }
  Json shown = figures;
  if (const auto largest = shown.find("largest_holding"); largest != shown.end() && largest->is_object()) {
    const auto [found, predicted] = limit_html(*largest);
    *largest = found + ", predicted " + predicted;
  }
  return key_figures(shown, {}) + (rows.empty() ? "" : table({"Numbers", ">Largest that holds", ">Predicted"}, rows));
}

std::string check_html(const Check& check) {
  const std::string kind = check.empty ? "empty" : check.passed ? "passed" : "failed";
  std::string html = "<div class=\"check " + kind + "\">\n<h4><span class=\"mark\">" +
                     (check.empty    ? "–"
                      : check.passed ? "✓"
                                     : "✗") +
                     "</span> " + escape_html(key_words(check.name)) + " <span class=\"muted\">" +
                     outcome_words(check) + "</span></h4>\n<p>" +
                     escape_html(check.meaning.empty() ? check_words(check.name) : check.meaning) + "</p>\n";
  if (check.name == "budgets") {
    html += budgets_html(check.figures);
  } else if (check.name == "controls") {
    html += controls_html(check.figures);
  } else if (check.name == "margins") {
    html += margins_html(check.figures);
  } else {
    html += key_figures(check.figures, {});
  }
  return html + "</div>\n";
}

}  // namespace

std::string certificate_details(const Certificate& certificate, const std::string& id, bool open) {
  std::string html = "<details class=\"certificate\" id=\"" + id + "\"" + (open ? " open" : "") + ">\n<summary>" +
                     verdict_badge(certificate.verdict) + " <span class=\"what\">" + escape_html(certificate.level) +
                     " · " + escape_html(certificate.number) + " · " +
                     escape_html(parameter_words(certificate.parameters)) +
                     "</span></summary>\n<p><strong>Scope:</strong> " + escape_html(certificate.scope) + "</p>\n";
  if (!certificate.command.empty())
    html += "<p class=\"rerun\">Run it again (" + duration_words(certificate.seconds) + "):</p>\n<pre><code>" +
            escape_html(certificate.command) + "</code></pre>\n";
  for (const Check& check : certificate.checks) html += check_html(check);
  return html + "</details>\n";
}

}  // namespace hyseq::results
