#include "kernels/memory.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>
#include <variant>

namespace hyseq::kernels {
namespace {

/// Numbers per token that a forward call keeps besides its output.
struct Kept {
  template <class Call>
  std::size_t operator()(const Call& call) const {
    // States and log-sum-exps are kept now and then, slopes and masks for every element.
    if constexpr (requires { call.u; }) {
      return static_cast<std::size_t>(call.u.width) * static_cast<std::size_t>(call.input.width) / 8;
    } else if constexpr (requires { call.heads; }) {
      return static_cast<std::size_t>(call.heads);
    } else if constexpr (
        requires { call.activation; } || requires { call.site; }) {
      return static_cast<std::size_t>(call.out.width);
    } else {
      return 1;
    }
  }
};

/// A number in a file of one, or the largest number.
std::size_t number_in(const char* path) {
  std::ifstream file(path);
  std::size_t value = 0;
  return file >> value ? value : std::numeric_limits<std::size_t>::max();
}

}  // namespace

std::size_t numbers_per_token(const Program& program, bool backward) {
  std::size_t numbers = 0;
  for (const BufferInfo& buffer : program.buffers) numbers += static_cast<std::size_t>(buffer.width);
  if (!backward) return numbers;
  for (const BufferInfo& buffer : program.gradients) numbers += static_cast<std::size_t>(buffer.width);
  for (const Operation& operation : program.forward) numbers += std::visit(Kept(), operation);
  return numbers;
}

std::size_t numbers_per_member(const Program& program) { return 4 * program.parameter_count(); }

std::size_t free_memory() {
  constexpr std::size_t kUnknown = std::numeric_limits<std::size_t>::max();
  std::size_t available = kUnknown;
  std::ifstream information("/proc/meminfo");
  for (std::string word; information >> word;) {
    std::size_t kib = 0;
    if (word == "MemAvailable:" && information >> kib) available = kib * 1024;
  }
  const std::size_t limit = number_in("/sys/fs/cgroup/memory.max");
  const std::size_t used = number_in("/sys/fs/cgroup/memory.current");
  if (limit == kUnknown || used == kUnknown) return available;
  return std::min(available, limit - std::min(limit, used));
}

}  // namespace hyseq::kernels
