#include "trainers/sweep/speed.hpp"

#include <algorithm>
#include <string>

#include "trainers/sweep/points.hpp"

namespace hyseq::trainers {
namespace {

double assumed_speed(const std::string& engine) {
  if (engine == "lanes") return 6e10;
  if (engine == "dense") return 5e10;
  return engine == "cuda" ? 5e12 : 3e8;
}

}  // namespace

double known_speed(const Preset& preset, const std::vector<std::size_t>& points, const results::RunStore& store,
                   const CohortSize& cohort_size) {
  constexpr std::size_t enough = 24;
  double operations = 0;
  double seconds = 0;
  std::size_t used = 0;
  const auto look = [&](const RunConfiguration& run, std::size_t runs_of_shape) {
    const std::string id = identity(run);
    if (used == enough || !store.contains(id)) return;
    const results::RunRecord record = store.load(id);
    if (record.steps < run.optimiser.steps || record.seconds <= 0) return;
    // A record has its share of its cohort's seconds; how many shared them is what packing would make of the point.
    const std::size_t lanes = cohort_size(run);
    const std::size_t members = pack(runs_of_shape, lanes).front();
    operations += CohortCost(run, lanes).of(members) / static_cast<double>(members);
    seconds += record.seconds;
    ++used;
  };
  // One run a point: those of a point took the same time.
  for (const std::size_t index : points) {
    const Point& point = preset.points[index];
    if (!point.rates.empty())
      look(point.calibration(point.choices().front(), point.calibration_seeds.front()),
           point.rates.size() * point.calibration_seeds.size());
    else
      look(point.final(point.uncalibrated(), point.seeds.front()), point.seeds.size());
  }
  if (seconds > 0) return operations / seconds;
  return points.empty() ? assumed_speed("") : assumed_speed(preset.points[points.front()].final_run.engine);
}

double seconds_needed(double operations, double longest, double speed, std::size_t workers) {
  return std::max(operations / static_cast<double>(workers), longest) / speed;
}

}  // namespace hyseq::trainers
