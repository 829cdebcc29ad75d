// The parts of the page, each as HTML text.
#pragma once

#include <string>
#include <vector>

#include "results/certificate.hpp"
#include "results/learned.hpp"

namespace hyseq::results {

/// The style sheet.
[[nodiscard]] std::string style_sheet();

/// Headline: how many certificates of which verdict, and a card per theorem.
[[nodiscard]] std::string summary_section(const std::vector<Certificate>& certificates);

/// One row per certificate, linked to its details.
[[nodiscard]] std::string verdict_table(const std::vector<Certificate>& certificates);

/// Scope, command and checks of one certificate, folded; `id` is where the table's link points.
[[nodiscard]] std::string certificate_details(const Certificate& certificate, const std::string& id, bool open);

/// All figures that the theorem's certificates have data for.
[[nodiscard]] std::string figures_section(const std::vector<Certificate>& certificates, const std::string& theorem);

/// One figure with title, caption and data.
[[nodiscard]] std::string figure_html(const Figure& figure);

/// A learned figure with its tables: points, first sizes, ratios and controls, or the variants of every model.
[[nodiscard]] std::string learned_section(const Learned& learned);

/// The meaning of verdicts and of the checks that occur.
[[nodiscard]] std::string glossary_section(const std::vector<Certificate>& certificates);

/// How to cite, and what made the page.
[[nodiscard]] std::string about_section();

/// Anchor of the i-th certificate.
[[nodiscard]] std::string certificate_anchor(std::size_t index);

/// "<span>" with the verdict's symbol and name.
[[nodiscard]] std::string verdict_badge(const std::string& verdict);

}  // namespace hyseq::results
