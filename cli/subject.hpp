// The model that a command looks at: a model file, or the weights of a stored run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/data_options.hpp"
#include "cli/options.hpp"
#include "trainers/configuration.hpp"

namespace hyseq::cli {

/// The weights' file and, for a stored run, the configuration that it was trained with.
struct Subject {
  std::string file;
  std::optional<trainers::RunConfiguration> trained;

  /// Task or data file that the run was trained on; empty for a file.
  [[nodiscard]] std::string data() const {
    if (!trained) return "";
    return trained->data.task.empty() ? trained->data.file : trained->data.task;
  }
};

/// --model and --store among the arguments, before they are parsed: the defaults of other options depend on them. Where
/// --model is no file it is the beginning of a run's id in the store. InputError where no run or several are meant, or
/// the run's weights are not there.
[[nodiscard]] Subject find_subject(const std::vector<std::string>& arguments);

/// What a command that puts a model to a task was asked.
struct ModelQuestion {
  Subject subject;
  DataChoice choice;
  /// With --model among them; nothing where --help was asked.
  std::optional<po::variables_map> values;
};

/// Parses --task with the task's options, --model, and the command's own options of `line`; what is not given is what
/// the stored run was trained with. InputError as in `parse`, and without a model.
[[nodiscard]] ModelQuestion parse_model_question(const CommandLine& line, const std::vector<std::string>& arguments);

}  // namespace hyseq::cli
