// hyseq plot: one figure from stored certificates.
#include <iostream>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "kernels/base/error.hpp"
#include "results/figures/figures.hpp"
#include "results/store.hpp"

namespace hyseq::cli {
namespace {

auto text() { return po::value<std::string>()->value_name("X"); }

CommandLine command_line() {
  CommandLine line{"hyseq plot FIGURE --store DIR --output FILE.svg|pdf|png [options]",
                   "Draws one figure from the certificates of a store, with gnuplot; the script beside the image\n"
                   "(FILE.gnuplot) carries the data and draws it again. FIGURE is one of\n"
                   "  construction  the embedding and output of a construction as labelled heat maps\n"
                   "  budgets       width, states, window and working memory against |V|, N and L\n"
                   "  margins       target mass and decoder gap against size, for each number format\n"
                   "  window        exact success against the number of word slots (theorem 4.6)\n"
                   "Where there are several (one per theorem and level), all are drawn, one below the other.",
                   {},
                   {"figure"}};
  line.options.add_options()("store", text(), "folder that `hyseq verify --store` wrote to; required")(
      "output", text(), "image to write, ending in .svg, .pdf or .png; required")(
      "theorem", text(), "draw this theorem only, like 4.3")("level", text(),
                                                             "draw this level only: faithful, streaming or trainable");
  return line;
}

std::string optional(const po::variables_map& values, const std::string& name) {
  return values.count(name) > 0 ? values[name].as<std::string>() : std::string();
}

}  // namespace

int run_plot(const std::vector<std::string>& arguments) {
  const auto values = parse(command_line(), arguments);
  if (!values) return kSuccess;
  if (values->count("figure") == 0)
    throw InputError("the figure is missing, allowed are: construction, budgets, margins, window");
  const std::string name = required(*values, "figure"), store = required(*values, "store");
  const std::string output = required(*values, "output");
  (void)results::image_format(output);  // before any work
  const results::Selection selection{optional(*values, "theorem"), optional(*values, "level")};
  const std::vector<results::Certificate> certificates = results::Store(store).load_certificates();
  const std::vector<results::Figure> figures = results::make_figures(name, certificates, selection);
  if (figures.empty())
    throw InputError("the store " + store + " holds no certificate with data for the figure " + name +
                     " of that theorem and level; `hyseq store list` names what it holds");
  results::render(results::stacked(figures), output);
  std::cout << "wrote " << output << " and " << output << ".gnuplot\n";
  return kSuccess;
}

}  // namespace hyseq::cli
