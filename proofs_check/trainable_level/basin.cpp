#include "proofs_check/trainable_level/basin.hpp"

#include <algorithm>
#include <span>

#include "kernels/base/error.hpp"
#include "kernels/engine.hpp"
#include "models/lowering.hpp"
#include "trainers/evaluate_model.hpp"
#include "trainers/initialisation.hpp"
#include "trainers/train.hpp"

namespace hyseq::proofs_check {
namespace {

double accuracy(const results::Evaluation& evaluation) {
  return evaluation.positions.valid == 0
             ? 0
             : static_cast<double>(evaluation.positions.correct) / static_cast<double>(evaluation.positions.valid);
}

/// All rates and seeds from one start: runs that differ in rate and seed alone may share cohorts.
std::vector<trainers::RunConfiguration> runs_from(const BasinRequest& request,
                                                  const trainers::RunConfiguration& start) {
  std::vector<trainers::RunConfiguration> runs;
  for (const double rate : request.rates) {
    for (const std::uint64_t seed : request.seeds) {
      trainers::RunConfiguration run = start;
      run.optimiser.learning_rate = rate;
      run.seed = seed;
      runs.push_back(run);
    }
  }
  return runs;
}

BasinPoint point(const BasinRequest& request, const trainers::RunConfiguration& run, const results::RunRecord& record) {
  BasinPoint point;
  point.drawn = run.initialisation.file.empty();
  point.noise = run.initialisation.noise;
  point.rate = run.optimiser.learning_rate;
  point.seed = run.seed;
  point.diverged = record.diverged_at >= 0;
  const results::Evaluation* final = results::find_evaluation(record, "final");
  if (final == nullptr) throw InputError("the basin needs evaluation rows");
  point.accuracy_after = accuracy(*final);
  point.loss_after = final->loss;
  const kernels::Program program = models::lower(run.architecture);
  const std::vector<std::int64_t> lengths{static_cast<std::int64_t>(run.data.lengths.max)};
  const auto before =
      trainers::evaluate_model(run, trainers::initial_parameters(run, program), lengths, request.threads, request.stop);
  point.accuracy_before = accuracy(before.front());
  point.loss_before = before.front().loss;
  return point;
}

}  // namespace

std::vector<BasinPoint> measure_basin(const BasinRequest& request) {
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
  trainers::TrainingOptions options;
  options.threads = request.threads;
  options.stop = request.stop;
  const std::size_t most =
      std::max<std::size_t>(1, kernels::find_engine(request.run.engine).cohort_size(request.run.format));
  std::vector<BasinPoint> points;
  for (std::size_t s = 0; s < starts.size(); ++s) {
    const std::vector<trainers::RunConfiguration> runs = runs_from(request, starts[s]);
    for (std::size_t first = 0; first < runs.size(); first += most) {
      const auto group = std::span(runs).subspan(first, std::min(most, runs.size() - first));
      const std::vector<results::RunRecord> records = trainers::train_cohort(group, options);
      for (std::size_t r = 0; r < group.size(); ++r) points.push_back(point(request, group[r], records[r]));
      if (request.progress) {
        request.progress(
            (static_cast<double>(s) + static_cast<double>(first + group.size()) / static_cast<double>(runs.size())) /
            static_cast<double>(starts.size()));
      }
    }
  }
  return points;
}

}  // namespace hyseq::proofs_check
