// Random architectures of every block variant, with weights of unit scale.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/base/random.hpp"
#include "kernels/program.hpp"
#include "models/architecture.hpp"

namespace hyseq::proofs_check {

struct RandomModel {
  models::Architecture architecture;
  kernels::Program program;
  kernels::ParameterValues values;
};

/// Unit scale in two senses. `entries`: every weight of a linear map is N(0, 1), so that scores are large and softmax
/// is sharp. `rows`: N(0, 1) / sqrt(inputs), so that every map keeps the size of its input. In both embedding entries
/// are N(0, 1), biases 0.3 N(0, 1), norm weights and skips 1 + 0.3 N(0, 1), A_log as initialised.
enum class UnitScale { entries, rows };

/// Model number `index`: 1 to 4 Transformer blocks, each with its own window of 1 to 8, norm, residual form, heads,
/// rotary width, divisor and base, positions, MLP and activation; width 4 to 16, 3 to 17 tokens, position codes in one
/// of four.
[[nodiscard]] RandomModel random_transformer(std::uint64_t seed, std::uint64_t index,
                                             UnitScale scale = UnitScale::rows);

/// The same with one block replaced by an SSM block of random switches, or SSM blocks alone; the bias of softplus step
/// sizes lies around -5, so that a state fades over hundreds of tokens.
[[nodiscard]] RandomModel random_hybrid(std::uint64_t seed, std::uint64_t index);

[[nodiscard]] kernels::ParameterValues unit_weights(const kernels::Program& program, RandomStream& stream,
                                                    UnitScale scale = UnitScale::rows);

/// `layers` windows with sum (W_i - 1) = reach, a uniform split.
[[nodiscard]] std::vector<int> split_windows(std::size_t reach, std::size_t layers, RandomStream& stream);

/// What a set of architectures covers: "norm layer", "residual none", "heads 2" ... with how many blocks have it.
[[nodiscard]] std::vector<std::pair<std::string, std::size_t>> coverage(
    const std::vector<models::Architecture>& architectures);
/// The names that coverage lists when nothing is left out.
[[nodiscard]] const std::vector<std::string>& all_variants();

}  // namespace hyseq::proofs_check
