// hyseq train: all combinations of learning rates and seeds of one setting.
#include "trainers/train.hpp"

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <limits>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/data_options.hpp"
#include "cli/model_options.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/sweep_progress.hpp"
#include "kernels/base/error.hpp"
#include "models/lowering.hpp"
#include "results/number_words.hpp"
#include "results/run_store.hpp"
#include "trainers/initialisation.hpp"
#include "trainers/memory.hpp"
#include "trainers/sweep/sweep.hpp"

namespace hyseq::cli {
namespace {

using trainers::RunConfiguration;

constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
constexpr double kLargest = std::numeric_limits<double>::max();

void add_training_options(po::options_description& options) {
  options.add_options()("width", text(), "model width d, 1 to 65536; required")(
      "learning-rate", text("0.001"), "peak learning rate, several separated by commas")(
      "seeds", text(), "seeds A..B of the runs, 0 to 2^63-1; default 0")("seed", text(), "a single seed")(
      "steps", text("4000"), "training steps, 1 or more")("batch", text("8"), "rows a step")(
      "warmup", text(), "steps of linear warm-up; default 100, at most --steps")(
      "decay", text("linear"), "of the learning rate to 0 behind the last step: linear or cosine")(
      "weight-decay", text("0.1"), "of AdamW")("decay-policy", text("all"),
                                               "what the weight decay applies to: all parameters, or matrices alone")(
      "clip", text("1"), "largest global norm of the gradient, 0 for any")(
      "length", text("100"), "tokens in an example, L or uniform on A..B; not for data files")(
      "context", text("0"), "tokens in a row that packs several examples, 0 for one example a row")(
      "random-targets", po::bool_switch(), "control: valid targets are replaced by uniform value tokens")(
      "calibration", po::bool_switch(), "take training rows from the calibration stream")(
      "dropout-embedding", text("0"), "share of dropped elements, 0 to less than 1")(
      "dropout-probabilities", text("0"), "likewise, of attention probabilities")(
      "dropout-attention", text("0.1"), "likewise, of the attention branch's output")(
      "dropout-mlp", text("0.1"), "likewise, of the MLP branch's output")("initial-scale", text("0.02"),
                                                                          "standard deviation of initial weights")(
      "init", text(), "start from the weights of this model file, which has the same architecture")(
      "init-noise", text("0"), "of --init: each weight x becomes x + noise (|x| + 0.02) times a standard normal")(
      "random-step", po::bool_switch(), "step sizes of SSM blocks start log-uniform in 0.001 to 0.1")(
      "eval-rows", text(), "held-out rows of an evaluation; default 1024, of a data file at most a quarter")(
      "eval-lengths", text(), "further lengths to evaluate at, separated by commas")(
      "eval-every", text("0"), "steps between evaluations during training, 0 for none")(
      "curve-every", text("100"), "steps between points of the training curve")(
      "engine", text("auto"), "auto, lanes, dense, cuda, cuda-emulated or reference (see `hyseq info`)")(
      "number", text("float"), "number format of the training: float, double or bfloat16, as far as the engine has it")(
      "store", text(), "folder of finished runs, made where it is missing; required")(
      "checkpoint-every", text("0"), "steps between checkpoints, besides those by time; 0 for none")(
      "json", text(), "write JSON to this file, - for standard output");
  add_sweep_options(options);
}

CommandLine command_line(const DataChoice& choice) {
  CommandLine line{
      "hyseq train ARCHITECTURE --task TASK|FILE.h5 --width D --store DIR [options]",
      "Trains one run per learning rate and seed, many side by side, and evaluates them on held-out rows. Runs that\n"
      "the store has already are not repeated. Ctrl-C or SIGTERM ends at once; the same command goes on from the\n"
      "last checkpoints. ARCHITECTURE: blocks TF and SSM left to right, like SSM,TF or (SSM*5,TF)*4.",
      {},
      {"architecture"}};
  add_data_options(line.options, choice);
  add_block_options(line.options);
  add_training_options(line.options);
  return line;
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  std::istringstream stream(list);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

std::vector<double> learning_rates(const po::variables_map& values) {
  std::vector<double> rates;
  for (const std::string& part : split(required(values, "learning-rate"))) {
    const double rate = parse_real("--learning-rate", part, 0, kLargest);
    if (std::ranges::find(rates, rate) == rates.end()) rates.push_back(rate);
  }
  if (rates.empty()) throw InputError("--learning-rate holds no number");
  return rates;
}

std::vector<std::uint64_t> seeds(const po::variables_map& values) {
  if (values.contains("seeds") && values.contains("seed")) throw InputError("give --seeds or --seed, not both");
  if (values.contains("seed")) return {seed_option(values)};
  constexpr std::int64_t most_seeds = 100000;
  const std::string given = values.contains("seeds") ? required(values, "seeds") : "0";
  const auto [first, last] = parse_range("--seeds", given, 0, std::numeric_limits<std::int64_t>::max());
  if (last - first >= most_seeds) throw InputError("--seeds is '" + given + "', allowed are at most 100000 seeds");
  std::vector<std::uint64_t> all;
  for (std::int64_t seed = first; seed <= last; ++seed) all.push_back(static_cast<std::uint64_t>(seed));
  return all;
}

void read_data(const po::variables_map& values, const ChosenData& chosen, RunConfiguration& run) {
  run.data = chosen.data;
  if (chosen.data.file.empty()) {
    const auto [least, most] = parse_range("--length", required(values, "length"), 1, kMost);
    run.data.lengths = {static_cast<std::size_t>(least), static_cast<std::size_t>(most)};
  } else if (!values["length"].defaulted()) {
    throw InputError("--length is given, but the rows of the data file '" + chosen.data.file + "' have their own");
  }
  run.data.context = static_cast<std::size_t>(integer_option(values, "context", 0, kMost));
  run.data.random_targets = values["random-targets"].as<bool>();
  run.data.calibration = values["calibration"].as<bool>();
  run.evaluation.rows = chosen.data.file.empty() ? 1024 : std::min<std::int64_t>(1024, chosen.file_rows / 4);
  if (values.contains("eval-rows")) run.evaluation.rows = integer_option(values, "eval-rows", 0, kMost);
  if (values.contains("eval-lengths"))
    for (const std::string& part : split(required(values, "eval-lengths")))
      run.evaluation.lengths.push_back(parse_integer("--eval-lengths", part, 1, kMost));
  run.evaluation.every = integer_option(values, "eval-every", 0, kMost);
}

void read_optimiser(const po::variables_map& values, trainers::OptimiserConfiguration& options) {
  options.steps = integer_option(values, "steps", 1, kMost);
  options.warmup = std::min(options.warmup, options.steps);
  if (values.contains("warmup")) options.warmup = integer_option(values, "warmup", 0, options.steps);
  options.batch = integer_option(values, "batch", 1, 1 << 20);
  options.weight_decay = parse_real("--weight-decay", required(values, "weight-decay"), 0, kLargest);
  options.clip = parse_real("--clip", required(values, "clip"), 0, kLargest);
  const std::string decay = required(values, "decay");
  if (decay != "linear" && decay != "cosine")
    throw InputError("--decay is '" + decay + "', allowed are: linear, cosine");
  options.decay = decay == "linear" ? trainers::Decay::linear : trainers::Decay::cosine;
  const std::string policy = required(values, "decay-policy");
  if (policy != "all" && policy != "matrices")
    throw InputError("--decay-policy is '" + policy + "', allowed are: all, matrices");
  options.decay_policy = policy == "all" ? trainers::DecayPolicy::all : trainers::DecayPolicy::matrices;
}

void read_initial_weights(const po::variables_map& values, trainers::InitialisationConfiguration& initialisation) {
  if (!values.contains("init")) {
    if (!values["init-noise"].defaulted()) throw InputError("--init-noise is given, but no --init that it belongs to");
    return;
  }
  initialisation = trainers::describe_initialisation(required(values, "init")).initialisation;
  initialisation.noise = parse_real("--init-noise", required(values, "init-noise"), 0, kLargest);
}

/// The run but for seed and learning rate.
RunConfiguration read_run(const po::variables_map& values, const DataChoice& choice) {
  if (!values.contains("architecture")) throw InputError("the architecture is missing, like SSM,TF");
  const ChosenData chosen = data_option(values, choice);
  RunConfiguration run;
  run.architecture = architecture_option(values, chosen.vocabulary);
  read_data(values, chosen, run);
  read_optimiser(values, run.optimiser);
  const auto share = [&](const char* name) {
    return parse_real("--" + std::string(name), required(values, name), 0, 0.999999);
  };
  run.dropout = {share("dropout-embedding"), share("dropout-probabilities"), share("dropout-attention"),
                 share("dropout-mlp")};
  run.initialisation.scale = parse_real("--initial-scale", required(values, "initial-scale"), 0, kLargest);
  run.initialisation.random_step = values["random-step"].as<bool>();
  read_initial_weights(values, run.initialisation);
  run.curve_every = integer_option(values, "curve-every", 1, kMost);
  run.format = parse_number_format(required(values, "number"));
  run.engine = trainers::resolve_engine(required(values, "engine"), run.architecture.width, run.format);
  return run;
}

/// Bytes from which on it is worth saying what a training will take.
constexpr std::size_t kLargeMemory = 200'000'000;

/// One point per learning rate.
trainers::Preset grid(const RunConfiguration& run, const std::vector<double>& rates,
                      const std::vector<std::uint64_t>& seeds) {
  trainers::Preset preset;
  preset.name = "train";
  for (const double rate : rates) {
    trainers::Point point;
    point.layers = models::layers_text(run.architecture);
    point.width = run.architecture.width;
    point.parameters = static_cast<std::int64_t>(models::lower(run.architecture).parameter_count());
    point.calibrated_by = preset.points.size();
    point.seeds = seeds;
    point.final_run = run;
    point.final_run.optimiser.learning_rate = rate;
    trainers::validate(point.final_run);
    preset.points.push_back(std::move(point));
  }
  return preset;
}

void print(const std::vector<results::RunRecord>& records, const std::string& store) {
  std::cout << std::left << std::setw(14) << "run" << std::right << std::setw(12) << "rate" << std::setw(8) << "seed"
            << std::setw(8) << "steps" << std::setw(11) << "loss" << std::setw(10) << "accuracy" << std::setw(11)
            << "sequences"
            << "\n";
  for (const results::RunRecord& record : records) {
    std::cout << std::left << std::setw(14) << record.id.substr(0, 12) << std::right << std::setw(12)
              << std::setprecision(6) << std::defaultfloat
              << record.configuration["optimiser"]["learning_rate"].get<double>() << std::setw(8) << record.seed
              << std::setw(8) << record.steps << std::fixed << std::setprecision(4);
    if (const results::Evaluation* evaluation = results::find_evaluation(record, "final"); evaluation != nullptr)
      std::cout << std::setw(11) << evaluation->loss << std::setw(10) << evaluation->positions.accuracy()
                << std::setw(11) << evaluation->sequences.accuracy();
    if (record.diverged_at >= 0) std::cout << "  diverged at step " << record.diverged_at;
    std::cout << "\n";
  }
  std::cout << "records and weights are in " << store << "; `hyseq eval --model RUN --store " << store
            << "` evaluates further\n";
}

}  // namespace

int run_train(const std::vector<std::string>& arguments) {
  const DataChoice choice = find_data_choice(arguments, "");
  const auto values = parse(command_line(choice), arguments);
  if (!values) return kSuccess;
  const RunConfiguration run = read_run(*values, choice);
  const trainers::Preset preset = grid(run, learning_rates(*values), seeds(*values));
  const results::RunStore store(required(*values, "store"));
  const std::int64_t checkpoint_every = integer_option(*values, "checkpoint-every", 0, kMost);

  trainers::SweepOptions options = sweep_options(*values);
  options.train = [&](std::span<const RunConfiguration> runs, trainers::TrainingOptions training) {
    training.checkpoint_every = checkpoint_every;
    training.model_folder = store.folder() + "/models";
    return trainers::train_cohort(runs, training);
  };
  const std::size_t side_by_side =
      std::min(options.cohort_size(run), preset.points.size() * preset.points.front().seeds.size());
  const std::size_t memory = trainers::cohort_memory(run, side_by_side);
  if (memory > kLargeMemory) {
    std::cerr << results::grouped(static_cast<std::uint64_t>(preset.points.front().parameters))
              << " parameters on engine " << run.engine << ", " << side_by_side
              << (side_by_side == 1 ? " run" : " runs") << " at once: about " << trainers::memory_text(memory)
              << " of memory\n";
  }
  const auto end = sweep_with_progress(preset, store, options);
  if (!end) return kInterrupted;

  std::vector<RunConfiguration> runs;
  for (const trainers::Point& point : preset.points)
    for (const std::uint64_t seed : point.seeds) runs.push_back(point.final(point.uncalibrated(), seed));
  std::vector<results::RunRecord> records;
  for (const RunConfiguration& each : runs) records.push_back(store.load(trainers::identity(each)));

  if (!values->contains("json")) {
    print(records, store.folder());
    return kSuccess;
  }
  nlohmann::ordered_json json{
      {"store", store.folder()}, {"engine", run.engine},    {"parameters", preset.points.front().parameters},
      {"trained", end->trained}, {"seconds", end->seconds}, {"runs", nlohmann::ordered_json::array()}};
  for (const results::RunRecord& record : records) json["runs"].push_back(results::to_json(record));
  write_json(required(*values, "json"), json);
  return kSuccess;
}

}  // namespace hyseq::cli
