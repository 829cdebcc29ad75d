// An architecture is a value: the blocks of a model left to right, their sizes and their switches.
//
// Text form: blocks separated by commas, `SSM,TF`; a block or a parenthesised group may be repeated, `(SSM*5,TF)*4`.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kernels/elementwise/elementwise.hpp"

namespace hyseq::models {

using kernels::Activation;

enum class Norm { layer, rms, none };
enum class Residual { parallel, sequential, none };
enum class Positions { rotary, none };
enum class StepSize { softplus, identity };

/// Transformer block in GPT-NeoX form (docs/models.md, section 2). heads divides the model width.
struct TransformerBlock {
  Norm norm = Norm::layer;
  Residual residual = Residual::parallel;  // `none`: the block's output is the attention branch (plus the MLP's) alone
  Positions positions = Positions::rotary;
  int heads = 1;
  int window = 1 << 30;    // counts the position itself; at least the length is full attention
  int rotary_width = 0;    // even, at most the head width
  int rotary_divisor = 0;  // of the exponent; 0 means rotary_width
  double rotary_base = 10000;
  bool mlp = true;
  Activation activation = Activation::silu;
};

/// Mamba block, S6 (docs/models.md, section 3). Inner width e = expansion * width unless inner_width is set.
struct SsmBlock {
  Norm norm = Norm::rms;
  bool residual = true;
  int state_size = 16;
  int kernel = 4;  // 0 switches the convolution off
  bool gate = true;
  Activation activation = Activation::silu;  // behind the convolution, and of the gate
  StepSize step = StepSize::softplus;
  int step_rank = 0;    // 0 means ceil(width / 16)
  int inner_width = 0;  // 0 means 2 * width
};

using Block = std::variant<TransformerBlock, SsmBlock>;

/// A signed binary code of `bits` columns, added to the embedding from column `offset` on, of the position `delay`
/// tokens back.
struct PositionCodeSpec {
  int offset = 0;
  int bits = 0;
  int delay = 0;
};

struct Architecture {
  int width = 0;
  int vocabulary = 0;
  std::vector<Block> layers;
  Norm final_norm = Norm::layer;
  std::vector<PositionCodeSpec> position_codes;
};

/// rot = 2 ceil(fraction * head_width / 2); InputError where that exceeds the head width.
[[nodiscard]] int rotary_width(double fraction, int head_width);

/// The blocks of the text form, each a copy of `transformer` or `ssm`. InputError names what could not be read.
[[nodiscard]] std::vector<Block> parse_layers(std::string_view text, const TransformerBlock& transformer,
                                              const SsmBlock& ssm);

/// "SSM,TF".
[[nodiscard]] std::string layers_text(const Architecture& architecture);

/// InputError with one sentence where sizes or switches do not fit together.
void validate(const Architecture& architecture);

[[nodiscard]] int inner_width(const SsmBlock& block, int width);
[[nodiscard]] int step_rank(const SsmBlock& block, int width);

}  // namespace hyseq::models
