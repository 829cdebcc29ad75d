#include "proofs_check/lower_bounds/rate.hpp"

#include <cmath>
#include <numeric>
#include <string>

#include <boost/multiprecision/cpp_int.hpp>

#include "kernels/base/error.hpp"
#include "results/memory_bounds.hpp"

namespace hyseq::proofs_check {
namespace {

using Integer = boost::multiprecision::cpp_int;

ExactInterval point(std::uint64_t value) { return ExactInterval(static_cast<double>(value)); }

/// ln(a / b) for a >= b >= 1, both below 2^53.
ExactInterval log_ratio(std::uint64_t a, std::uint64_t b) { return log1p(point(a - b) / point(b)); }

/// weight * ln(a / b), 0 for weight 0 whatever the ratio.
ExactInterval weighted(std::uint64_t weight, std::uint64_t a, std::uint64_t b) {
  return weight == 0 ? ExactInterval(0.0) : point(weight) * log_ratio(a, b);
}

void check(const MemoryProblem& problem, const Performance& performance) {
  const std::uint64_t asked = performance.weight * problem.queries;
  if (problem.values < 1 || problem.length < 1 || problem.answers < 2 || problem.queries < 1) {
    throw InputError("a memory problem needs at least one value, one position, one question and two answers");
  }
  if (performance.states < 1 || performance.weight < 1 || performance.errors > asked) {
    throw InputError("a performance of " + std::to_string(performance.states) + " states with " +
                     std::to_string(performance.errors) + " errors among " + std::to_string(asked) +
                     " answers is none: at least one state and no more errors than answers");
  }
}

/// base^exponent, with 0^0 = 1.
Integer power(std::uint64_t base, std::uint64_t exponent) {
  return boost::multiprecision::pow(Integer(base), static_cast<unsigned>(exponent));
}

}  // namespace

std::uint64_t MemoryProblem::inputs() const {
  std::uint64_t count = 1;
  for (std::uint64_t i = 0; i < length; ++i) {
    count *= values;
    if (count >= (std::uint64_t{1} << 40)) {
      throw InputError(std::to_string(values) + " values at " + std::to_string(length) +
                       " positions are 2^40 inputs or more, too many to count");
    }
  }
  return count;
}

double binary_entropy(double eps) { return results::fano_entropy(eps, 2); }

double fano_entropy(double eps, double answers) { return results::fano_entropy(eps, answers); }

double rate(double eps, double answers) { return results::rate(eps, answers); }

double error_at_rate(double bits, double answers) {
  double low = 0;
  double high = 1 - 1 / answers;
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    (rate(middle, answers) > bits ? low : high) = middle;
  }
  return (low + high) / 2;
}

ExactInterval slack_bits(const MemoryProblem& problem, const Performance& performance) {
  check(problem, performance);
  const std::uint64_t asked = performance.weight * problem.queries;
  const std::uint64_t right = asked - performance.errors;
  const ExactInterval entropy = weighted(performance.errors, asked, performance.errors) +
                                weighted(right, asked, right) + weighted(performance.errors, problem.answers - 1, 1);
  const ExactInterval memory = log_ratio(performance.states, 1) - point(problem.length) * log_ratio(problem.values, 1);
  return (memory + entropy / point(performance.weight)) / log_ratio(2, 1);
}

bool allowed_in_integers(const MemoryProblem& problem, const Performance& performance) {
  check(problem, performance);
  const std::uint64_t asked = performance.weight * problem.queries;
  // The inequality is homogeneous in its exponents, so a common factor of theirs may go.
  const std::uint64_t common = std::gcd(performance.weight, performance.errors);
  const std::uint64_t weight = performance.weight / common;
  const std::uint64_t errors = performance.errors / common;
  const std::uint64_t all = asked / common;
  constexpr double kMostBits = 0x1p26;
  if (static_cast<double>(all) * std::log2(static_cast<double>(asked) + 1) > kMostBits) {
    throw InputError("the bound for " + std::to_string(asked) + " answers is too large an inequality between integers");
  }
  const Integer left = power(performance.states, weight) * power(asked, all) * power(problem.answers - 1, errors);
  const Integer right = power(problem.values, problem.length * weight) * power(performance.errors, errors) *
                        power(asked - performance.errors, all - errors);
  return left >= right;
}

bool allowed(const MemoryProblem& problem, const Performance& performance) {
  const ExactInterval slack = slack_bits(problem, performance);
  if (slack.lower > 0) return true;
  if (slack.upper < 0) return false;
  return allowed_in_integers(problem, performance);
}

std::uint64_t least_errors(const MemoryProblem& problem, std::uint64_t states, std::uint64_t weight) {
  const std::uint64_t asked = weight * problem.queries;
  std::uint64_t low = 0;
  std::uint64_t high = asked - asked / problem.answers;  // h rises up to here
  while (low < high) {
    const std::uint64_t middle = (low + high) / 2;
    if (allowed(problem, {states, weight, middle})) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return allowed(problem, {states, weight, low}) ? low : asked + 1;
}

}  // namespace hyseq::proofs_check
