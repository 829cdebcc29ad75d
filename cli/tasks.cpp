// hyseq tasks list | show | sample | label
#include <algorithm>
#include <cstdint>
#include <iomanip>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/hdf5_file.hpp"
#include "tasks/batch.hpp"
#include "tasks/registry.hpp"

namespace hyseq::cli {
namespace {

using Arguments = std::vector<std::string>;

constexpr std::int64_t kMostRows = 1'000'000'000;
constexpr std::int64_t kMostLength = 1'000'000'000;

/// TASK as the first argument, then the options of that task and of the subcommand together.
struct TaskCommand {
  const tasks::TaskInfo* info = nullptr;  // null where --help was asked without a task
  CommandLine line;

  TaskCommand(const std::string& verb, const std::string& summary, const Arguments& arguments) {
    line.usage = "hyseq tasks " + verb + " TASK [options]";
    line.summary = summary;
    if (arguments.empty()) throw InputError("the task is missing: " + line.usage);
    if (arguments.front() == "--help" || arguments.front() == "-h") {
      line.summary +=
          "\n`hyseq tasks " + verb + " TASK --help` adds the options of a task, `hyseq tasks list` names them.";
      return;
    }
    info = &tasks::find_task(arguments.front());
    line.usage = "hyseq tasks " + verb + " " + info->name + " [options]";
    line.summary += "\nTask " + info->name + ": " + info->summary + ".";
    for (const tasks::OptionInfo& option : info->options) {
      line.options.add_options()(option.name.c_str(), text(option.default_value.c_str()), option.meaning.c_str());
    }
  }

  [[nodiscard]] std::optional<po::variables_map> values(const Arguments& arguments) const {
    return parse(line, info == nullptr ? arguments : Arguments{arguments.begin() + 1, arguments.end()});
  }

  [[nodiscard]] std::unique_ptr<tasks::Task> make(const po::variables_map& values) const {
    tasks::OptionMap options;
    for (const tasks::OptionInfo& option : info->options) options[option.name] = values[option.name].as<std::string>();
    return tasks::make_task(info->name, options);
  }
};

void add_stream_options(po::options_description& options) {
  options.add_options()("seed", text("0"), "seed of the random numbers, 0 to 2^63-1")(
      "stream", text("training"), "training, calibration or evaluation: streams that share no sequence");
}

StreamKey stream_key(const po::variables_map& values) {
  const std::string stream = values["stream"].as<std::string>();
  const std::uint64_t seed = seed_option(values);
  if (stream == "training") return {seed, Purpose::training_data};
  if (stream == "calibration") return {seed, Purpose::calibration_data};
  if (stream == "evaluation") return {seed, Purpose::evaluation_data};
  throw InputError("--stream is '" + stream + "', allowed are: training, calibration, evaluation");
}

tasks::LengthRange length_range(const po::variables_map& values) {
  const auto [least, most] = parse_range("--length", required(values, "length"), 1, kMostLength);
  return {static_cast<std::size_t>(least), static_cast<std::size_t>(most)};
}

// ------------------------------------------------------------------------------------------------------------- list

int list(const Arguments& arguments) {
  CommandLine line{"hyseq tasks list [options]", "Lists the tasks and their options with defaults.", {}, {}};
  line.options.add_options()("json", text(), "write the list as JSON to this file, - for standard output");
  const auto values = parse(line, arguments);
  if (!values) return kSuccess;
  if (values->contains("json")) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const tasks::TaskInfo& task : tasks::catalogue()) {
      nlohmann::ordered_json options = nlohmann::ordered_json::array();
      for (const tasks::OptionInfo& option : task.options) {
        options.push_back({{"name", option.name}, {"default", option.default_value}, {"meaning", option.meaning}});
      }
      all.push_back({{"name", task.name}, {"summary", task.summary}, {"options", options}});
    }
    write_json(required(*values, "json"), {{"tasks", all}});
    return kSuccess;
  }
  for (const tasks::TaskInfo& task : tasks::catalogue()) {
    std::cout << task.name << "\n  " << task.summary << "\n";
    for (const tasks::OptionInfo& option : task.options) {
      std::cout << "    --" << std::left << std::setw(16) << option.name << " default " << std::setw(6)
                << option.default_value << option.meaning << "\n";
    }
  }
  return kSuccess;
}

// ------------------------------------------------------------------------------------------------------------- show

