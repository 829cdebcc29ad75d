#include "trainers/sweep/plan.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "kernels/base/error.hpp"
#include "kernels/engine.hpp"
#include "models/cost.hpp"
#include "models/lowering.hpp"

namespace hyseq::trainers {
namespace {

double real(std::size_t count) { return static_cast<double>(count); }
double real(std::int64_t count) { return static_cast<double>(count); }

/// Of all runs of a point, without what its subject pays for already.
double point_operations(const Point& point, std::size_t index) {
  double operations = real(point.seeds.size()) * run_operations(point.final_run);
  if (point.calibrated_by == index)
    for (const Choice& choice : point.choices())
      operations += real(point.calibration_seeds.size()) * run_operations(point.calibration(choice, 0));
  return operations;
}

}  // namespace

std::size_t engine_cohort_size(const RunConfiguration& run) {
  const std::size_t size = kernels::find_engine(run.engine).cohort_size(run.format);
  if (size == 0)
    throw InputError("the engine " + run.engine + " cannot train in the number format " +
                     std::string(name(run.format)));
  return size;
}

double run_operations(const RunConfiguration& run) {
  const kernels::Program program = models::lower(run.architecture);
  const std::size_t length = std::max(run.data.lengths.max, run.data.context);
  const double training = models::cost(program, length, run.format).total.flops_per_token_training;
  std::vector<std::int64_t> lengths = run.evaluation.lengths;
  if (lengths.empty()) lengths.push_back(static_cast<std::int64_t>(run.data.lengths.max));
  double evaluation = 0;
  for (const std::int64_t tokens : lengths)
    evaluation += real(run.evaluation.rows * tokens) *
                  models::cost(program, static_cast<std::uint64_t>(tokens), run.format).total.flops_per_token_forward;
  const std::int64_t during = run.evaluation.every > 0 ? run.optimiser.steps / run.evaluation.every : 0;
  return real(run.optimiser.steps * run.optimiser.batch) * real(length) * training + real(1 + during) * evaluation;
}

CohortCost::CohortCost(const RunConfiguration& run, std::size_t lanes)
    : run_(run_operations(run)), lanes_(lanes), padded_(run.engine == "lanes") {}

double CohortCost::of(std::size_t members) const { return run_ * real(padded_ ? lanes_ : members); }

std::vector<std::size_t> pack(std::size_t runs, std::size_t lanes) {
  const std::size_t cohorts = (runs + lanes - 1) / lanes;
  std::vector<std::size_t> sizes;
  for (std::size_t left = runs; left > 0; left -= sizes.back()) {
    const std::size_t remaining = cohorts - sizes.size();
    sizes.push_back((left + remaining - 1) / remaining);
  }
  return sizes;
}

std::vector<std::size_t> shard_points(const Preset& preset, std::size_t shard, std::size_t shards) {
  // A control adds to the work of its subject.
  std::vector<double> work(preset.points.size(), 0.0);
  for (std::size_t i = 0; i < preset.points.size(); ++i)
    work[preset.points[i].calibrated_by] += point_operations(preset.points[i], i);
  std::vector<std::size_t> order(preset.points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t i) { return work[i]; });

  std::vector<double> load(shards, 0.0);
  std::vector<std::size_t> owner(preset.points.size());
  for (const std::size_t i : order) {
    if (preset.points[i].calibrated_by != i) continue;
    owner[i] = static_cast<std::size_t>(std::ranges::min_element(load) - load.begin());
    load[owner[i]] += work[i];
  }
  std::vector<std::size_t> owned;
  for (std::size_t i = 0; i < preset.points.size(); ++i)
    if (owner[preset.points[i].calibrated_by] == shard) owned.push_back(i);
  return owned;
}

}  // namespace hyseq::trainers
