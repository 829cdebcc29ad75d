// A place in a kernel's source. std::source_location would do, but clang-tidy 14 does not know it.
#pragma once

#include <cstring>
#include <string>

#include "kernels/cuda/shape.hpp"

namespace hyseq::kernels::cuda {
inline namespace HYSEQ_CUDA_DEVICE {

struct Site {
  const char* file = "";
  int line = 0;

  /// As a default argument: where the function is called.
  [[nodiscard]] static constexpr Site current(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return {file, line};
  }

  [[nodiscard]] bool operator==(const Site& other) const {
    return line == other.line && (file == other.file || std::strcmp(file, other.file) == 0);
  }
  /// "name.hpp:12"
  [[nodiscard]] std::string text() const {
    const std::string path = file;
    return path.substr(path.rfind('/') + 1) + ":" + std::to_string(line);
  }
};

}  // namespace HYSEQ_CUDA_DEVICE
}  // namespace hyseq::kernels::cuda
