// hyseq eval: held-out counts of a model file or of a stored run's weights.
#include <algorithm>
#include <iomanip>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/data_options.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/subject.hpp"
#include "kernels/base/error.hpp"
#include "models/model_file.hpp"
#include "trainers/evaluate_model.hpp"
#include "trainers/evaluation.hpp"

namespace hyseq::cli {
namespace {

using trainers::RunConfiguration;

constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();

CommandLine command_line() {
  CommandLine line{"hyseq eval --model FILE|RUN --task TASK --lengths A..B [options]",
                   "Evaluates a model on rows that training never sees, one evaluation per length: counts of valid\n"
                   "and correct positions and sequences, and slices by distance, depth or key. RUN is the beginning\n"
                   "of the id of a run in --store; task, options, length and seed then default to what it was\n"
                   "trained with.",
                   {},
                   {}};
  line.options.add_options()("store", text(), "folder of the run")(
      "lengths", text(), "tokens in a row, L or all of A..B; required for a file")(
      "length-step", text("1"), "only every n-th length of A..B")("rows", text("1024"), "rows per length")(
      "seed", text(), "seed of the rows, 0 to 2^63-1; default 0, of a run its own")(
      "engine", text("auto"), "auto, lanes, dense, cuda, cuda-emulated or reference (see `hyseq info`)")(
      "number", text("float"), "number format: double, float, bfloat16 or half, as far as the engine has it")(
      "threads", text("0"), "threads, 0 for one per core")("json", text(),
                                                           "write JSON to this file, - for standard output");
  return line;
}

std::vector<std::int64_t> lengths_option(const po::variables_map& values, const RunConfiguration& run) {
  if (!run.data.file.empty()) return {static_cast<std::int64_t>(run.data.lengths.max)};
  if (!values.contains("lengths") && run.data.lengths.max > 0) return {static_cast<std::int64_t>(run.data.lengths.max)};
  const auto [first, last] = parse_range("--lengths", required(values, "lengths"), 1, 1 << 22);
  const std::int64_t step = integer_option(values, "length-step", 1, kMost);
  std::vector<std::int64_t> lengths;
  for (std::int64_t length = first; length <= last; length += step) lengths.push_back(length);
  return lengths;
}

RunConfiguration configure(const po::variables_map& values, const DataChoice& choice, const Subject& subject,
                           const models::ModelFile& model) {
  RunConfiguration run = subject.trained.value_or(RunConfiguration{});
  const ChosenData chosen = data_option(values, choice);
  const bool own_data = subject.trained && subject.trained->data.task == chosen.data.task;
  if (!own_data) {
    run.data = chosen.data;
    if (chosen.data.file.empty()) run.data.lengths = {0, 0};
  }
  run.data.options = chosen.data.options;
  run.data.calibration = false;
  run.architecture = model.architecture;
  run.evaluation = {integer_option(values, "rows", 1, kMost), {}, 0};
  if (!chosen.data.file.empty()) run.evaluation.rows = std::min(run.evaluation.rows, chosen.file_rows - 1);
  if (values.contains("seed")) run.seed = seed_option(values);
  run.format = parse_number_format(required(values, "number"));
  constexpr int one_model = 1024;  // where only one model is at hand, the engine for large ones is the fastest
  run.engine = trainers::resolve_engine(required(values, "engine"), one_model, run.format);
  return run;
}

void print(const std::vector<results::Evaluation>& evaluations) {
  std::cout << std::right << std::setw(8) << "length" << std::setw(10) << "loss" << std::setw(12) << "valid"
            << std::setw(12) << "correct" << std::setw(10) << "accuracy" << std::setw(11) << "sequences"
            << "\n"
            << std::fixed << std::setprecision(4);
  for (const results::Evaluation& evaluation : evaluations)
    std::cout << std::setw(8) << evaluation.length << std::setw(10) << evaluation.loss << std::setw(12)
              << evaluation.positions.valid << std::setw(12) << evaluation.positions.correct << std::setw(10)
              << evaluation.positions.accuracy() << std::setw(11) << evaluation.sequences.accuracy() << "\n";
  if (evaluations.size() != 1) return;
  for (const results::Slice& slice : evaluations.front().slices)
    std::cout << "  " << std::left << std::setw(10) << slice.by << std::setw(12) << slice.value << std::right
              << std::setw(16) << slice.counts.valid << std::setw(12) << slice.counts.correct << std::setw(10)
              << slice.counts.accuracy() << "\n";
}

}  // namespace

int run_eval(const std::vector<std::string>& arguments) {
  const auto [subject, choice, values] = parse_model_question(command_line(), arguments);
  if (!values) return kSuccess;
  const models::ModelFile model = models::read_model_file(subject.file);
  RunConfiguration run = configure(*values, choice, subject, model);
  const std::vector<std::int64_t> lengths = lengths_option(*values, run);
  run.data.lengths = {static_cast<std::size_t>(lengths.front()), static_cast<std::size_t>(lengths.back())};

  std::vector<results::Evaluation> evaluations;
  const Interrupt interrupt;
  try {
    evaluations =
        trainers::evaluate_model(run, model.parameters, lengths, threads_option(*values), &interrupt.requested());
  } catch (const trainers::Interrupted&) {
    return end_interrupted();
  }
  if (!values->contains("json")) {
    print(evaluations);
    return kSuccess;
  }
  nlohmann::ordered_json json{{"model", subject.file},
                              {"layers", models::layers_text(model.architecture)},
                              {"task", run.data.task},
                              {"file", run.data.file},
                              {"options", run.data.options},
                              {"seed", run.seed},
                              {"engine", run.engine},
                              {"number", name(run.format)},
                              {"evaluations", nlohmann::ordered_json::array()}};
  for (const results::Evaluation& evaluation : evaluations) {
    nlohmann::ordered_json entry = results::to_json(evaluation);
    entry.erase("step");
    entry["accuracy"] = evaluation.positions.accuracy();
    json["evaluations"].push_back(entry);
  }
  write_json(required(*values, "json"), json);
  return kSuccess;
}

}  // namespace hyseq::cli
