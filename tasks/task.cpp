#include "tasks/task.hpp"

#include "kernels/base/error.hpp"

namespace hyseq::tasks {

void Task::label(std::span<const std::int32_t> input, std::span<std::int32_t> target) const {
  if (input.size() != target.size()) {
    throw InputError("task " + name_ + ": the target has length " + std::to_string(target.size()) +
                     ", allowed is that of the input, " + std::to_string(input.size()));
  }
  vocabulary_.check(input);
  write_target(input, target);
}

void Task::sample(RandomStream& stream, std::span<std::int32_t> input) const {
  check_room(input.size());
  draw_input(stream, input);
}

void Task::require_length(std::size_t length, std::size_t least, const std::string& reason) const {
  if (length >= least) return;
  throw InputError("task " + name_ + ": length is " + std::to_string(length) + ", allowed is " + std::to_string(least) +
                   " or more, because " + reason);
}

}  // namespace hyseq::tasks
