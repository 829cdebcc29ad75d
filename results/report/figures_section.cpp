#include <string>

#include "results/figures/figures.hpp"
#include "results/report/sections.hpp"
#include "results/report/wording.hpp"

namespace hyseq::results {
namespace {

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

void remove_element(std::string& svg, const std::string& name) {
  const std::size_t begin = svg.find("<" + name + ">"), end = svg.find("</" + name + ">");
  if (begin != std::string::npos && end != std::string::npos) svg.erase(begin, end + name.size() + 3 - begin);
}

/// An SVG document as an element of the page: without its prologue and with ids of its own, since a page has one name
/// space for the ids of all its figures.
std::string inline_svg(const std::string& document, const Figure& figure) {
  std::string svg = document.substr(document.find("<svg"));
  std::string prefix = figure.name + "-";
  for (char& c : prefix)
    if (c == '.') c = '_';
  for (const char* reference : {" id='", " id=\"", "href='#", "href=\"#", "url(#"})
    replace_all(svg, reference, reference + prefix);
  // A viewer would show gnuplot's title as a tooltip.
  remove_element(svg, "title");
  remove_element(svg, "desc");
  svg.insert(4, " role=\"img\" aria-label=\"" + escape_html(figure.title) + "\"");
  return svg;
}

}  // namespace

std::string figure_html(const Figure& figure) {
  return "<figure id=\"" + figure.name + "\">\n<div class=\"paper\">" + inline_svg(render_svg(figure), figure) +
         "</div>\n<figcaption><strong>" + escape_html(figure.title) + ".</strong> " + escape_html(figure.caption) +
         "</figcaption>\n<details class=\"data\"><summary>Data</summary><pre>" + escape_html(figure.data) +
         "</pre></details>\n</figure>\n";
}

std::string figures_section(const std::vector<Certificate>& certificates, const std::string& theorem) {
  std::string html;
  for (const std::string& name : figure_names())
    for (const Figure& figure : make_figures(name, certificates, {theorem, ""})) html += figure_html(figure);
  return html;
}

}  // namespace hyseq::results
