#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "results/figures/accuracy.hpp"
#include "results/figures/accuracy_parts.hpp"
#include "results/figures/plotting.hpp"

namespace hyseq::results {

std::string seeds_words(const std::vector<AccuracySeries>& series) {
  std::size_t least = 0, most = 0;
  for (const AccuracySeries& one : series)
    for (const AccuracyPoint& point : one.points) {
      if (point.seeds.empty()) continue;
      least = least == 0 ? point.seeds.size() : std::min(least, point.seeds.size());
      most = std::max(most, point.seeds.size());
    }
  if (most == 0) return "no seeds";
  if (least < most) return std::to_string(least) + " to " + std::to_string(most) + " seeds";
  return std::to_string(most) + (most == 1 ? " seed" : " seeds");
}

std::string accuracy_caption(const AccuracyPlot& plot, bool published, bool audit) {
  std::int64_t missing = 0, diverged = 0;
  for (const AccuracySeries& series : plot.series)
    for (const AccuracyPoint& point : series.points) {
      missing += point.missing;
      diverged += point.diverged;
    }
  std::string text = "Lines are means over " + seeds_words(plot.series) +
                     " of the accuracy on held-out sequences, bands reach from the 10% to the 90% quantile of the "
                     "seeds, and dots are single seeds, moved sideways where they would cover each other.";
  if (published) text += " Small hollow markers are the published means at rounded parameter counts.";
  if (audit) text += " Large hollow markers are the means of an independent audit.";
  if (missing > 0)
    text += " " + readable(static_cast<double>(missing)) + (missing == 1 ? " run is" : " runs are") + " missing.";
  if (diverged > 0)
    text += " " + readable(static_cast<double>(diverged)) + (diverged == 1 ? " run" : " runs") +
            " diverged and count with the accuracy they were left with.";
  return plot.note.empty() ? text : text + " " + plot.note;
}

}  // namespace hyseq::results
