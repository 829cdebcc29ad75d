// The model that a command looks at: a model file, or the weights of a stored run.
#pragma once

#include <optional>
#include <string>
#include <vector>

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

}  // namespace hyseq::cli
