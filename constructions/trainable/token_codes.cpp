#include "constructions/trainable/token_codes.hpp"

#include <cmath>

namespace hyseq::constructions {

void write_token_codes(WeightWriter& weights, const Frame& frame, const std::vector<Code>& codes, bool wrong_code) {
  for (std::size_t id = 0; id < codes.size(); ++id) {
    const Code& code = codes[wrong_code && id == 0 ? 1 : id];
    for (int i = 0; i < frame.width(); ++i) {
      double x = frame.at(0, i);
      for (std::size_t k = 0; k < code.size(); ++k) x += code[k] * frame.at(1 + static_cast<int>(k), i);
      weights.at("embedding", static_cast<int>(id), i) = x;
    }
  }
}

void write_code_values(WeightWriter& weights, const Frame& frame, const std::string& prefix, int dimensions,
                       double shown, double gain) {
  weights.fill(prefix + "norm1.weight", 1);
  weights.fill(prefix + "norm2.weight", 1);
  for (int k = 0; k < dimensions; ++k) {
    frame.read(weights, prefix + "qkv.weight", 2 * frame.width() + k, 1 + k, 1 / shown);
    frame.write(weights, prefix + "out_proj.weight", k, 1 + k, gain);
  }
}

double head_weight(int width, double code_gap) {
  constexpr double kLogitGap = 16;
  return kLogitGap / (code_gap * std::sqrt(static_cast<double>(width)));
}

}  // namespace hyseq::constructions
