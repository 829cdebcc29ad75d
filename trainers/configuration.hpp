// Everything that determines the outcome of one training run, and its identity.
//
// A configuration is a value. Its JSON form is complete (every default filled in, fixed order of keys) and its hash is
// the run's identity, so that the same run is never trained twice, whatever preset, shard or machine asked for it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "kernels/adamw/adamw.hpp"
#include "kernels/base/number_format.hpp"
#include "models/architecture.hpp"
#include "models/initialise.hpp"
#include "models/lowering.hpp"
#include "tasks/batch.hpp"
#include "tasks/options.hpp"

namespace hyseq::trainers {

/// Where rows come from: a task of the catalogue with its options, or a data file. Options that are left out take their
/// defaults, and the JSON form has all of them. A data file is described by trainers::describe_file (data.hpp); its
/// path is not part of the identity, its content is.
struct DataConfiguration {
  std::string task;                      // "selective_copy"; "" where `file` is set
  tasks::OptionMap options;              // {"distance-min", "5"}
  std::string file;                      // HDF5 with int32 `input` and `target` [rows, length]; rows are taken in turn
  std::string file_hash;                 // of its content
  tasks::LengthRange lengths{100, 100};  // of examples, in tokens; of a file's rows
  std::size_t context = 0;               // > 0: examples are packed into rows of this many tokens
  bool random_targets = false;           // control: valid targets replaced by uniform value tokens
  bool calibration = false;              // training rows from the calibration stream
};

enum class Decay { linear, cosine };       // of the learning rate, to 0 behind the last step
enum class DecayPolicy { all, matrices };  // weight decay on every parameter, or on linear and embedding weights

struct OptimiserConfiguration {
  double learning_rate = 1e-3;  // peak
  std::int64_t steps = 4000;
  std::int64_t warmup = 100;  // 0 .. steps
  Decay decay = Decay::linear;
  std::int64_t batch = 8;  // rows a step
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0.1;
  DecayPolicy decay_policy = DecayPolicy::all;
  double clip = 1.0;  // global norm; 0: off
};

/// Held-out evaluation, "final" at the longest training length. Rows come from the evaluation stream of the run's seed;
/// of a data file the last `rows` rows are held out.
struct EvaluationConfiguration {
  std::int64_t rows = 1024;           // 0: none
  std::vector<std::int64_t> lengths;  // further ones, evaluated at the end as "length 200"; not for data files
  std::int64_t every = 0;             // steps between evaluations "step 500" during training; 0: only at the end
};

/// How parameters start: drawn (docs/models.md, section 4) or, where `file` is set, those of a model file, with noise
/// on top if wanted. A model file is described by trainers::describe_initialisation (initialisation.hpp); its path is
/// not part of the identity, its parameters are. Runs that draw their parameters have the same JSON form as if the last
/// three did not exist.
struct InitialisationConfiguration : models::InitialisationOptions {
  std::string file;       // of the architecture of the run
  std::string file_hash;  // of its parameters
  /// Each parameter x becomes x + noise * (|x| + 0.02) * (a standard normal of the run's seed): relative to itself, and
  /// with 0.02, the deviation of drawn weights, where it is 0. Needs a file.
  double noise = 0;
};

struct RunConfiguration {
  models::Architecture architecture;
  models::DropoutRates dropout{0, 0, 0.1, 0.1};
  InitialisationConfiguration initialisation;
  DataConfiguration data;
  OptimiserConfiguration optimiser;
  EvaluationConfiguration evaluation;
  std::int64_t curve_every = 100;  // steps between points of the training curve; the last step has one too
  std::uint64_t seed = 0;          // keys data, initialisation and dropout, apart
  std::string engine = "lanes";
  NumberFormat format = NumberFormat::float32;
};

/// InputError with one sentence where values do not fit: steps, warm-up, rates, lengths that the task refuses, a
/// vocabulary that is not the task's, an engine that has no such name.
void validate(const RunConfiguration& configuration);

/// The engine behind "auto": `lanes` for widths below 64, else `cuda` where this build has it and finds a GPU, else
/// `dense`; where these cannot train in the format, the next one that can: `dense` or `lanes`, `cuda`, `reference`, and
/// never the emulated device. Every other name stays as it is.
[[nodiscard]] std::string resolve_engine(const std::string& engine, int width, NumberFormat format);

/// All options of a task, the given ones over the defaults, numbers in one spelling ("0.20" becomes "0.2"), so that one
/// setting has one identity. InputError for an unknown task or option.
[[nodiscard]] tasks::OptionMap complete_options(const std::string& task, const tasks::OptionMap& given);

/// The complete JSON form; `configuration_from_json` refuses unknown keys and values of the wrong kind (InputError) and
/// gives keys that are left out their defaults.
[[nodiscard]] nlohmann::ordered_json to_json(const RunConfiguration& configuration);
[[nodiscard]] RunConfiguration configuration_from_json(const nlohmann::ordered_json& json);

/// 32 hexadecimal digits of the JSON form (without the paths of files).
[[nodiscard]] std::string identity(const RunConfiguration& configuration);

/// What members of one cohort must share: the JSON form without seed, learning rate and paths of files. Runs with
/// equal text fit into one cohort.
[[nodiscard]] std::string cohort_key(const RunConfiguration& configuration);

}  // namespace hyseq::trainers
