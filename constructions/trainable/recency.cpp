#include "constructions/trainable/recency.hpp"

#include <cmath>
#include <numbers>

namespace hyseq::constructions {
namespace {
constexpr double kHalfSweep = 0.5;
}

Recency::Recency(int window, double gamma)
    : theta_(2 * kHalfSweep / (window - 1)), size_(gamma / (2 * std::sin(theta_ / 2) * std::cos(kHalfSweep))) {}

double Recency::range() const { return 2 * size_ * std::sin(kHalfSweep); }

void Recency::set_rotary(models::TransformerBlock& block) const {
  block.rotary_width = 4;
  block.rotary_base = 1 / (theta_ * theta_);  // frequencies 1 and theta
}

void Recency::write(WeightWriter& weights, const std::string& prefix, int width, double scale) const {
  const double phase = std::numbers::pi / 2 - kHalfSweep;
  weights.at(prefix + "qkv.bias", 1) = size_ * std::cos(phase) * scale;
  weights.at(prefix + "qkv.bias", 3) = size_ * std::sin(phase) * scale;
  weights.at(prefix + "qkv.bias", width + 1) = 1;
}

}  // namespace hyseq::constructions
