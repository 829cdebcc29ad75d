#include <algorithm>
#include <map>
#include <set>

#include "results/report/sections.hpp"
#include "results/report/wording.hpp"

namespace hyseq::results {
namespace {

constexpr const char* kVerdicts[] = {"certified", "refuted as printed", "not shown"};

std::map<std::string, int> count_verdicts(const std::vector<Certificate>& certificates,
                                          const std::string& theorem = "") {
  std::map<std::string, int> counts;
  for (const Certificate& certificate : certificates)
    if (theorem.empty() || certificate.theorem == theorem) ++counts[certificate.verdict];
  return counts;
}

/// "24 certified, 2 not shown"
std::string counted(const std::map<std::string, int>& counts) {
  std::string text;
  for (const char* verdict : kVerdicts)
    if (const auto found = counts.find(verdict); found != counts.end())
      text += (text.empty() ? "" : ", ") + std::to_string(found->second) + " " + verdict;
  return text;
}

/// Which levels of the theorem have a certificate with that verdict.
std::string levels_with(const std::vector<Certificate>& certificates, const std::string& theorem,
                        const std::string& verdict) {
  std::vector<std::string> levels;
  for (const Certificate& c : certificates)
    if (c.theorem == theorem && c.verdict == verdict &&
        std::find(levels.begin(), levels.end(), c.level) == levels.end())
      levels.push_back(c.level);
  std::string text;
  for (const std::string& level : levels) text += (text.empty() ? "" : ", ") + level;
  return text;
}

std::string theorem_card(const std::vector<Certificate>& certificates, const std::string& theorem) {
  const TheoremWords words = theorem_words(theorem);
  std::string html = "<a class=\"card\" href=\"#theorem-" + escape_html(theorem) + "\">\n<div class=\"number\">" +
                     escape_html(theorem_name(theorem)) + "</div>\n<div class=\"card-title\">" +
                     escape_html(words.title) + "</div>\n<p>" + escape_html(words.statement) +
                     "</p>\n<ul class=\"counts\">\n";
  const std::map<std::string, int> counts = count_verdicts(certificates, theorem);
  for (const char* verdict : kVerdicts)
    if (const auto found = counts.find(verdict); found != counts.end())
      html += "<li>" + verdict_badge(verdict) + " × " + std::to_string(found->second) + " <span class=\"muted\">" +
              escape_html(levels_with(certificates, theorem, verdict)) + "</span></li>\n";
  return html + "</ul>\n</a>\n";
}

/// The class names the column, so that narrow screens can lay the row out anew.
std::string cell(const char* style_class, const std::string& html) {
  return std::string("<td class=\"") + style_class + "\">" + html + "</td>";
}

}  // namespace

std::string certificate_anchor(std::size_t index) { return "certificate-" + std::to_string(index + 1); }

std::string verdict_badge(const std::string& verdict) {
  const VerdictWords words = verdict_words(verdict);
  return "<span class=\"badge " + words.style_class + "\"><span aria-hidden=\"true\">" + words.symbol + "</span> " +
         escape_html(verdict) + "</span>";
}

std::string summary_section(const std::vector<Certificate>& certificates) {
  std::string html =
      "<header>\n<p class=\"wordmark\">hyseq</p>\n<h1>Which hybrid sequence models are certified</h1>\n<p "
      "class=\"lead\">";
  if (certificates.empty()) {
    return html +
           "The store holds no certificate yet. Make one with <code>hyseq verify all --store DIR</code>, then run "
           "<code>hyseq report</code> again.</p>\n</header>\n";
  }
  double seconds = 0;
  std::vector<std::string> theorems;
  for (const Certificate& c : certificates) {
    seconds += c.seconds;
    if (std::find(theorems.begin(), theorems.end(), c.theorem) == theorems.end()) theorems.push_back(c.theorem);
  }
  html += "<strong>" + std::to_string(certificates.size()) +
          (certificates.size() == 1 ? " certificate: " : " certificates: ") +
          escape_html(counted(count_verdicts(certificates))) +
          ".</strong> Constructions are explicit weights, run through the same model code that is trained; lower "
          "bounds hold "
          "for every model of a kind. All of it took " +
          duration_words(seconds) + ".</p>\n</header>\n<div class=\"cards\">\n";
  for (const std::string& theorem : theorems) html += theorem_card(certificates, theorem);
  return html + "</div>\n";
}

std::string verdict_table(const std::vector<Certificate>& certificates) {
  if (certificates.empty()) return "";
  std::string html =
      "<section id=\"verdicts\">\n<h2>Verdicts</h2>\n<table "
      "class=\"verdicts\">\n<thead><tr><th>Theorem</th><th>Level</th>"
      "<th>Parameters</th><th>Numbers</th><th>Verdict</th><th>Scope</th><th class=\"right\">Time</th></tr></thead>\n"
      "<tbody>\n";
  for (std::size_t i = 0; i < certificates.size(); ++i) {
    const Certificate& c = certificates[i];
    const std::string kind = theorem_name(c.theorem).substr(0, theorem_name(c.theorem).find(' '));
    html += "<tr><td class=\"theorem\" data-kind=\"" + kind + "\"><a href=\"#" + certificate_anchor(i) + "\">" +
            escape_html(c.theorem) + "</a></td>" + cell("level", escape_html(c.level)) +
            cell("parameters", escape_html(parameter_words(c.parameters))) + cell("numbers", escape_html(c.number)) +
            cell("verdict", verdict_badge(c.verdict)) + cell("scope", escape_html(c.scope)) +
            cell("right", duration_words(c.seconds)) + "</tr>\n";
  }
  return html + "</tbody>\n</table>\n</section>\n";
}

std::string glossary_section(const std::vector<Certificate>& certificates) {
  std::string html =
      "<section id=\"meaning\">\n<h2>What the words mean</h2>\n<dl class=\"glossary\">\n<dt>" +
      verdict_badge("certified") +
      "</dt><dd>Every check passed, for the inputs and in the arithmetic that the scope names.</dd>\n<dt>" +
      verdict_badge("refuted as printed") +
      "</dt><dd>The statement fails as it is printed; a corrected form is given and checked.</dd>\n<dt>" +
      verdict_badge("not shown") +
      "</dt><dd>At least one check did not pass, or had nothing to check; nothing is claimed, and the figures are "
      "shown.</dd>\n";
  std::set<std::string> seen;
  for (const Certificate& certificate : certificates)
    for (const Check& check : certificate.checks)
      if (const std::string words = check_words(check.name); !words.empty() && seen.insert(check.name).second)
        html += "<dt>" + escape_html(key_words(check.name)) + "</dt><dd>" + words + "</dd>\n";
  for (const Certificate& certificate : certificates)
    if (const std::string words = level_words(certificate.level);
        !words.empty() && seen.insert("level " + certificate.level).second)
      html += "<dt>" + escape_html(key_words(certificate.level)) + "</dt><dd>" + words + "</dd>\n";
  return html + "</dl>\n</section>\n";
}

std::string about_section() {
  return "<section id=\"cite\">\n<h2>How to cite</h2>\n<p>The theorems are those of Cooper, Diakonikolas, Ma and Sala, "
         "<a href=\"https://arxiv.org/abs/2603.08859\"><cite>Expressivity-Efficiency Tradeoffs for Hybrid Sequence "
         "Models</cite></a>, ICML 2026, arXiv 2603.08859. Please cite the paper for the theorems and name hyseq with "
         "its "
         "version for the certificates.</p>\n<pre><code>"
         "@inproceedings{cooper2026expressivity,\n"
         "  title     = {Expressivity-Efficiency Tradeoffs for Hybrid Sequence Models},\n"
         "  author    = {Cooper and Diakonikolas and Ma and Sala},\n"
         "  booktitle = {International Conference on Machine Learning (ICML)},\n"
         "  year      = {2026},\n"
         "  note      = {arXiv:2603.08859}\n"
         "}</code></pre>\n</section>\n<footer>Made by hyseq " HYSEQ_VERSION
         ". This page is complete in itself: it loads nothing.</footer>\n";
}

}  // namespace hyseq::results
