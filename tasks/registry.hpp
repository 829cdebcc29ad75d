// The tasks by name.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tasks/options.hpp"
#include "tasks/task.hpp"

namespace hyseq::tasks {

struct TaskInfo {
  std::string name;
  std::string summary;  // one line
  std::vector<OptionInfo> options;
  std::unique_ptr<Task> (*make)(const OptionValues& options);
};

/// All tasks in the order of docs/tasks.md.
[[nodiscard]] const std::vector<TaskInfo>& catalogue();

/// Throws InputError for an unknown task, naming all tasks.
[[nodiscard]] const TaskInfo& find_task(const std::string& name);

/// Options not given take the defaults. Throws InputError for an unknown task or option and for bad values.
[[nodiscard]] std::unique_ptr<Task> make_task(const std::string& name, const OptionMap& options = {});

}  // namespace hyseq::tasks