/// One row, input over target, every column as wide as the row's widest token, wrapped to the terminal.
void print_row(const tasks::Vocabulary& vocabulary, std::span<const std::int32_t> input,
               std::span<const std::int32_t> target) {
  constexpr std::size_t label_width = 10;
  const auto name = [&](std::int32_t token) { return token == vocabulary.null() ? "." : vocabulary.name(token); };
  std::size_t width = std::to_string(input.size() - 1).size();
  for (const std::int32_t token : input) width = std::max(width, name(token).size());
  for (const std::int32_t token : target) width = std::max(width, name(token).size());
  width += 1;
  const std::size_t columns = std::max<std::size_t>(1, (terminal_width() - label_width) / width);
  const auto print_line = [&](const char* label, std::size_t begin, const auto& cell) {
    std::cout << std::left << std::setw(label_width) << label << std::right;
    for (std::size_t i = begin; i < std::min(begin + columns, input.size()); ++i) {
      std::cout << std::setw(static_cast<int>(width)) << cell(i);
    }
    std::cout << "\n";
  };
  for (std::size_t begin = 0; begin < input.size(); begin += columns) {
    print_line("position", begin, [](std::size_t i) { return std::to_string(i); });
    print_line("input", begin, [&](std::size_t i) { return name(input[i]); });
    print_line("target", begin, [&](std::size_t i) { return name(target[i]); });
    std::cout << "\n";
  }
}

int show(const Arguments& arguments) {
  TaskCommand command("show", "Prints example rows, input over target, with the names of the tokens.", arguments);
  command.line.options.add_options()("rows", text("3"), "rows to print, 1 to 1000000000")(
      "length", text("40"), "tokens in a row, L or uniform on A..B");
  add_stream_options(command.line.options);
  const auto values = command.values(arguments);
  if (!values) return kSuccess;
  const auto task = command.make(*values);
  const tasks::LengthRange lengths = length_range(*values);
  const std::int64_t rows = integer_option(*values, "rows", 1, kMostRows);
  const StreamKey key = stream_key(*values);

  const tasks::Vocabulary& vocabulary = task->vocabulary();
  task->check_length(lengths.max);
  std::cout << task->name() << ": " << vocabulary.size() << " tokens, " << vocabulary.name(0) << " to "
            << vocabulary.name(vocabulary.null()) << "; '.' is <null>: nothing to predict\n\n";
  for (std::int64_t row = 0; row < rows; ++row) {
    const tasks::Batch batch = tasks::sample_rows(*task, key, static_cast<std::uint64_t>(row), 1, lengths);
    std::size_t length = batch.length;
    while (batch.input[length - 1] == vocabulary.null()) --length;  // padding of a row shorter than the longest
    std::cout << "row " << row << "\n";
    print_row(vocabulary, std::span(batch.input).first(length), std::span(batch.target).first(length));
  }
  return kSuccess;
}

// ---------------------------------------------------------------------------------------------------- sample, label

void write_attributes(Hdf5Writer& writer, const tasks::Task& task, std::size_t rows, std::size_t length) {
  const tasks::Vocabulary& vocabulary = task.vocabulary();
  writer.attribute("format", 1);
  writer.attribute("task", task.name());
  writer.attribute("rows", rows);
  writer.attribute("L", length);
  writer.attribute("vocab", vocabulary.size());
  writer.attribute("values", vocabulary.values());
  writer.attribute("bos", vocabulary.bos());
  writer.attribute("eos", vocabulary.eos());
  writer.attribute("null", vocabulary.null());
  for (const tasks::Parameter& parameter : task.parameters()) {
    std::visit([&](auto value) { writer.attribute(parameter.name, value); }, parameter.value);
  }
}

