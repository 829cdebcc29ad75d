// Numbers that others published about the learned figures (results/reference/figures.toml, part of the program), to be
// set beside hyseq's own. Nothing here was computed by hyseq, and nothing of it is used as a tolerance.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hyseq::results {

/// An accuracy that somebody printed for a model.
struct PublishedAccuracy {
  std::string layers;           // "SSM,TF"
  std::int64_t parameters = 0;  // rounded in the paper's tables, exact in the audit's
  double accuracy = 0;          // mean over seeds, 0 .. 1
};

/// The smallest model of a family whose mean accuracy reaches the threshold, as somebody printed it.
struct PublishedReach {
  std::string layers;
  std::int64_t parameters = 0;
  std::optional<double> accuracy;  // its mean, where printed
};

/// What is published about one learned figure.
struct ReferenceTable {
  std::string figure;    // "fig4"
  std::string setup;     // the published setting, one sentence
  std::string claim;     // the sentence the figure was meant to support
  double ratio = 0;      // how many times fewer parameters the claim says, 6
  double threshold = 0;  // mean accuracy at which sizes are compared
  std::vector<PublishedAccuracy> published;
  std::string audit_source;
  std::vector<PublishedAccuracy> audit;  // the means at first widths included, where printed
  std::vector<PublishedReach> audit_reach;
  std::optional<double> audit_ratio;  // as printed; else the quotient of two first widths says it
  std::optional<double> audit_random_targets;
};

/// Names of the figures with a reference table: fig4 and fig6.
[[nodiscard]] const std::vector<std::string>& reference_figures();

/// Throws InputError for other names.
[[nodiscard]] ReferenceTable reference_table(const std::string& figure);

/// The same from a text with the format of figures.toml; `file` is what messages call it. InputError for text that is
/// not TOML and for tables that lack what a figure needs.
[[nodiscard]] ReferenceTable parse_reference_table(std::string_view text, const std::string& file,
                                                   const std::string& figure);

/// The text of results/reference/figures.toml as it was when the program was built.
[[nodiscard]] std::string_view embedded_figures_toml();

}  // namespace hyseq::results
