// The rules of who may include whom, as a function of a file's path and text, so that the rules can be tested
// themselves.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace hyseq::layers {

/// The layers, lowest first. A file may include files of its own layer and of the layers before it.
inline constexpr std::string_view kLayers[] = {"kernels", "tasks",    "models",       "constructions",
                                               "results", "trainers", "proofs_check", "cli"};

/// One broken rule: where, and a sentence that says what to do about it.
struct Violation {
  std::string file;  // relative to the project's root
  int line = 0;      // from 1
  std::string reason;
};

/// Checks the include lines of one source file. `root` is the project's root, `file` the path relative to it, `text`
/// its content. Includes of the project are written in quotes and from the root; they name an existing file of the same
/// layer or of a lower one. Files outside the layers (tests, benchmarks) may include every layer.
[[nodiscard]] std::vector<Violation> check_text(const std::filesystem::path& root, const std::string& file,
                                                std::string_view text);

/// What was found in a whole tree: every .hpp, .cpp, .cuh and .cu file below the folders of the layers, tests/ and
/// benchmarks/.
struct TreeReport {
  std::size_t files = 0;
  std::size_t includes = 0;  // of the project's own files
  std::vector<Violation> violations;
};

[[nodiscard]] TreeReport check_tree(const std::filesystem::path& root);

}  // namespace hyseq::layers
