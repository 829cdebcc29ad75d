// Search for results of a number format that escape an interval's enclosure.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <random>
#include <string>
#include <tuple>

#include "kernels/base/numbers/numbers.hpp"

namespace hyseq::numbers {

/// Random intervals of numbers of a format, and numbers inside them.
template <class Scalar>
class Sampler {
 public:
  /// Magnitudes are spread over `scale` * 2^-span .. `scale`; endpoints below `least` are moved up to it.
  Sampler(unsigned seed, double scale, double span, double least)
      : words_(seed), scale_(scale), span_(span), least_(least) {}

  Interval<Scalar> interval() {
    double a = endpoint();
    double b = kind(4) == 0 ? a : endpoint();
    if (kind(3) == 0) b = nearest<Scalar>(a * (1 + std::ldexp(unit(), -kind(20))));  // narrow ones too
    return {std::min(std::max(a, least_), std::max(b, least_)), std::max(std::max(a, least_), std::max(b, least_))};
  }

  double inside(const Interval<Scalar>& x) {
    const int choice = kind(4);
    if (choice == 0) return x.lower;
    if (choice == 1) return x.upper;
    const double t = unit();
    const double drawn = nearest<Scalar>(x.lower * (1 - t) + x.upper * t);
    return std::clamp(drawn, x.lower, x.upper);
  }

 private:
  int kind(int count) { return static_cast<int>(words_() % static_cast<unsigned>(count)); }
  double unit() { return std::uniform_real_distribution<double>(0, 1)(words_); }

  double endpoint() {
    switch (kind(10)) {
      case 0:
        return 0;
      case 1:
        return 1;
      case 2:
        return -1;
      default: {
        const double magnitude = scale_ * (0.5 + 0.5 * unit()) * std::exp2(-span_ * (kind(2) == 0 ? unit() : 0));
        return nearest<Scalar>(kind(2) == 0 ? magnitude : -magnitude);
      }
    }
  }

  std::mt19937_64 words_;
  double scale_;
  double span_;
  double least_;
};

struct Escapes {
  int count = 0;
  int bounded = 0;  // trials whose enclosure was not the whole line: the others prove nothing
  std::string first;
};

/// Applies `operation` (generic, of `Arity` operands) to random numbers of the format and `enclosure` to intervals
/// around them, each in the accumulator and rounded once, and counts results outside.
template <class Scalar, std::size_t Arity, class Operation, class Enclosure>
Escapes search_escapes(Sampler<Scalar> sampler, int trials, Operation operation, Enclosure enclosure) {
  using Number = Numeric<Scalar>;
  using Set = Numeric<Interval<Scalar>>;
  Escapes escapes;
  for (int trial = 0; trial < trials; ++trial) {
    std::array<Interval<Scalar>, Arity> sets;
    for (auto& set : sets) set = sampler.interval();
    const auto enclose = [&](const auto&... x) { return Set::round(enclosure(Set::widen(x)...)); };
    const Interval<Scalar> enclosed = std::apply(enclose, sets);
    escapes.bounded += enclosed == Interval<Scalar>::whole() ? 0 : 1;
    for (int draw = 0; draw < 8; ++draw) {
      std::array<Scalar, Arity> points;
      for (std::size_t i = 0; i < Arity; ++i) points[i] = Number::from_double(sampler.inside(sets[i]));
      const auto apply = [&](const auto&... x) { return Number::round(operation(Number::widen(x)...)); };
      const double result = Number::to_double(std::apply(apply, points));
      if (contains(enclosed, result)) continue;
      if (escapes.count++ == 0) {
        escapes.first = "result " + std::to_string(result) + " outside [" + std::to_string(enclosed.lower) + ", " +
                        std::to_string(enclosed.upper) + "], first operand " +
                        std::to_string(Number::to_double(points[0]));
      }
    }
  }
  return escapes;
}

}  // namespace hyseq::numbers
