#include "trainers/sweep/points.hpp"

namespace hyseq::trainers {

std::vector<PointSummary> summarise(const Preset& preset, const results::RunStore& store) {
  std::vector<PointSummary> summaries;
  for (const Point& point : preset.points) {
    PointSummary summary;
    summary.point = point;
    // Subjects come before their controls.
    const bool own = point.calibrated_by == summaries.size();
    summary.calibration = own ? calibration_table(point, store) : summaries[point.calibrated_by].calibration;
    summary.choice = chosen(point, summary.calibration);
    if (own)
      for (const ChoiceOutcome& outcome : summary.calibration) summary.missing += outcome.ids.size() - outcome.finished;
    for (const std::uint64_t seed : point.seeds) {
      PointRun run;
      run.seed = seed;
      if (summary.choice) {
        run.id = identity(point.final(*summary.choice, seed));
        run.stored = store.contains(run.id);
      }
      summary.missing += run.stored ? 0U : 1U;
      summary.runs.push_back(std::move(run));
    }
    summaries.push_back(std::move(summary));
  }
  return summaries;
}

}  // namespace hyseq::trainers
