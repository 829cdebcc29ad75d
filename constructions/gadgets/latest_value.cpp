#include "constructions/gadgets/latest_value.hpp"

#include <cmath>

#include "constructions/gadgets/plain_blocks.hpp"

namespace hyseq::constructions {

models::SsmBlock LatestValue::block() const { return linear_ssm(models::StepSize::identity, 1, value.width + 2); }

void LatestValue::write(WeightWriter& weights, const std::string& prefix) const {
  const int flag_channel = value.width;
  const int one_channel = value.width + 1;
  for (int i = 0; i < value.width; ++i) {
    weights.at(prefix + "in_proj.weight", i, value.at(i)) = 1;
    weights.at(prefix + "D", i) = -1;
    weights.at(prefix + "out_proj.weight", value.at(i), i) = 1;
  }
  weights.at(prefix + "in_proj.weight", flag_channel, flag.at(0)) = 1;
  weights.at(prefix + "in_proj.weight", one_channel, one.at(0)) = 1;
  weights.at(prefix + "x_proj.weight", 0, flag_channel) = 1;  // p = flag
  weights.at(prefix + "x_proj.weight", 1, one_channel) = 1;   // B = 1
  weights.at(prefix + "x_proj.weight", 2, one_channel) = 1;   // C = 1
  weights.fill(prefix + "dt_proj.weight", 1);
  weights.fill(prefix + "A_log", std::log(1000.0));
}

}  // namespace hyseq::constructions
