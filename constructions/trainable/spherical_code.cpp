#include "constructions/trainable/spherical_code.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <numeric>

#include "kernels/base/random.hpp"

namespace hyseq::constructions {
namespace {

double dot(const Code& a, const Code& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

void normalise(Code& code) {
  const double norm = std::sqrt(dot(code, code));
  for (double& x : code) x /= norm;
}

/// Forces |x - y|^-power, scaled by the smallest distance so that high powers neither vanish nor overflow.
void repel(std::vector<Code>& codes, double power, double step) {
  std::vector<Code> forces(codes.size(), Code(codes.front().size(), 0.0));
  const double nearest = 2 * decoder_gap(codes);  // squared distance
  double largest = 0;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    for (std::size_t j = 0; j < codes.size(); ++j) {
      if (i == j) continue;
      const double squared = std::max(2 - 2 * dot(codes[i], codes[j]), 1e-12);
      const double force = std::pow(nearest / squared, (power + 1) / 2);
      for (std::size_t k = 0; k < codes[i].size(); ++k) forces[i][k] += force * (codes[i][k] - codes[j][k]);
    }
    const double radial = dot(forces[i], codes[i]);
    for (std::size_t k = 0; k < codes[i].size(); ++k) forces[i][k] -= radial * codes[i][k];
    largest = std::max(largest, std::sqrt(dot(forces[i], forces[i])));
  }
  if (largest == 0) return;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    for (std::size_t k = 0; k < codes[i].size(); ++k) codes[i][k] += step * forces[i][k] / largest;
    normalise(codes[i]);
  }
}

}  // namespace

double decoder_gap(const std::vector<Code>& codes) {
  double gap = 2;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) gap = std::min(gap, 1 - dot(codes[i], codes[j]));
  }
  return gap;
}

std::vector<Code> spherical_code(int count, int dimension) {
  std::vector<Code> codes;
  if (dimension == 2) {
    for (int i = 0; i < count; ++i) {
      const double angle = 2 * std::numbers::pi * i / count;
      codes.push_back({std::cos(angle), std::sin(angle)});
    }
    return codes;
  }
  for (int i = 0; i < count; ++i) {
    Code code;
    for (int k = 0; k < dimension; ++k) {
      code.push_back(
          normal_real({0, Purpose::initialisation}, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(k)));
    }
    normalise(code);
    codes.push_back(std::move(code));
  }
  constexpr int kSteps = 150;
  for (const double power : {2.0, 8.0, 32.0, 96.0}) {
    const double reach = std::sqrt(2 * decoder_gap(codes));
    for (int step = 0; step < kSteps; ++step) repel(codes, power, 0.3 * reach * (kSteps - step) / kSteps);
  }
  return codes;
}

}  // namespace hyseq::constructions
