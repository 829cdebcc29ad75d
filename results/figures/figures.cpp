#include "results/figures/figures.hpp"

#include <algorithm>
#include <map>

#include "kernels/base/error.hpp"

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
                                               {"window", {window_figure, true}}};
  return all;
}

}  // namespace

const std::vector<std::string>& figure_names() {
  static const std::vector<std::string> names{"construction", "budgets", "margins", "window"};
  return names;
}

std::vector<Figure> make_figures(const std::string& name, const std::vector<Certificate>& certificates,
                                 const Selection& selection) {
  const auto kind = kinds().find(name);
  if (kind == kinds().end())
    throw InputError("there is no figure \"" + name + "\"; the figures are construction, budgets, margins and window");

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
    figure.name = name + "-" + key;
    figures.push_back(std::move(figure));
  }
  return figures;
}

}  // namespace hyseq::results
