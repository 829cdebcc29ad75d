#include "constructions/trainable/exponential_filter.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace hyseq::constructions {
namespace {

constexpr double kPenalty = 1e-10;
constexpr double kForgotten = 60;  // exp(-60) of a bit is nothing

/// Solves a symmetric positive definite system by Cholesky's decomposition.
std::vector<double> solve(std::vector<std::vector<double>> a, std::vector<double> b) {
  const std::size_t size = b.size();
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = a[i][j];
      for (std::size_t k = 0; k < j; ++k) sum -= a[i][k] * a[j][k];
      a[i][j] = i == j ? std::sqrt(sum) : sum / a[j][j];
    }
  }
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= a[i][k] * b[k];
    b[i] /= a[i][i];
  }
  for (std::size_t i = size; i-- > 0;) {
    for (std::size_t k = i + 1; k < size; ++k) b[i] -= a[k][i] * b[k];
    b[i] /= a[i][i];
  }
  return b;
}

}  // namespace

double ExponentialFilter::value(int word) const {
  double sum = 0;
  for (std::size_t k = 0; k < response.size(); ++k) sum += ((word >> k) & 1) != 0 ? response[k] : 0;
  return sum;
}

ExponentialFilter exponential_filter(int states, int bits, double step) {
  const auto size = static_cast<std::size_t>(states);
  // sum over k of exp(-T (m + n) k) in closed form.
  std::vector<std::vector<double>> gram(size, std::vector<double>(size));
  std::vector<double> target(size, 0.0);
  for (std::size_t m = 0; m < size; ++m) {
    for (std::size_t n = 0; n < size; ++n) {
      gram[m][n] = 1 / -std::expm1(-step * static_cast<double>(m + n + 2)) + (m == n ? kPenalty : 0);
    }
    for (int k = 0; k < bits; ++k) target[m] += std::ldexp(std::exp(-step * static_cast<double>(m + 1) * k), -k);
  }
  ExponentialFilter filter;
  filter.weights = solve(std::move(gram), std::move(target));
  for (int k = 0; k < std::max(static_cast<double>(bits), kForgotten / step); ++k) {
    double g = 0;
    for (std::size_t n = 0; n < size; ++n) g += filter.weights[n] * std::exp(-step * static_cast<double>(n + 1) * k);
    if (k < bits) filter.response.push_back(g);
    if (k >= bits) (g < 0 ? filter.low : filter.high) += g;
  }
  return filter;
}

BinaryRegister best_register(int states, int bits) {
  BinaryRegister best;
  for (int i = 1; i <= 20; ++i) {
    const double step = 0.05 * i;
    const ExponentialFilter filter = exponential_filter(states, bits, step);
    std::vector<double> values;
    for (int word = 0; word < (1 << bits); ++word) values.push_back(filter.value(word));
    std::sort(values.begin(), values.end());
    double gap = 2;
    for (std::size_t w = 1; w < values.size(); ++w) gap = std::min(gap, values[w] - values[w - 1]);
    gap -= filter.high - filter.low;
    if (best.step == 0 || gap > best.gap) best = {step, filter, gap};
  }
  return best;
}

}  // namespace hyseq::constructions
