#include "cli/subject.hpp"

#include <filesystem>

#include "kernels/base/error.hpp"
#include "results/run_store.hpp"

namespace hyseq::cli {
namespace {

namespace fs = std::filesystem;

/// The value of an option before the arguments are parsed.
std::string early(const std::vector<std::string>& arguments, const std::string& option) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == option && i + 1 < arguments.size()) return arguments[i + 1];
    if (arguments[i].starts_with(option + "=")) return arguments[i].substr(option.size() + 1);
  }
  return "";
}

}  // namespace

Subject find_subject(const std::vector<std::string>& arguments) {
  const std::string model = early(arguments, "--model");
  const std::string store = early(arguments, "--store");
  if (model.empty() || store.empty() || fs::is_regular_file(model)) return {model, std::nullopt};
  const results::RunStore runs(store);
  std::vector<std::string> matching;
  for (const std::string& id : runs.ids())
    if (id.starts_with(model)) matching.push_back(id);
  if (matching.empty()) throw InputError("'" + model + "' is neither a model file nor a run of the store " + store);
  if (matching.size() > 1) {
    throw InputError("'" + model + "' begins the ids of " + std::to_string(matching.size()) + " runs of the store " +
                     store + "; give more digits");
  }
  const std::string file = (fs::path(store) / "models" / (matching.front() + ".h5")).string();
  if (!fs::exists(file)) throw InputError("the store " + store + " has no weights of the run " + matching.front());
  return {file, trainers::configuration_from_json(runs.load(matching.front()).configuration)};
}

ModelQuestion parse_model_question(const CommandLine& line, const std::vector<std::string>& arguments) {
  ModelQuestion question;
  question.subject = find_subject(arguments);
  question.choice = find_data_choice(arguments, question.subject.data());
  CommandLine all{line.usage, line.summary, {}, line.positionals};
  const auto& trained = question.subject.trained;
  add_data_options(all.options, question.choice, trained ? trained->data.options : tasks::OptionMap{});
  all.options.add_options()("model", text(), "model file or run; required");
  for (const auto& option : line.options.options()) all.options.add(option);
  question.values = parse(all, arguments);
  if (question.values) (void)required(*question.values, "model");
  return question;
}

}  // namespace hyseq::cli
