#include "kernels/rotary/rotary.hpp"

#include <numbers>

#include <boost/math/constants/constants.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>

namespace hyseq::kernels {

std::vector<std::uint64_t> rotary_turns(int width, double base, int divisor) {
  // Fifty digits, so that the rounding to 2^-64 turns is the only error.
  using Wide = boost::multiprecision::cpp_bin_float_50;
  const auto& two_pi = boost::math::constants::two_pi<Wide>();
  std::vector<std::uint64_t> turns;
  for (int i = 0; i < width / 2; ++i) {
    const Wide frequency = pow(Wide(base), Wide(-2 * i) / Wide(divisor)) / two_pi;
    const Wide scaled = ldexp(Wide(frequency - floor(frequency)), 64);
    turns.push_back(static_cast<std::uint64_t>(round(scaled)));
  }
  return turns;
}

double rotary_angle(std::uint64_t position, std::uint64_t turns) {
  const auto phase = static_cast<std::int64_t>(position * turns);
  return static_cast<double>(phase) * (std::numbers::pi * 0x1p-63);
}

}  // namespace hyseq::kernels
