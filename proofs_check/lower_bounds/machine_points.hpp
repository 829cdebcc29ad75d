// Machines as points beside the curve: which state each input leaves behind, hence the bits used and the success.
//
// For a model (trained, random, constructed) the inputs are read one by one, what it carries is rounded to a grid
// (stack_product/state_grid.hpp), and every question is asked of the state that is left. The bound of Theorem 3.3 in
// its general form, log2 K >= H(F^(U)) - q h(eps), holds for the counts themselves, whatever inputs were drawn.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/base/number_format.hpp"
#include "proofs_check/lower_bounds/enumerate.hpp"
#include "proofs_check/stack_product/stack.hpp"

namespace hyseq::proofs_check {

/// `count` times input `input` (0 .. |V|^m - 1, its row in the table of answers) left state `state` behind.
struct StateCount {
  std::uint64_t state = 0;
  std::uint64_t input = 0;
  std::uint64_t count = 1;
};

/// The table of answers must be an injective map.
struct MachinePoint {
  std::string name;
  std::uint64_t states = 0;  // distinct
  double bits = 0;           // log2 of them
  std::uint64_t weight = 0;  // sum of the counts
  bool uniform = false;      // every input with the same count: the theorem's distribution
  std::uint64_t errors = 0;  // of the best answers per state and question, among weight x q
  double success = 0;
  std::optional<std::uint64_t> own_right;  // the model's own right answers, never more than the best ones
  double own_success = 0;
  double input_bits = 0;  // H(U) of the counts: m log2|V| where uniform
  double bound_bits = 0;  // H(U) - q h(eps), what the bound asks of `bits`
  bool violates = false;  // fewer bits than that; exact where uniform, else by enclosure
};

/// InputError for an empty list, an input outside the table or more own right answers than the best decoder has.
[[nodiscard]] MachinePoint machine_point(const QueryTable& table, std::span<const StateCount> counts,
                                         std::optional<std::uint64_t> own_right = std::nullopt,
                                         const Misreport& misreport = {});

/// How a model is asked for N letters that it has read: question j is the token `questions[j]`, its right answer the
/// letter read at place `source[j]` of 0 .. N-1.
struct CopyProbe {
  int letters = 2;
  int length = 1;
  std::vector<std::int32_t> letter_tokens;
  std::vector<std::int32_t> questions;
  std::vector<int> source;
};

/// Selective copying: value tokens 0 .. letters-1, then number tokens from `first_number` on for distances 1 .. length
/// back from the number token itself.
[[nodiscard]] CopyProbe copy_probe(int letters, int length, std::int32_t first_number);

/// The model on all letters^length inputs: the states left behind (after rounding by the stack's grid) and its own
/// answers, the largest logit among all tokens, a tie being wrong. InputError where a token is outside the vocabulary,
/// a layer is not recurrent or the inputs are more than 2^20.
[[nodiscard]] MachinePoint model_point(const Stack& stack, NumberFormat format, const CopyProbe& probe,
                                       const Misreport& misreport = {});

/// For a trained model: a grid whose step for every carried number is the least power of two (within 1/256 .. 256) that
/// reaches the largest size that the number takes over all prefixes of all inputs, unrounded. 2 <= bits <= 8.
[[nodiscard]] StateGrid fitted_grid(const Stack& stack, NumberFormat format, const CopyProbe& probe, int bits);

/// The model's points with fitted grids of fewer and fewer bits, most bits first; 0 stands for no rounding.
[[nodiscard]] std::vector<MachinePoint> points_by_bits(Stack stack, NumberFormat format, const CopyProbe& probe,
                                                       const std::vector<int>& bits);

}  // namespace hyseq::proofs_check
