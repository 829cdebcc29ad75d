#include <cstdint>
#include <string>

#include "results/figures/plotting.hpp"
#include "results/report/sections.hpp"
#include "results/report/wording.hpp"
#include "results/reproduction_words.hpp"

namespace hyseq::results {
namespace {

/// Headings begin with a capital letter on the page.
std::string heading(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

std::string table(const TextTable& rows) {
  std::string html = "<div class=\"scroll\"><table>\n";
  for (std::size_t r = 0; r < rows.size(); ++r) {
    html += r == 0 ? "<thead><tr>" : "<tr>";
    for (std::size_t c = 0; c < rows[r].size(); ++c) {
      const std::string tag = r == 0 ? "th" : "td", kind = c == 0 ? "" : " class=\"right\"";
      html += "<" + tag + kind + ">" + escape_html(r == 0 ? heading(rows[r][c]) : rows[r][c]) + "</" + tag + ">";
    }
    html += r == 0 ? "</tr></thead>\n<tbody>\n" : "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

/// Beginning and end of a section; `missing` runs are named.
std::string opening(const std::string& name, const std::string& title, const std::string& lead, std::int64_t missing) {
  std::string html = "<section id=\"learned-" + escape_html(name) + "\">\n<h2><span class=\"number\">Learned models, " +
                     escape_html(name) + "</span> " + escape_html(title) + "</h2>\n<p class=\"lead\">" +
                     escape_html(lead) + "</p>\n";
  if (missing > 0)
    html += "<p>" + readable(static_cast<double>(missing)) + (missing == 1 ? " run is" : " runs are") +
            " missing; what follows is from those that are finished.</p>\n";
  return html;
}

std::string closing(const std::string& figure, const std::string& scale) {
  return "<p class=\"rerun\">Again: <code>hyseq reproduce " + escape_html(figure) + " --scale " + escape_html(scale) +
         " --store DIR</code></p>\n</section>\n";
}

std::string section_of(const Reproduction& reproduction) {
  const LearnedRuns& runs = reproduction.runs;
  const AccuracyPlot plot = plot_of(reproduction);
  const Figure figure = accuracy_figure(plot);
  std::string html = opening(plot.name, runs.title,
                             "What trained models of different families reach with how many parameters. The paper "
                             "claims: " +
                                 reproduction.reference.claim + ".",
                             reproduction.missing);
  if (!figure.commands.empty()) html += figure_html(figure) + table(points_table(reproduction));
  html += "<h3>First size whose mean accuracy reaches " + readable(reproduction.reference.threshold) + "</h3>\n<p>In " +
          "parameters, with a " + readable(100 * reproduction.bootstrap.confidence) +
          "% bootstrap interval over the seeds.</p>\n" + table(sizes_table(reproduction));
  if (!reproduction.ratios.empty())
    html += "<h3>How many times more parameters than SSM,TF</h3>\n" + table(ratios_table(reproduction));
  for (const std::string& sentence : control_sentences(reproduction)) html += "<p>" + escape_html(sentence) + "</p>\n";
  return html + closing(runs.figure, runs.scale);
}

std::string section_of(const Ablation& ablation) {
  const DistributionPlot plot = plot_of(ablation);
  const Figure figure = distribution_figure(plot);
  std::string html = opening(plot.name, ablation.title,
                             "What one detail does to a model: the published setting beside others, every seed a dot.",
                             ablation.missing());
  if (!figure.commands.empty()) html += figure_html(figure);
  for (const AblatedModel& model : ablation.models)
    html += "<h3>" + escape_html(model_words(model)) + "</h3>\n" + table(variants_table(ablation, model));
  return html + "<p>Changes are differences of means to the first row, with a " +
         readable(100 * ablation.bootstrap.confidence) + "% bootstrap interval over the seeds of both.</p>\n" +
         closing(ablation.figure, ablation.scale);
}

}  // namespace

std::string learned_section(const Learned& learned) {
  return std::visit([](const auto& each) { return section_of(each); }, learned);
}

}  // namespace hyseq::results
