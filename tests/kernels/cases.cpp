#include "tests/kernels/cases.hpp"

namespace hyseq::kernels {

const std::vector<CaseGroup>& case_groups() {
  static const std::vector<CaseGroup> groups = {{"embedding", embedding_cases},
                                                {"position_code", position_code_cases},
                                                {"linear", linear_cases},
                                                {"norms", norm_cases},
                                                {"cross_entropy", cross_entropy_cases},
                                                {"activations", activation_cases},
                                                {"add", add_cases},
                                                {"multiply", multiply_cases},
                                                {"dropout", dropout_cases},
                                                {"rotary", rotary_cases},
                                                {"conv", conv_cases},
                                                {"scan", scan_cases},
                                                {"attention", attention_cases},
                                                {"dropped_attention", dropped_attention_cases}};
  return groups;
}

}  // namespace hyseq::kernels
