// Time spent, for records and progress; never part of a result.
#pragma once

#include <chrono>

namespace hyseq {

[[nodiscard]] inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace hyseq