int sample(const Arguments& arguments) {
  TaskCommand command("sample",
                      "Writes a data set (HDF5): datasets input and target, int32 [rows, L], and attributes.\n"
                      "The same seed gives the same rows on every machine and for every number of threads.",
                      arguments);
  command.line.options.add_options()("length", text(), "tokens in an example, L or uniform on A..B; required")(
      "rows", text(), "number of rows, 1 to 1000000000; required")(
      "first-row", text("0"), "number of the first row in the stream, 0 to 2^63-1")(
      "context", text(), "tokens in a row that packs several examples between <bos> and <eos>; adds dataset segment")(
      "output", text(), "file to write; required")("threads", text("0"), "threads, 0 for one per core");
  add_stream_options(command.line.options);
  const auto values = command.values(arguments);
  if (!values) return kSuccess;
  const auto task = command.make(*values);
  const tasks::LengthRange lengths = length_range(*values);
  const auto rows = static_cast<std::size_t>(integer_option(*values, "rows", 1, kMostRows));
  const auto first_row = static_cast<std::uint64_t>(
      integer_option(*values, "first-row", 0, std::numeric_limits<std::int64_t>::max() - kMostRows));
  const StreamKey key = stream_key(*values);
  const std::size_t threads = threads_option(*values);
  const std::string output = required(*values, "output");

  Hdf5Writer writer(output);  // before the work, so that a missing folder is told at once
  tasks::PackedBatch packed;
  if (values->contains("context")) {
    const auto context = static_cast<std::size_t>(integer_option(*values, "context", 1, kMostLength));
    packed = tasks::sample_packed(*task, key, first_row, rows, context, lengths, threads);
    writer.write("segment", Array<std::int32_t>{{rows, context}, std::move(packed.segment)});
  } else {
    packed.batch = tasks::sample_rows(*task, key, first_row, rows, lengths, threads);
  }
  tasks::Batch& batch = packed.batch;
  writer.write("input", Array<std::int32_t>{{rows, batch.length}, std::move(batch.input)});
  writer.write("target", Array<std::int32_t>{{rows, batch.length}, std::move(batch.target)});
  write_attributes(writer, *task, rows, batch.length);
  writer.attribute("kind", "random");
  writer.attribute("seed", static_cast<std::int64_t>(key.seed));
  writer.attribute("stream", (*values)["stream"].as<std::string>());
  writer.attribute("first_row", first_row);
  writer.attribute("length_min", lengths.min);
  writer.attribute("length_max", lengths.max);
  writer.commit();
  return kSuccess;
}

int label(const Arguments& arguments) {
  TaskCommand command("label",
                      "Labels your own inputs: reads dataset input, integers [rows, L], and writes dataset target.",
                      arguments);
  command.line.options.add_options()("input", text(), "HDF5 file to read; required")(
      "output", text(), "HDF5 file to write; required")("threads", text("0"), "threads, 0 for one per core");
  const auto values = command.values(arguments);
  if (!values) return kSuccess;
  const auto task = command.make(*values);
  const std::size_t threads = threads_option(*values);
  const std::string input_path = required(*values, "input");
  const std::string output_path = required(*values, "output");
  refuse_same_file(*values, "input", "output");

  const Array<std::int32_t> input = Hdf5Reader(input_path).read_integers("input");
  if (input.shape.size() != 2) {
    throw InputError("file '" + input_path + "': dataset 'input' has " + std::to_string(input.shape.size()) +
                     " dimensions, allowed are two, [rows, L]");
  }
  task->check_length(input.shape[1]);
  Array<std::int32_t> target{input.shape,
                             tasks::label_rows(*task, input.values, input.shape[0], input.shape[1], threads)};
  Hdf5Writer writer(output_path);
  writer.write("target", target);
  write_attributes(writer, *task, input.shape[0], input.shape[1]);
  writer.commit();
  return kSuccess;
}

constexpr Command kVerbs[] = {
    {"list", "lists the tasks and their options", list},
    {"show", "prints example rows, input over target", show},
    {"sample", "writes a data set (HDF5)", sample},
    {"label", "labels your own inputs", label},
};

}  // namespace

int run_tasks(const std::vector<std::string>& arguments) {
  const std::string usage = "hyseq tasks list | show TASK | sample TASK | label TASK";
  if (arguments.empty()) throw InputError("what to do with the tasks is missing: " + usage);
  if (arguments.front() == "--help" || arguments.front() == "-h") {
    std::cout << "usage: " << usage << "\n\n";
    for (const Command& verb : kVerbs)
      std::cout << "  " << std::left << std::setw(8) << verb.name << verb.summary << "\n";
    std::cout << "\n`hyseq tasks VERB --help` and `hyseq tasks VERB TASK --help` describe the options.\n";
    return kSuccess;
  }
  for (const Command& verb : kVerbs) {
    if (arguments.front() == verb.name) return verb.run({arguments.begin() + 1, arguments.end()});
  }
  throw InputError("there is no 'hyseq tasks " + arguments.front() + "', allowed are: list, show, sample, label");
}

}  // namespace hyseq::cli
