// hyseq plot: one figure from stored results.
#include <algorithm>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/learned.hpp"
#include "cli/options.hpp"
#include "cli/trade_off.hpp"
#include "kernels/base/error.hpp"
#include "results/figures/figures.hpp"
#include "results/store.hpp"

namespace hyseq::cli {
namespace {

CommandLine command_line() {
  CommandLine line{"hyseq plot FIGURE --store DIR --output FILE.svg|pdf|png [options]",
                   "Draws one figure from what a store holds, with gnuplot; the script beside the image\n"
                   "(FILE.gnuplot) carries the data and draws it again. FIGURE is one of\n"
                   "  construction  the embedding and output of a construction as labelled heat maps\n"
                   "  budgets       width, states, window and working memory against |V|, N and L\n"
                   "  margins       target mass and decoder gap against size, for each number format\n"
                   "  window        exact success against the number of word slots (theorem 4.6)\n"
                   "  rate          bits of state against success beside the corrected bound (theorem 3.3)\n"
                   "  basin         accuracy after training from a construction with noise on its weights (4.3)\n"
                   "  trade-off     working memory against accuracy, N, W and L: bounds, hybrids, trained models\n" +
                       learned_figures_help() +
                       "Where there are several (one per theorem and level), all are drawn, one below the other.",
                   {},
                   {"figure"}};
  line.options.add_options()("store", text(),
                             "folder that `hyseq verify --store`, `sweep` or `reproduce` wrote to; required")(
      "output", text(), "image to write, ending in .svg, .pdf or .png; required")(
      "theorem", text(), "draw this theorem only, like 4.3")("level", text(),
                                                             "draw this level only: faithful, streaming or trainable")(
      "scale", text(),
      "figures of trained models: published or quick; default: published where the store has runs of it");
  return line;
}

std::string optional(const po::variables_map& values, const std::string& name) {
  return values.contains(name) ? values[name].as<std::string>() : std::string();
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

void refuse(const po::variables_map& values, const std::string& option, const std::string& figure) {
  if (values.contains(option)) throw InputError("--" + option + " does not apply to the figure " + figure);
}

results::Figure certificate_figure(const po::variables_map& values, const std::string& name, const std::string& store) {
  refuse(values, "scale", name);
  const results::Selection selection{optional(values, "theorem"), optional(values, "level")};
  const std::vector<results::Certificate> certificates = results::Store(store).load_certificates();
  const std::vector<results::Figure> figures = results::make_figures(name, certificates, selection);
  if (figures.empty())
    throw InputError("the store " + store + " holds no certificate with data for the figure " + name +
                     " of that theorem and level; `hyseq store list` names what it holds");
  return results::stacked(figures);
}

results::Figure learned_figure(const po::variables_map& values, const LearnedFigure& figure, const std::string& store) {
  const std::string name = figure.name;
  refuse(values, "theorem", name);
  refuse(values, "level", name);
  const auto found = stored_learned(figure, optional(values, "scale"), results::RunStore(store));
  if (!found)
    throw InputError("the store " + store + " holds no finished run of the figure " + name + "; `hyseq reproduce " +
                     name + " --store " + store + "` trains them");
  return results::figure_of(*found);
}

/// Certificates and trained models of one store together.
results::Figure trade_off_figure(const po::variables_map& values, const std::string& store) {
  for (const char* option : {"theorem", "level", "scale"}) refuse(values, option, "trade-off");
  results::Figure figure = stored_trade_off(store);
  if (figure.commands.empty())
    throw InputError("the store " + store +
                     " holds neither certificates of theorems 4.3 and 4.6 nor runs of their tasks; `hyseq verify all "
                     "--store " +
                     store + "` makes the certificates");
  return figure;
}

}  // namespace

int run_plot(const std::vector<std::string>& arguments) {
  const auto values = parse(command_line(), arguments);
  if (!values) return kSuccess;
  std::vector<std::string> names = results::figure_names();
  names.emplace_back("trade-off");
  for (const LearnedFigure& figure : learned_figures()) names.emplace_back(figure.name);
  if (!values->contains("figure")) throw InputError("the figure is missing, allowed are: " + listed(names));
  const std::string name = required(*values, "figure"), store = required(*values, "store");
  const std::string output = required(*values, "output");
  (void)results::image_format(output);  // before any work
  if (!contains(names, name)) throw InputError("the figure is '" + name + "', allowed are: " + listed(names));
  const LearnedFigure* learned = find_learned_figure(name);
  results::render(name == "trade-off"  ? trade_off_figure(*values, store)
                  : learned != nullptr ? learned_figure(*values, *learned, store)
                                       : certificate_figure(*values, name, store),
                  output);
  std::cout << "wrote " << output << " and " << output << ".gnuplot\n";
  return kSuccess;
}

}  // namespace hyseq::cli
