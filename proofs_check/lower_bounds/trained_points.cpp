#include "proofs_check/lower_bounds/trained_points.hpp"

#include <algorithm>
#include <span>

#include "kernels/base/error.hpp"
#include "kernels/engine.hpp"
#include "tasks/selective_copy.hpp"
#include "trainers/train.hpp"

namespace hyseq::proofs_check {
namespace {

constexpr std::size_t kBeyondLength = 3;  // tokens of a row beyond the largest distance
constexpr int kBits[] = {0, 8, 7, 6, 5, 4, 3, 2};

trainers::RunConfiguration configuration(const TrainedSpec& spec) {
  const tasks::SelectiveCopyShape shape{spec.values, 1, spec.length};
  models::SsmBlock block;
  block.state_size = spec.state_size;
  block.kernel = spec.kernel;
  block.inner_width = spec.inner_width;
  trainers::RunConfiguration run;
  run.architecture.width = spec.width;
  run.architecture.vocabulary = tasks::selective_copy_vocabulary(shape).size();
  run.architecture.layers = models::parse_layers(spec.layers, {}, block);
  run.dropout = {0, 0, 0, 0};
  run.initialisation.scale = 0.3;  // at these widths the signal of 0.02 is too weak to learn from in so few steps
  run.data.task = "selective_copy";
  run.data.options = trainers::complete_options(run.data.task, {{"values", std::to_string(spec.values)},
                                                                {"distance-min", "1"},
                                                                {"distance-count", std::to_string(spec.length)}});
  const std::size_t time = static_cast<std::size_t>(spec.length) + kBeyondLength;
  run.data.lengths = {time, time};
  run.optimiser.learning_rate = 0.02;
  run.optimiser.steps = spec.steps;
  run.optimiser.warmup = std::min<std::int64_t>(100, spec.steps);
  run.optimiser.batch = 16;
  run.evaluation.rows = 512;
  run.curve_every = spec.steps;
  run.engine = trainers::resolve_engine("auto", spec.width, run.format);
  return run;
}

double accuracy_of(const results::RunRecord& record) {
  const results::Evaluation* final = results::find_evaluation(record, "final");
  return final != nullptr ? final->positions.accuracy() : 0;
}

std::string name_of(const TrainedSpec& spec) {
  return spec.layers + ", " + std::to_string(spec.inner_width) + " channels x " + std::to_string(spec.state_size) +
         (spec.kernel > 0 ? ", kernel " + std::to_string(spec.kernel) : ", no convolution") + ", " +
         std::to_string(spec.length) + " letters of " + std::to_string(spec.values);
}

}  // namespace

std::vector<TrainedSpec> trained_specs() {
  TrainedSpec recurrence_alone;
  recurrence_alone.kernel = 0;
  const TrainedSpec one_layer;
  TrainedSpec three_values;
  three_values.layers = "SSM,SSM";
  three_values.values = 3;
  TrainedSpec six_letters;
  six_letters.layers = "SSM,SSM";
  six_letters.length = 6;
  six_letters.inner_width = 12;
  return {recurrence_alone, one_layer, three_values, six_letters};
}

TrainedSeries trained_series(const TrainedSpec& spec, const LowerBoundRequest& request) {
  if (spec.seeds < 1) throw InputError("seeds " + std::to_string(spec.seeds) + " must be at least 1");
  std::vector<trainers::RunConfiguration> runs(static_cast<std::size_t>(spec.seeds), configuration(spec));
  for (std::size_t i = 0; i < runs.size(); ++i) runs[i].seed = request.seed * 1000 + i;

  TrainedSeries series;
  series.seeds = spec.seeds;
  series.worst_accuracy = 1;
  series.accuracy = -1;
  series.stack.architecture = runs.front().architecture;
  const std::size_t most =
      std::max<std::size_t>(1, kernels::find_engine(runs.front().engine).cohort_size(runs.front().format));
  for (std::size_t first = 0; first < runs.size(); first += most) {
    const auto cohort = std::span(runs).subspan(first, std::min(most, runs.size() - first));
    std::vector<kernels::ParameterValues> weights;
    trainers::TrainingOptions options;
    options.threads = static_cast<std::size_t>(request.threads);
    options.weights = [&](std::size_t, const kernels::ParameterValues& values) { weights.push_back(values); };
    const std::vector<results::RunRecord> records = trainers::train_cohort(cohort, options);
    for (std::size_t r = 0; r < records.size(); ++r) {
      const double accuracy = accuracy_of(records[r]);
      series.worst_accuracy = std::min(series.worst_accuracy, accuracy);
      if (accuracy <= series.accuracy) continue;
      series.accuracy = accuracy;
      series.seed = cohort[r].seed;
      series.stack.values = std::move(weights[r]);
    }
  }

  series.stack.name = name_of(spec);
  series.probe = copy_probe(spec.values, spec.length, spec.values);
  series.bits.assign(std::begin(kBits), std::end(kBits));
  series.points = points_by_bits(series.stack, request.number, series.probe, series.bits);
  return series;
}

}  // namespace hyseq::proofs_check
