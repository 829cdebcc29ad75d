// Options that say on which data a model is trained or evaluated.
#pragma once

#include <string>
#include <vector>

#include <boost/program_options.hpp>

#include "tasks/registry.hpp"
#include "trainers/configuration.hpp"

namespace hyseq::cli {

/// A task of the catalogue or a data file, told apart by name: what ends in .h5 or .hdf5 or holds a slash is a file.
struct DataChoice {
  const tasks::TaskInfo* task = nullptr;  // null for a file
  std::string file;
};

/// The value of --task among the arguments, before they are parsed: the task's own options depend on it. `otherwise`
/// where there is none. InputError for an unknown task.
[[nodiscard]] DataChoice find_data_choice(const std::vector<std::string>& arguments, const std::string& otherwise);

/// --task and the options of the task, with `defaults` over the task's own.
void add_data_options(boost::program_options::options_description& options, const DataChoice& choice,
                      const tasks::OptionMap& defaults = {});

/// Task and its options, or the description of the file; and the vocabulary.
struct ChosenData {
  trainers::DataConfiguration data;
  int vocabulary = 0;
  std::int64_t file_rows = 0;
};
[[nodiscard]] ChosenData data_option(const boost::program_options::variables_map& values, const DataChoice& choice);

}  // namespace hyseq::cli
