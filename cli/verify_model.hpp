// hyseq verify --model: the shortest sequence on which a stored model fails its task.
#pragma once

#include <string>
#include <vector>

namespace hyseq::cli {

/// Whether these arguments of `hyseq verify` ask about a model and not about a theorem.
[[nodiscard]] bool asks_about_model(const std::vector<std::string>& arguments);

/// Returns an ExitCode as the commands do.
int run_verify_model(const std::vector<std::string>& arguments);

}  // namespace hyseq::cli
