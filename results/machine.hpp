// Where a result was made.
#pragma once

#include <string>
#include <vector>

namespace hyseq::results {

[[nodiscard]] std::string program_version();

/// Instruction sets of this processor that matter to numerical code, least first; may be empty.
[[nodiscard]] std::vector<std::string> instruction_sets();

/// "Intel(R) Xeon(R) CPU @ 2.20GHz, 2 threads"; the processor's name where the system tells it.
[[nodiscard]] std::string machine_text();

}  // namespace hyseq::results
