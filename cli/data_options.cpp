#include "cli/data_options.hpp"

#include "cli/options.hpp"
#include "kernels/base/error.hpp"
#include "trainers/data.hpp"

namespace hyseq::cli {
namespace {

bool is_file(const std::string& name) {
  return name.ends_with(".h5") || name.ends_with(".hdf5") || name.find('/') != std::string::npos;
}

}  // namespace

DataChoice find_data_choice(const std::vector<std::string>& arguments, const std::string& otherwise) {
  std::string name = otherwise;
  const std::string option = "--task";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == option && i + 1 < arguments.size()) name = arguments[i + 1];
    if (arguments[i].starts_with(option + "=")) name = arguments[i].substr(option.size() + 1);
  }
  if (name.empty()) return {};
  if (is_file(name)) return {nullptr, name};
  return {&tasks::find_task(name), ""};
}

void add_data_options(po::options_description& options, const DataChoice& choice, const tasks::OptionMap& defaults) {
  options.add_options()("task", text(),
                        "task (`hyseq tasks list` names them; its options follow) or data file *.h5 with int datasets "
                        "input and target [rows, length]; required where no run brings its own");
  if (choice.task == nullptr) return;
  for (const tasks::OptionInfo& option : choice.task->options) {
    const auto found = defaults.find(option.name);
    const std::string& value = found == defaults.end() ? option.default_value : found->second;
    options.add_options()(option.name.c_str(), text()->default_value(value), option.meaning.c_str());
  }
}

ChosenData data_option(const po::variables_map& values, const DataChoice& choice) {
  ChosenData chosen;
  if (choice.task == nullptr && choice.file.empty())
    throw InputError("--task is missing, allowed is a task that `hyseq tasks list` names or a data file *.h5");
  if (choice.task == nullptr) {
    const trainers::FileDescription file = trainers::describe_file(choice.file);
    chosen.data = file.data;
    chosen.vocabulary = file.vocabulary;
    chosen.file_rows = file.rows;
    return chosen;
  }
  chosen.data.task = choice.task->name;
  for (const tasks::OptionInfo& option : choice.task->options)
    chosen.data.options[option.name] = required(values, option.name);
  chosen.vocabulary = tasks::make_task(chosen.data.task, chosen.data.options)->vocabulary().size();
  return chosen;
}

}  // namespace hyseq::cli
