// A reproduction in words and tables of text, for the terminal and the report.
#pragma once

#include <string>
#include <vector>

#include "results/reproduction.hpp"

namespace hyseq::results {

/// Rows of equal length, the first one the headings.
using TextTable = std::vector<std::vector<std::string>>;

/// Every point: setting, seeds, accuracies, and what others published beside it. "-" where nothing is known yet.
[[nodiscard]] TextTable points_table(const Reproduction& reproduction);
/// The first size of every family, its interval, and what others published.
[[nodiscard]] TextTable sizes_table(const Reproduction& reproduction);
/// Those sizes relative to that of SSM,TF; headings alone where there is nothing to compare.
[[nodiscard]] TextTable ratios_table(const Reproduction& reproduction);
/// One sentence per control, in their order.
[[nodiscard]] std::vector<std::string> control_sentences(const Reproduction& reproduction);

/// "6.9", "at least 9.6", "at most 0.2", "between 2.1 and 4" or "unknown".
[[nodiscard]] std::string ratio_words(const Bounds& bounds);
/// "1.4 to 9.6", "1.4 or more", "0.2 or less", "unknown".
[[nodiscard]] std::string interval_words(const Bounds& bounds);
/// "2,192", "none up to 21,056", "not trained".
[[nodiscard]] std::string reach_words(const FirstReach& reach);
/// "872 to 2,192", "2,192", "872 or more than 18,240", "more than 18,240", "not trained".
[[nodiscard]] std::string reach_interval_words(const FirstReach& reach);

}  // namespace hyseq::results
