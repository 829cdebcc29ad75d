// The instruction set that the lanes engine runs on.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/base/number_format.hpp"

namespace hyseq::kernels {

/// Those that this build has and this processor supports, best first: "avx512", "avx2", "sse4", "neon", "portable".
[[nodiscard]] std::vector<std::string> available_instruction_sets();

/// The one that new sessions and cohorts will use: the best available one unless another was selected.
[[nodiscard]] std::string current_instruction_set();

/// Makes all sessions and cohorts of the process that are made from now on use this one; "best" goes back to the
/// default. InputError for a name that is unknown or not available.
void select_instruction_set(std::string_view name);

/// Members that one vector of the current instruction set holds; 0 for a 16-bit format.
[[nodiscard]] std::size_t lane_count(NumberFormat format);

}  // namespace hyseq::kernels
