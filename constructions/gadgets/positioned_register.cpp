#include "constructions/gadgets/positioned_register.hpp"

#include "constructions/gadgets/plain_blocks.hpp"

namespace hyseq::constructions {
namespace {
constexpr double kSharpness = 1024;
}

models::SsmBlock PositionedRegister::block() const {
  return linear_ssm(models::StepSize::softplus, position.width, target.width + position.width + 1);
}

void PositionedRegister::write(WeightWriter& weights, const std::string& prefix) const {
  const int bits = position.width;
  const int position_channel = target.width;
  const int one_channel = target.width + bits;
  for (int i = 0; i < target.width; ++i) {
    weights.at(prefix + "in_proj.weight", i, value.at(0)) = 1;
    weights.at(prefix + "out_proj.weight", target.at(i), i) = 1;
    for (int k = 0; k < bits; ++k) {
      weights.at(prefix + "dt_proj.weight", i, k) = kSharpness * signed_bit(places[static_cast<std::size_t>(i)], k);
    }
    weights.at(prefix + "dt_proj.bias", i) = -kSharpness * (bits - 1);
  }
  for (int k = 0; k < bits; ++k) {
    weights.at(prefix + "in_proj.weight", position_channel + k, position.at(k)) = 1;
    weights.at(prefix + "x_proj.weight", k, position_channel + k) = 1;
    weights.at(prefix + "dt_proj.bias", position_channel + k) = -kSharpness;
  }
  weights.at(prefix + "in_proj.weight", one_channel, one.at(0)) = 1;
  weights.at(prefix + "dt_proj.bias", one_channel) = -kSharpness;
  weights.at(prefix + "x_proj.weight", bits, one_channel) = 1 / kSharpness;  // B
  weights.at(prefix + "x_proj.weight", bits + 1, one_channel) = 1;           // C
}

}  // namespace hyseq::constructions
