// One block and an embedding, run alone through the reference engine in any number format.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "constructions/weight_writer.hpp"
#include "kernels/base/random.hpp"
#include "kernels/reference/session.hpp"
#include "models/lowering.hpp"

namespace hyseq::constructions {

using Scalars = testing::Types<double, float, numbers::BFloat16, numbers::Half>;

template <class Scalar>
inline constexpr NumberFormat kFormat = numbers::Numeric<Scalar>::format;

/// A model of one layer without final norm.
inline models::Architecture single_layer(int width, int vocabulary, const models::Block& block) {
  models::Architecture architecture;
  architecture.width = width;
  architecture.vocabulary = vocabulary;
  architecture.layers = {block};
  architecture.final_norm = models::Norm::none;
  return architecture;
}

/// Output of the layers for every position of one sequence, row by row, in double (exact).
template <class Scalar>
std::vector<std::vector<double>> hidden_rows(const kernels::Program& program, const kernels::ParameterValues& values,
                                             const std::vector<std::int32_t>& tokens, kernels::Trace* trace = nullptr) {
  kernels::ReferenceSession<Scalar> session(program, values, tokens.size());
  auto carry = session.fresh(1);
  session.forward({tokens, 1, tokens.size()}, carry, kernels::Depth::layers, trace);
  std::vector<std::vector<double>> rows(tokens.size());
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    for (int i = 0; i < program.hidden.width; ++i) {
      rows[t].push_back(numbers::Numeric<Scalar>::to_double(session.row(program.hidden, t)[i]));
    }
  }
  return rows;
}

inline std::vector<std::int32_t> random_tokens(std::size_t length, std::int32_t vocabulary, std::uint64_t index) {
  RandomStream random({11, Purpose::verification}, index);
  std::vector<std::int32_t> tokens(length);
  for (auto& token : tokens) {
    token = static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(vocabulary)));
  }
  return tokens;
}

/// Index of a parameter in the program.
inline std::size_t parameter_index(const kernels::Program& program, const std::string& name) {
  for (std::size_t p = 0; p < program.parameters.size(); ++p) {
    if (program.parameters[p].name == name) return p;
  }
  ADD_FAILURE() << "no parameter " << name;
  return 0;
}

}  // namespace hyseq::constructions
