// hyseq reproduce: a learned figure of the paper, from training to the table beside the published numbers.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <string>
#include <system_error>
#include <vector>

#include "cli/command.hpp"
#include "cli/learned.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/reproduce_table.hpp"
#include "cli/sweep_progress.hpp"
#include "kernels/base/error.hpp"
#include "results/reproduction.hpp"

namespace hyseq::cli {
namespace {

namespace fs = std::filesystem;

CommandLine command_line() {
  CommandLine line{
      "hyseq reproduce FIGURE --store DIR [options]",
      "Trains what the figure needs and the store does not have, then draws it and prints its table: beside the\n"
      "published numbers, with the size at which each family of models first reaches the threshold and the\n"
      "ratios; or, of an ablation, every variant beside the published setting. FIGURE is one of\n" +
          learned_figures_help() +
          "Writes DIR/figures/<name>.svg, .svg.gnuplot (draws it again) and .json; <name> is fig4, or fig4-quick.\n"
          "Ctrl-C ends at once and the same command goes on later. Exit code 1: a control is not near chance.",
      {},
      {"figure"}};
  line.options.add_options()("store", text(), "folder of finished runs, made where it is missing; required")(
      "scale", text("published"), "published: the paper's protocol; quick: fewer widths, seeds and rates, in minutes")(
      "json", text(), "write the JSON to this file too; - for standard output, in place of the table");
  add_sweep_options(line.options);
  return line;
}

std::string listed_figures() {
  std::string text;
  for (const LearnedFigure& figure : learned_figures()) text += (text.empty() ? "" : ", ") + std::string(figure.name);
  return text;
}

std::string figures_folder(const std::string& store) {
  const fs::path folder = fs::path(store) / "figures";
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw EnvironmentError("cannot make the folder " + folder.string() + ": " + error.message());
  return folder.string();
}

bool controls_hold(const results::Learned& learned) {
  const auto* reproduction = std::get_if<results::Reproduction>(&learned);
  return reproduction == nullptr || std::ranges::none_of(reproduction->controls, [](const auto& control) {
           return control.near_chance.has_value() && !*control.near_chance;
         });
}

}  // namespace

int run_reproduce(const std::vector<std::string>& arguments) {
  const auto values = parse(command_line(), arguments);
  if (!values) return kSuccess;
  if (!values->contains("figure")) throw InputError("the figure is missing, allowed are: " + listed_figures());
  const std::string name = required(*values, "figure");
  const LearnedFigure* figure = find_learned_figure(name);
  if (figure == nullptr) throw InputError("the figure is '" + name + "', allowed are: " + listed_figures());
  const trainers::Preset preset = trainers::load_preset(name, required(*values, "scale"));
  const results::RunStore store(required(*values, "store"));
  if (!sweep_with_progress(preset, store, sweep_options(*values))) return kInterrupted;

  const results::Learned outcome = learned(*figure, preset, store);
  const std::string base = (fs::path(figures_folder(store.folder())) / results::name_of(outcome)).string();
  const nlohmann::ordered_json json = results::json_of(outcome);
  // Numbers first: they need no gnuplot.
  write_json(base + ".json", json);
  const std::string destination = values->contains("json") ? required(*values, "json") : "";
  if (!destination.empty()) write_json(destination, json);
  if (destination != "-") print_learned(std::cout, outcome);
  results::render(results::figure_of(outcome), base + ".svg");
  if (destination != "-") std::cout << "\nwrote " << base << ".svg, .svg.gnuplot and .json\n";
  return controls_hold(outcome) ? kSuccess : kCheckFailed;
}

}  // namespace hyseq::cli
