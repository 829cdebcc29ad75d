#include "results/figures/figures.hpp"

#include <algorithm>
#include <map>

#include "kernels/base/error.hpp"
#include "results/figures/plotting.hpp"

namespace hyseq::results {
namespace {

using Draw = Figure (*)(const std::vector<const Certificate*>&);

struct Kind {
  Draw draw;
  bool per_level;  // else one figure per theorem, with the levels as curves of it
};

const std::map<std::string, Kind>& kinds() {
  static const std::map<std::string, Kind> all{{"construction", {construction_figure, true}},
                                               {"budgets", {budgets_figure, false}},
                                               {"margins", {margins_figure, true}},
                                               {"window", {window_figure, true}},
                                               {"rate", {rate_figure, false}},
                                               {"basin", {basin_figure, true}}};
  return all;
}

/// A name serves as a file's name and as an element's id.
std::string safe_name(std::string name) {
  for (char& c : name) {
    const bool keep =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-';
    if (!keep) c = '_';
  }
  return name;
}

}  // namespace

const std::vector<std::string>& figure_names() {
  static const std::vector<std::string> names{"construction", "budgets", "margins", "window", "rate", "basin"};
  return names;
}

std::vector<Figure> make_figures(const std::string& name, const std::vector<Certificate>& certificates,
                                 const Selection& selection) {
  const auto kind = kinds().find(name);
  if (kind == kinds().end())
    throw InputError("there is no figure \"" + name +
                     "\"; the figures are construction, budgets, margins, window, rate and basin");

  // Groups in the order in which the certificates come.
  std::vector<std::pair<std::string, std::vector<const Certificate*>>> groups;
  for (const Certificate& certificate : certificates) {
    if (!selection.theorem.empty() && certificate.theorem != selection.theorem) continue;
    if (!selection.level.empty() && certificate.level != selection.level) continue;
    const std::string key = certificate.theorem + (kind->second.per_level ? "-" + certificate.level : "");
    auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.first == key; });
    if (group == groups.end()) group = groups.insert(groups.end(), {key, {}});
    group->second.push_back(&certificate);
  }

  std::vector<Figure> figures;
  for (const auto& [key, members] : groups) {
    Figure figure = kind->second.draw(members);
    if (figure.commands.empty()) continue;
    figure.name = safe_name(name + "-" + key);
    figures.push_back(std::move(figure));
  }
  return figures;
}

Figure stacked(const std::vector<Figure>& figures) {
  if (figures.size() == 1) return figures.front();
  constexpr int title_height = 44;
  Figure all;
  for (const Figure& figure : figures) {
    all.name += (all.name.empty() ? "" : "-and-") + figure.name;
    all.title += (all.title.empty() ? "" : "; ") + figure.title;
    all.width = std::max(all.width, figure.width);
    all.height += title_height + figure.height;
  }
  all.caption = figures.front().caption;
  int top = all.height;
  for (const Figure& figure : figures) {
    // The title as a plot with nothing but a label, then the figure in its part of the image.
    const Panel strip{0, static_cast<double>(all.width), static_cast<double>(top - title_height),
                      static_cast<double>(top)};
    all.commands += "reset\norigin_x = 0.\norigin_y = 0.\nscale_x = 1.\nscale_y = 1.\n" +
                    place(strip, all.width, all.height) +
                    "unset border\nunset tics\nunset key\nset xrange [0:1]\nset yrange [0:1]\nset label " +
                    quoted(figure.title) + " at 0.5,0.45 center noenhanced font ',15'\nplot -1\nreset\n";
    top -= title_height + figure.height;
    all.commands += "origin_x = " + plain(0.5 * (all.width - figure.width) / all.width) +
                    "\norigin_y = " + plain(1.0 * top / all.height) +
                    "\nscale_x = " + plain(1.0 * figure.width / all.width) +
                    "\nscale_y = " + plain(1.0 * figure.height / all.height) + "\n" + figure.data + figure.commands;
  }
  return all;
}

}  // namespace hyseq::results
