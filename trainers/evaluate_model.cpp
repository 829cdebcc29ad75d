#include "trainers/evaluate_model.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "kernels/base/error.hpp"
#include "kernels/engine.hpp"
#include "models/lowering.hpp"
#include "trainers/data.hpp"
#include "trainers/evaluation.hpp"

namespace hyseq::trainers {

std::vector<results::Evaluation> evaluate_model(const RunConfiguration& configuration,
                                                const kernels::ParameterValues& parameters,
                                                std::span<const std::int64_t> lengths, std::size_t threads,
                                                const std::atomic<bool>* stop) {
  RunConfiguration checked = configuration;
  if (configuration.data.file.empty()) checked.evaluation.lengths.assign(lengths.begin(), lengths.end());
  validate(checked);
  const DataSource data(configuration);
  const kernels::Program program = models::lower(configuration.architecture);
  kernels::CohortRequest request;
  request.training = &program;
  request.evaluation = &program;
  request.format = configuration.format;
  request.threads = threads;
  for (const std::int64_t length : lengths)
    request.longest = std::max(request.longest, data.evaluation_time(static_cast<std::size_t>(length)));
  const kernels::Engine& engine = kernels::find_engine(configuration.engine);
  if (engine.cohort_size(configuration.format) == 0)
    throw InputError("engine " + configuration.engine + " cannot evaluate in the number format " +
                     std::string(name(configuration.format)));
  const auto cohort = engine.make_cohort(request);
  cohort->set_parameters(0, parameters);
  const std::array<std::uint64_t, 1> seeds{configuration.seed};
  std::vector<results::Evaluation> evaluations;
  for (const std::int64_t length : lengths) {
    const EvaluationRequest each{"length " + std::to_string(length), 0, static_cast<std::size_t>(length),
                                 static_cast<std::size_t>(configuration.evaluation.rows)};
    evaluations.push_back(evaluate(*cohort, data, seeds, each, stop).front());
  }
  return evaluations;
}

}  // namespace hyseq::trainers
