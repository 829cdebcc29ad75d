#include "constructions/gadgets/decaying_register.hpp"

#include <cmath>

#include "constructions/gadgets/plain_blocks.hpp"

namespace hyseq::constructions {

models::SsmBlock DecayingRegister::block() const { return linear_ssm(models::StepSize::identity, 1, 3); }

void DecayingRegister::write(WeightWriter& weights, const std::string& prefix) const {
  const Subspace* sources[] = {&value, &flag, &one};
  for (int channel = 0; channel < 3; ++channel) {
    weights.at(prefix + "in_proj.weight", channel, sources[channel]->at(0)) = 1;
  }
  weights.at(prefix + "x_proj.weight", 0, 1) = 1;  // p = flag
  weights.at(prefix + "x_proj.weight", 1, 2) = 1;  // B = 1
  weights.at(prefix + "x_proj.weight", 2, 2) = 1;  // C = 1
  weights.at(prefix + "dt_proj.weight", 0, 0) = 1;
  weights.at(prefix + "A_log", 0, 0) = std::log(-std::log(lambda));
  weights.at(prefix + "out_proj.weight", target.at(0), 0) = 1;
}

}  // namespace hyseq::constructions
