// Receptive fields of stacks of sliding-window layers: how far back the logits can depend on a token (Theorem 3.7 of
// Cooper, Diakonikolas, Ma, Sala 2026, arXiv 2603.08859, in the sharp form of docs/residual-classes.md).
//
// A window W counts the position itself, so a layer reaches W - 1 tokens back and a stack 1 + sum (W_i - 1) tokens in
// all. A convolution of width k reaches k - 1 tokens back, a recurrent state for ever.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/engine.hpp"
#include "models/receptive_field.hpp"

namespace hyseq::proofs_check {

using models::receptive_field;
using models::ReceptiveField;

struct ProbeRequest {
  const kernels::Engine* engine = nullptr;
  NumberFormat format = NumberFormat::float64;
  std::uint64_t claimed = 1;  // receptive field to be tested, in tokens
  std::size_t outside = 4;    // tokens in front of it
  int contexts = 64;          // random contexts in which the token on the edge may show, at most
  std::uint64_t seed = 1;
  std::uint64_t index = 0;  // of the random stream
};

struct ProbeFindings {
  bool finite = true;         // all logits were finite numbers
  bool causal = true;         // no logit before a changed token moved
  bool outside_equal = true;  // the last logits are bitwise the same whatever lies in front of the claimed field
  bool edge_seen = false;     // they differ when the first token of the claimed field changes
  int contexts = 0;           // tried until it showed
  std::string counterexample;

  /// Nothing outside shows and the edge does: the claimed field is the field.
  [[nodiscard]] bool sharp() const { return finite && causal && outside_equal && edge_seen; }
};

/// Runs the program on random contexts of claimed + outside tokens. Changed outside: every token in front of the field
/// at once, and the nearest one alone.
[[nodiscard]] ProbeFindings probe(const kernels::Program& program, const kernels::ParameterValues& values,
                                  const ProbeRequest& request);

/// [time, vocabulary] of one sequence.
[[nodiscard]] std::vector<double> sequence_logits(const kernels::Engine& engine, NumberFormat format,
                                                  const kernels::Program& program,
                                                  const kernels::ParameterValues& values,
                                                  const std::vector<std::int32_t>& tokens);

/// The token with the single largest logit at the last position, or -1 where several share it.
[[nodiscard]] std::int32_t last_answer(const std::vector<double>& logits, std::int32_t vocabulary);

/// Bitwise equality of the rows [begin, end) of two logit arrays.
[[nodiscard]] bool same_rows(const std::vector<double>& a, const std::vector<double>& b, std::size_t vocabulary,
                             std::size_t begin, std::size_t end);

}  // namespace hyseq::proofs_check
