// A learned figure of any kind, as commands and the report handle it.
#pragma once

#include <string>
#include <variant>

#include <nlohmann/json.hpp>

#include "results/ablation.hpp"
#include "results/figures/gnuplot.hpp"
#include "results/reproduction.hpp"

namespace hyseq::results {

using Learned = std::variant<Reproduction, Ablation>;

/// Of the figure and its files: "fig4", or "fig4-quick".
[[nodiscard]] std::string name_of(const Learned& learned);
[[nodiscard]] Figure figure_of(const Learned& learned);
/// Strict JSON.
[[nodiscard]] nlohmann::ordered_json json_of(const Learned& learned);
/// Whether any run of it is finished; of an ablation, of a variant other than the first.
[[nodiscard]] bool has_runs(const Learned& learned);

}  // namespace hyseq::results
