// The figures of the certificates. Each is a function of stored certificates alone.
//
//   construction  heat maps of a construction's embedding and output: one figure per theorem and level
//   budgets       width, states, window, working memory against |V|, N, L: one figure per theorem
//   margins       target mass and decoder gap against size, per number format: one figure per theorem and level
//   window        exact success against the number of word slots: one figure per theorem and level
//   rate          bits of state against success, and the gap to the corrected bound (theorem 3.3): one per theorem
//   basin         what training makes of a construction with noise on its weights: one per theorem and level
#pragma once

#include <string>
#include <vector>

#include "results/certificate.hpp"
#include "results/figures/gnuplot.hpp"

namespace hyseq::results {

/// Which certificates to draw; an empty text takes all.
struct Selection {
  std::string theorem;
  std::string level;
};

[[nodiscard]] const std::vector<std::string>& figure_names();

/// All figures of that name that the certificates have data for, in the certificates' order.
/// Throws InputError for an unknown name.
[[nodiscard]] std::vector<Figure> make_figures(const std::string& name, const std::vector<Certificate>& certificates,
                                               const Selection& selection = {});

/// Several figures as one image, each under its title, one below the other. Needs at least one.
[[nodiscard]] Figure stacked(const std::vector<Figure>& figures);

// Each of these takes the certificates of one figure and gives a figure without commands where they hold no data for
// it.
[[nodiscard]] Figure construction_figure(const std::vector<const Certificate*>& certificates);
[[nodiscard]] Figure budgets_figure(const std::vector<const Certificate*>& certificates);
[[nodiscard]] Figure margins_figure(const std::vector<const Certificate*>& certificates);
[[nodiscard]] Figure window_figure(const std::vector<const Certificate*>& certificates);
[[nodiscard]] Figure rate_figure(const std::vector<const Certificate*>& certificates);
[[nodiscard]] Figure basin_figure(const std::vector<const Certificate*>& certificates);

}  // namespace hyseq::results
