// The families of cases, by the kind of operation.
#pragma once

#include "tests/kernels/program_case.hpp"

namespace hyseq::kernels {

struct BatchShape {
  std::size_t batch;
  std::size_t time;
};
inline constexpr BatchShape kShapes[] = {{1, 1}, {1, 7}, {2, 5}, {3, 1}};

// cases_rows.cpp: every row by itself.
[[nodiscard]] std::vector<ProgramCase> embedding_cases();
[[nodiscard]] std::vector<ProgramCase> position_code_cases();
[[nodiscard]] std::vector<ProgramCase> linear_cases();
[[nodiscard]] std::vector<ProgramCase> norm_cases();
[[nodiscard]] std::vector<ProgramCase> cross_entropy_cases();

// cases_elements.cpp: every element by itself.
[[nodiscard]] std::vector<ProgramCase> activation_cases();
[[nodiscard]] std::vector<ProgramCase> add_cases();
[[nodiscard]] std::vector<ProgramCase> multiply_cases();
[[nodiscard]] std::vector<ProgramCase> dropout_cases();
[[nodiscard]] std::vector<ProgramCase> rotary_cases();

// cases_sequences.cpp: rows that see earlier ones.
[[nodiscard]] std::vector<ProgramCase> conv_cases();
[[nodiscard]] std::vector<ProgramCase> scan_cases();
[[nodiscard]] std::vector<ProgramCase> attention_cases();
[[nodiscard]] std::vector<ProgramCase> dropped_attention_cases();

}  // namespace hyseq::kernels
