// The first, recurrent layer of a construction alone: the same lowering, weights and engine, cut behind layer 0.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "constructions/construction.hpp"
#include "kernels/reference/session.hpp"
#include "models/lowering.hpp"

namespace hyseq::proofs_check {

template <class Scalar>
class RecurrentLayer {
 public:
  explicit RecurrentLayer(const constructions::Construction& construction)
      : session_(make_session(construction)), scan_(find_scan(session_.program())) {}

  [[nodiscard]] kernels::Carry<Scalar> fresh(std::size_t rows) const { return session_.fresh(rows); }

  /// Moves every row of the carry over one token.
  void step(std::span<const std::int32_t> tokens, kernels::Carry<Scalar>& carry) {
    session_.forward({tokens, tokens.size(), 1}, carry, kernels::Depth::layers);
  }

  /// What the token's update of the state depends on, bit by bit: per channel whose step is not zero its step, its
  /// drive and, if there is any, B. Equal signatures are the same map of states. Rows are those of the last `step`.
  [[nodiscard]] std::string signature(std::size_t row) const {
    std::string bytes;
    bool moves = false;
    for (int c = 0; c < scan_.u.width; ++c) {
      const Scalar& step = session_.row(scan_.step, row)[c];
      if (kernels::is_exact_zero(numbers::Numeric<Scalar>::widen(step))) continue;
      moves = true;
      append(bytes, c);
      append(bytes, step);
      append(bytes, session_.row(scan_.u, row)[c]);
    }
    for (int n = 0; moves && n < scan_.input.width; ++n) append(bytes, session_.row(scan_.input, row)[n]);
    return bytes;
  }

  /// The state's bits, with -0 taken as 0.
  [[nodiscard]] static std::string state(const kernels::Carry<Scalar>& carry, std::size_t row) {
    std::string bytes;
    for (std::size_t i = 0; i < carry.stride; ++i) {
      const Scalar value = carry.row(row)[i];
      append(bytes, kernels::is_exact_zero(numbers::Numeric<Scalar>::widen(value))
                        ? numbers::Numeric<Scalar>::from_double(0)
                        : value);
    }
    return bytes;
  }

 private:
  template <class T>
  static void append(std::string& bytes, const T& value) {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    bytes.append(raw, sizeof(T));
  }

  static kernels::ReferenceSession<Scalar> make_session(const constructions::Construction& construction) {
    models::Architecture first = construction.architecture;
    first.layers.resize(1);
    const kernels::Program program = models::lower(first);
    kernels::ParameterValues values;
    for (const kernels::ParameterInfo& wanted : program.parameters) {
      const auto& all = construction.program.parameters;
      const auto found =
          std::find_if(all.begin(), all.end(), [&](const auto& info) { return info.name == wanted.name; });
      values.push_back(construction.values[static_cast<std::size_t>(found - all.begin())]);
    }
    return kernels::ReferenceSession<Scalar>(program, values, 1);
  }

  static kernels::SelectiveScan find_scan(const kernels::Program& program) {
    for (const kernels::Operation& operation : program.forward) {
      if (const auto* scan = std::get_if<kernels::SelectiveScan>(&operation)) return *scan;
    }
    throw std::logic_error("the first layer has no scan");
  }

  kernels::ReferenceSession<Scalar> session_;
  kernels::SelectiveScan scan_;
};

}  // namespace hyseq::proofs_check
