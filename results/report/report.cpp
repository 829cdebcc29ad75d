#include "results/report/report.hpp"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <stdlib.h>
#include <unistd.h>

#include "kernels/base/error.hpp"
#include "results/report/sections.hpp"
#include "results/report/wording.hpp"

namespace hyseq::results {
namespace {

/// A link to a folded certificate unfolds it; without scripts the page works all the same.
constexpr const char* kOpenTarget =
    "<script>\nfunction unfold() { const e = document.getElementById(location.hash.slice(1)); if (e && 'open' in e) "
    "{ e.open = true; e.scrollIntoView(); } }\naddEventListener('hashchange', unfold);\nunfold();\n</script>\n";

/// Theorems in the order in which their certificates come.
std::vector<std::string> theorems_of(const std::vector<Certificate>& certificates) {
  std::vector<std::string> theorems;
  for (const Certificate& certificate : certificates)
    if (theorems.empty() || theorems.back() != certificate.theorem) theorems.push_back(certificate.theorem);
  return theorems;
}

std::string theorem_section(const std::vector<Certificate>& certificates, const std::string& theorem) {
  const TheoremWords words = theorem_words(theorem);
  std::string html = "<section id=\"theorem-" + escape_html(theorem) + "\">\n<h2><span class=\"number\">" +
                     escape_html(theorem_name(theorem)) + "</span> " + escape_html(words.title) +
                     "</h2>\n<p class=\"lead\">" + escape_html(words.statement) + "</p>\n" +
                     figures_section(certificates, theorem) + "<h3>Certificates</h3>\n";
  bool first = true;
  for (std::size_t i = 0; i < certificates.size(); ++i) {
    if (certificates[i].theorem != theorem) continue;
    html += certificate_details(certificates[i], certificate_anchor(i), first);
    first = false;
  }
  return html + "</section>\n";
}

}  // namespace

std::string report_html(const std::vector<Certificate>& certificates, const std::vector<Learned>& learned,
                        const Figure& cover) {
  std::string html =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>hyseq: certificates of hybrid sequence "
      "models</title>\n"
      "<style>\n" +
      style_sheet() + "</style>\n</head>\n<body>\n<main>\n" + summary_section(certificates);
  if (!cover.commands.empty()) html += "<section id=\"cover\">\n" + figure_html(cover) + "</section>\n";
  html += verdict_table(certificates);
  for (const std::string& theorem : theorems_of(certificates)) html += theorem_section(certificates, theorem);
  for (const Learned& each : learned) html += learned_section(each);
  return html + glossary_section(certificates) + about_section() + "</main>\n" + kOpenTarget + "</body>\n</html>\n";
}

void write_report(const std::vector<Certificate>& certificates, const std::string& path,
                  const std::vector<Learned>& learned, const Figure& cover) {
  if (std::filesystem::exists(path) && !std::filesystem::is_regular_file(path))
    throw EnvironmentError("cannot write the report " + path + ": it is not an ordinary file");
  const std::string html = report_html(certificates, learned, cover);
  const std::string temporary = path + ".tmp-" + std::to_string(getpid());
  std::ofstream file(temporary, std::ios::binary);
  file << html;
  file.close();
  std::error_code error;
  if (file) std::filesystem::rename(temporary, path, error);
  if (!file || error) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw EnvironmentError("cannot write the report " + path +
                           (error ? ": " + error.message() : "; its folder must exist and have room"));
  }
}

}  // namespace hyseq::results
