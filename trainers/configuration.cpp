#include "trainers/configuration.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "kernels/base/error.hpp"
#include "kernels/base/number_text.hpp"
#include "kernels/cuda/gpu.hpp"
#include "kernels/engine.hpp"
#include "tasks/registry.hpp"

namespace hyseq::trainers {
namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& value, const std::string& allowed) {
  throw InputError(what + " is " + value + ", allowed is " + allowed);
}

void check(const char* what, std::int64_t value, std::int64_t least, std::int64_t most) {
  if (value < least || value > most)
    refuse(what, std::to_string(value), std::to_string(least) + " to " + std::to_string(most));
}

void check(const char* what, double value, double least, double most) {
  if (!(value >= least && value <= most))  // refuses NaN too
    refuse(what, plain_number(value), plain_number(least) + " to " + plain_number(most));
}

void validate_optimiser(const OptimiserConfiguration& options) {
  constexpr double largest = std::numeric_limits<double>::max();
  check("the learning rate", options.learning_rate, 0, largest);
  check("the number of steps", options.steps, 1, std::numeric_limits<std::uint32_t>::max());  // a range of dropout keys
  check("the warm-up", options.warmup, 0, options.steps);
  check("the batch", options.batch, 1, 1 << 20);
  for (const double beta : {options.beta1, options.beta2})
    if (!(beta >= 0 && beta < 1)) refuse("beta", plain_number(beta), "0 to less than 1");
  if (!(options.epsilon > 0)) refuse("epsilon", plain_number(options.epsilon), "more than 0");
  check("the weight decay", options.weight_decay, 0, largest);
  check("the clipping norm", options.clip, 0, largest);
}

/// What the task says to the lengths, and the model to the task.
void validate_task(const RunConfiguration& configuration) {
  const DataConfiguration& data = configuration.data;
  const auto task = tasks::make_task(data.task, data.options);
  if (configuration.architecture.vocabulary != task->vocabulary().size()) {
    throw InputError("the model has a vocabulary of " + std::to_string(configuration.architecture.vocabulary) +
                     " tokens, task " + data.task + " with these options has " +
                     std::to_string(task->vocabulary().size()));
  }
  for (std::size_t length = data.lengths.min; length <= data.lengths.max; ++length) task->check_length(length);
  for (const std::int64_t length : configuration.evaluation.lengths)
    task->check_length(static_cast<std::size_t>(length));
}

void validate_data(const RunConfiguration& configuration) {
  const DataConfiguration& data = configuration.data;
  if (data.task.empty() == data.file.empty())
    throw InputError("data needs either a task or a file, given are " +
                     std::string(data.task.empty() ? "neither" : "both"));
  // Positions are a key of dropout.
  constexpr std::int64_t longest = 1 << 22;
  check("the smallest length", static_cast<std::int64_t>(data.lengths.min), 1, longest);
  check("the largest length", static_cast<std::int64_t>(data.lengths.max), static_cast<std::int64_t>(data.lengths.min),
        longest);
  if (data.context > 0)
    check("the context", static_cast<std::int64_t>(data.context), static_cast<std::int64_t>(data.lengths.max) + 2,
          longest);
  for (const std::int64_t length : configuration.evaluation.lengths) check("an evaluation length", length, 1, longest);
  if (!data.task.empty()) return validate_task(configuration);
  if (data.file_hash.empty()) throw InputError("the data file '" + data.file + "' has no hash; describe it first");
  if (data.context > 0) throw InputError("rows of the data file '" + data.file + "' cannot be packed");
  if (data.calibration) throw InputError("the data file '" + data.file + "' has no calibration stream");
  if (!configuration.evaluation.lengths.empty())
    throw InputError("the data file '" + data.file + "' has rows of one length; evaluation lengths need a task");
}

}  // namespace

void validate(const RunConfiguration& configuration) {
  models::validate(configuration.architecture);
  (void)models::lower(configuration.architecture, configuration.dropout);  // checks the rates
  check("the initial scale", configuration.initialisation.scale, 0, std::numeric_limits<double>::max());
  check("the initial noise", configuration.initialisation.noise, 0, std::numeric_limits<double>::max());
  if (configuration.initialisation.file.empty() && configuration.initialisation.noise != 0)
    throw InputError("initial noise needs a model file to start from");
  if (!configuration.initialisation.file.empty() && configuration.initialisation.file_hash.empty())
    throw InputError("the model file '" + configuration.initialisation.file + "' has no hash; describe it first");
  validate_optimiser(configuration.optimiser);
  check("the number of evaluation rows", configuration.evaluation.rows, 0, std::numeric_limits<std::int32_t>::max());
  check("the interval of evaluations", configuration.evaluation.every, 0, std::numeric_limits<std::int64_t>::max());
  check("the interval of the curve", configuration.curve_every, 1, std::numeric_limits<std::int64_t>::max());
  constexpr std::array<const char*, 5> known{"lanes", "dense", "cuda", "cuda-emulated", "reference"};
  if (std::find(known.begin(), known.end(), configuration.engine) == known.end())
    refuse("the engine", "'" + configuration.engine + "'", "lanes, dense, cuda, cuda-emulated or reference");
  validate_data(configuration);
}

std::string resolve_engine(const std::string& engine, int width, NumberFormat format) {
  if (engine != "auto") return engine;
  constexpr int narrow = 64;  // below it lanes full of members beat products of one member (benchmarks/README.md)
  using Order = std::array<std::string_view, 4>;
  for (const std::string_view name :
       width < narrow ? Order{"lanes", "dense", "cuda", "reference"} : Order{"cuda", "dense", "lanes", "reference"}) {
    for (const kernels::Engine* candidate : kernels::engines()) {
      if (candidate->name() != name || candidate->cohort_size(format) == 0) continue;
      if (name != "cuda" || kernels::cuda::find_gpu().gpu) return std::string(name);
    }
  }
  throw InputError("no engine of this build trains in the number format " + std::string(name(format)));
}

}  // namespace hyseq::trainers
