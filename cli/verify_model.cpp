#include "cli/verify_model.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>

#include <unistd.h>

#include "cli/certificate_output.hpp"
#include "cli/command.hpp"
#include "cli/data_options.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/subject.hpp"
#include "cli/sweep_progress.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/number_text.hpp"
#include "models/lowering.hpp"
#include "models/model_file.hpp"
#include "proofs_check/counterexample/certificate.hpp"
#include "proofs_check/counterexample/search.hpp"
#include "results/store.hpp"

namespace hyseq::cli {
namespace {

using proofs_check::AskedPositions;

CommandLine command_line() {
  CommandLine line{"hyseq verify --model FILE|RUN --task TASK [task options] --length L [options]",
                   "Searches the shortest sequence on which a stored model fails the task: every sequence of 1, 2, ..\n"
                   "tokens while that can be afforded, then a guided search up to length L, whose find is made small.\n"
                   "RUN is the beginning of the id of a run in --store; task and options then default to what it was\n"
                   "trained with. Exit code 0: certified for the lengths that were gone through; 1: a failing\n"
                   "sequence, or nothing could be certified.",
                   {},
                   {}};
  line.options.add_options()("length", text(), "tokens of the longest sequence, 1 to 65536; required")(
      "positions", text("every"),
      "every: all positions with a target, in sequences of up to L tokens; last: the last position of sequences of "
      "exactly L tokens; query: the same of decode_recall_last, where words alone stand before the query")(
      "seconds", text(), "time for the search, 0.1 to 1000000; default 60, without --inputs")(
      "inputs", text(),
      "sequences that the exhaustive and the guided part may each look at, 1 to 10^15; without --seconds the outcome "
      "then depends on nothing but the command")("engine", text("reference"),
                                                 "runs the guided search's sequences (see `hyseq info`); the "
                                                 "reference engine decides")(
      "number", text("float"), "number format: double, float, bfloat16 or half")(
      "seed", text("1"), "of the guided search")("threads", text("0"), "threads, 0 for one per core")(
      "store", text(), "folder of the run, and that keeps the certificate")(
      "json", text(), "write JSON to this file, - for standard output");
  return line;
}

/// One line on standard error: rewritten on a terminal, elsewhere one every ten seconds.
class SearchLine {
 public:
  SearchLine() = default;
  ~SearchLine() {
    if (terminal_ && shown_) std::fputs("\r\033[K", stderr);
  }
  SearchLine(const SearchLine&) = delete;
  SearchLine& operator=(const SearchLine&) = delete;

  void operator()(const proofs_check::SearchProgress& now) {
    const Clock::time_point time = Clock::now();
    if (time - last_ < (terminal_ ? std::chrono::milliseconds(200) : std::chrono::seconds(10))) return;
    last_ = time;
    shown_ = true;
    const std::string left =
        std::isfinite(now.seconds_left) ? ", at most " + duration_text(now.seconds_left) + " left" : "";
    std::fprintf(stderr, "%smodel: %s: %.0f sequences%s%s", terminal_ ? "\r\033[K" : "", now.stage.c_str(),
                 now.sequences, left.c_str(), terminal_ ? "" : "\n");
    std::fflush(stderr);
  }

 private:
  using Clock = std::chrono::steady_clock;

  bool terminal_ = isatty(STDERR_FILENO) == 1;
  bool shown_ = false;
  Clock::time_point last_ = Clock::now();
};

AskedPositions positions_option(const po::variables_map& values) {
  const std::string positions = required(values, "positions");
  if (positions == "every") return AskedPositions::every;
  if (positions == "last") return AskedPositions::last;
  if (positions == "query") return AskedPositions::query;
  throw InputError("--positions is '" + positions + "', allowed are: every, last, query");
}

void check_format(const kernels::Engine& engine, NumberFormat format) {
  std::string formats;
  for (const NumberFormat each : engine.formats()) {
    if (each == format) return;
    formats += (formats.empty() ? "" : ", ") + std::string(hyseq::name(each));
  }
  throw InputError("--number is '" + std::string(hyseq::name(format)) + "', allowed for --engine " +
                   std::string(engine.name()) + " are: " + formats);
}

/// Options as the certificate's parameters, numbers as numbers.
results::Json parameters_of(const std::string& model, const std::string& layers, const tasks::OptionMap& options) {
  results::Json parameters{{"model", model}, {"layers", layers}};
  for (const auto& [name, value] : options) {
    std::int64_t integer = 0;
    double real = 0;
    if (parse_number(value, integer)) {
      parameters[name] = integer;
    } else if (parse_number(value, real)) {
      parameters[name] = real;
    } else {
      parameters[name] = value;
    }
  }
  return parameters;
}

void read_effort(const po::variables_map& values, proofs_check::SearchRequest& request) {
  if (values.contains("inputs")) {
    request.inputs = static_cast<std::uint64_t>(integer_option(values, "inputs", 1, 1000000000000000));
    request.seconds = std::numeric_limits<double>::infinity();
  }
  if (values.contains("seconds")) request.seconds = parse_real("--seconds", required(values, "seconds"), 0.1, 1000000);
  request.seed = seed_option(values);
  request.threads = static_cast<int>(threads_option(values));
}

}  // namespace

bool asks_about_model(const std::vector<std::string>& arguments) {
  return std::ranges::any_of(arguments, [](const std::string& argument) {
    return argument == "--model" || argument.starts_with("--model=") || argument == "--task" ||
           argument.starts_with("--task=");
  });
}

int run_verify_model(const std::vector<std::string>& arguments) {
  const auto [subject, choice, values] = parse_model_question(command_line(), arguments);
  if (!values) return kSuccess;
  if (!choice.file.empty())
    throw InputError("--task is the data file '" + choice.file +
                     "', allowed is a task that `hyseq tasks list` names: a file says nothing about other sequences");
  const ChosenData chosen = data_option(*values, choice);
  const std::unique_ptr<tasks::Task> task = tasks::make_task(chosen.data.task, chosen.data.options);
  const auto length = static_cast<std::size_t>(integer_option(*values, "length", 1, 1 << 16));
  task->check_length(length);
  const models::ModelFile model = models::read_model_file(subject.file);
  const kernels::Program program = models::lower(model.architecture);

  proofs_check::SearchRequest request;
  request.question.program = &program;
  request.question.parameters = &model.parameters;
  request.question.task = task.get();
  request.question.number = parse_number_format(required(*values, "number"));
  request.question.positions = positions_option(*values);
  request.question.length = length;
  request.engine = &kernels::find_engine(required(*values, "engine"));
  check_format(*request.engine, request.question.number);
  read_effort(*values, request);
  proofs_check::check_question(request.question);
  std::optional<results::Store> store = certificate_store(*values);

  proofs_check::SearchResult result;
  const Interrupt interrupt;
  {
    SearchLine line;
    request.stop = &interrupt.requested();
    request.progress = [&line](const proofs_check::SearchProgress& now) { line(now); };
    result = proofs_check::search_counterexample(request);
  }
  if (result.interrupted) return end_interrupted();
  results::Certificate certificate = proofs_check::certificate_of(request, result);
  const results::Json own = certificate.parameters;
  certificate.parameters =
      parameters_of(required(*values, "model"), models::layers_text(model.architecture), chosen.data.options);
  certificate.parameters.update(own);
  certificate.command = rerun_command(arguments, "hyseq verify", {"--json"});
  if (store) store->save(certificate);
  write_certificates(*values, {certificate}, false);
  return certificate.verdict == "certified" ? kSuccess : kCheckFailed;
}

}  // namespace hyseq::cli
