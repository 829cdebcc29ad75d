#include "proofs_check/trainable_level/basin.hpp"

#include <algorithm>
#include <mutex>
#include <span>

#include "kernels/base/error.hpp"
#include "kernels/engine.hpp"
#include "models/lowering.hpp"
#include "proofs_check/parallel.hpp"
#include "trainers/evaluate_model.hpp"
#include "trainers/initialisation.hpp"
#include "trainers/train.hpp"

namespace hyseq::proofs_check {
namespace {

/// Runs of one start that train side by side: they differ in rate and seed alone. `first` is the place of its first
/// point.
struct Group {
  std::vector<trainers::RunConfiguration> runs;
  std::size_t first = 0;
};

std::vector<trainers::RunConfiguration> starts_of(const BasinRequest& request) {
  const trainers::InitialisationDescription file = trainers::describe_initialisation(request.model_file);
  std::vector<trainers::RunConfiguration> starts;
  for (const double noise : request.noises) {
    starts.push_back(request.run);
    starts.back().architecture = file.architecture;
    starts.back().initialisation = file.initialisation;
    starts.back().initialisation.noise = noise;
  }
  if (request.drawn) {
    starts.push_back(request.run);
    starts.back().architecture = file.architecture;
    starts.back().initialisation.file.clear();
    starts.back().initialisation.noise = 0;
  }
  return starts;
}

std::vector<Group> groups_of(const BasinRequest& request, const std::vector<trainers::RunConfiguration>& starts) {
  const std::size_t most =
      std::max<std::size_t>(1, kernels::find_engine(request.run.engine).cohort_size(request.run.format));
  std::vector<Group> groups;
  std::size_t place = 0;
  for (const trainers::RunConfiguration& start : starts) {
    bool fresh = true;
    for (const double rate : request.rates) {
      for (const std::uint64_t seed : request.seeds) {
        if (fresh || groups.back().runs.size() == most) groups.push_back({{}, place});
        fresh = false;
        trainers::RunConfiguration run = start;
        run.optimiser.learning_rate = rate;
        run.seed = seed;
        groups.back().runs.push_back(run);
        ++place;
      }
    }
  }
  return groups;
}

/// In front of the first step; the rate plays no part in it.
results::Evaluation evaluate_start(const BasinRequest& request, trainers::RunConfiguration start, std::uint64_t seed) {
  start.seed = seed;
  const kernels::Program program = models::lower(start.architecture);
  const std::vector<std::int64_t> lengths{static_cast<std::int64_t>(start.data.lengths.max)};
  return trainers::evaluate_model(start, trainers::initial_parameters(start, program), lengths, 1, request.stop)
      .front();
}

BasinPoint point(const trainers::RunConfiguration& run, const results::RunRecord& record,
                 const results::Evaluation& before) {
  const results::Evaluation* final = results::find_evaluation(record, "final");
  if (final == nullptr) throw InputError("the basin needs evaluation rows");
  BasinPoint point;
  point.drawn = run.initialisation.file.empty();
  point.noise = run.initialisation.noise;
  point.rate = run.optimiser.learning_rate;
  point.seed = run.seed;
  point.diverged = record.diverged_at >= 0;
  point.before = before.positions;
  point.loss_before = before.loss;
  point.after = final->positions;
  point.loss_after = final->loss;
  return point;
}

}  // namespace

std::vector<BasinPoint> measure_basin(const BasinRequest& request) {
  const std::vector<trainers::RunConfiguration> starts = starts_of(request);
  const std::vector<Group> groups = groups_of(request, starts);
  const std::size_t seeds = request.seeds.size();
  std::vector<results::Evaluation> before(starts.size() * seeds);
  std::vector<BasinPoint> points(before.size() * request.rates.size());
  const int threads = static_cast<int>(std::max<std::size_t>(1, request.threads));
  for_each_index(before.size(), threads, [&](std::size_t i) {
    before[i] = evaluate_start(request, starts[i / seeds], request.seeds[i % seeds]);
  });
  std::mutex mutex;
  std::size_t done = 0;
  for_each_index(groups.size(), threads, [&](std::size_t g) {
    trainers::TrainingOptions options;
    options.stop = request.stop;
    const std::vector<results::RunRecord> records = trainers::train_cohort(groups[g].runs, options);
    for (std::size_t r = 0; r < records.size(); ++r) {
      const std::size_t place = groups[g].first + r;
      const std::size_t start = place / (seeds * request.rates.size());
      points[place] = point(groups[g].runs[r], records[r], before[start * seeds + place % seeds]);
    }
    const std::lock_guard lock(mutex);
    done += records.size();
    if (request.progress) request.progress(static_cast<double>(done) / static_cast<double>(points.size()));
  });
  return points;
}

}  // namespace hyseq::proofs_check
