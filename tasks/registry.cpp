#include "tasks/registry.hpp"

#include "kernels/base/error.hpp"
#include "tasks/decode_recall.hpp"
#include "tasks/decode_recall_last.hpp"
#include "tasks/mkar.hpp"
#include "tasks/mqar.hpp"
#include "tasks/needle.hpp"
#include "tasks/needle_grid.hpp"
#include "tasks/selective_copy.hpp"
#include "tasks/selective_copy_mixed.hpp"

namespace hyseq::tasks {

const std::vector<TaskInfo>& catalogue() {
  static const std::vector<TaskInfo> tasks = {
      selective_copy_info(), selective_copy_mixed_info(), mkar_info(), decode_recall_info(), decode_recall_last_info(),
      needle_info(),         needle_grid_info(),          mqar_info(),
  };
  return tasks;
}

const TaskInfo& find_task(const std::string& name) {
  std::string names;
  for (const TaskInfo& task : catalogue()) {
    if (task.name == name) return task;
    names += (names.empty() ? "" : ", ") + task.name;
  }
  throw InputError("there is no task '" + name + "', allowed are: " + names);
}

std::unique_ptr<Task> make_task(const std::string& name, const OptionMap& options) {
  const TaskInfo& task = find_task(name);
  return task.make(OptionValues(task.name, task.options, options));
}

}  // namespace hyseq::tasks
