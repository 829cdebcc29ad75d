// The ordinary blocks with everything switched off that a gadget does not use.
#pragma once

#include "models/architecture.hpp"

namespace hyseq::constructions {

/// SSM alone: no norm, convolution or gate, one state per channel.
[[nodiscard]] inline models::SsmBlock linear_ssm(models::StepSize step, int step_rank, int inner_width) {
  models::SsmBlock block;
  block.norm = models::Norm::none;
  block.state_size = 1;
  block.kernel = 0;
  block.gate = false;
  block.activation = models::Activation::identity;
  block.step = step;
  block.step_rank = step_rank;
  block.inner_width = inner_width;
  return block;
}

/// Attention alone: no norm, no MLP, one head as wide as the model.
[[nodiscard]] inline models::TransformerBlock plain_attention(int window, models::Residual residual) {
  models::TransformerBlock block;
  block.norm = models::Norm::none;
  block.residual = residual;
  block.positions = models::Positions::none;
  block.mlp = false;
  block.activation = models::Activation::identity;
  block.window = window;
  return block;
}

}  // namespace hyseq::constructions
