#include "proofs_check/lower_bounds/machine_points.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "kernels/base/error.hpp"

namespace hyseq::proofs_check {
namespace {

ExactInterval real(std::uint64_t value) { return ExactInterval(static_cast<double>(value)); }

/// Encloses ln n.
ExactInterval log_of(std::uint64_t n) { return log1p(real(n - 1)); }

/// n ln n, and 0 for 0.
ExactInterval n_log_n(std::uint64_t n) { return n == 0 ? ExactInterval(0.0) : real(n) * log_of(n); }

/// Wrong answers of the decoder that gives each state's most frequent answer to every question.
std::uint64_t best_errors(const QueryTable& table, std::span<const StateCount> counts, std::uint64_t weight,
                          std::uint64_t& states) {
  const std::uint64_t q = table.problem.queries;
  const std::uint64_t answers = table.problem.answers;
  std::map<std::uint64_t, std::vector<std::uint64_t>> seen;  // per state: [question][answer]
  for (const StateCount& each : counts) {
    auto& histogram = seen[each.state];
    histogram.resize(q * answers, 0);
    for (std::uint64_t v = 0; v < q; ++v) histogram[v * answers + table.answers[each.input * q + v]] += each.count;
  }
  states = seen.size();
  std::uint64_t right = 0;
  for (const auto& [state, histogram] : seen) {
    for (std::uint64_t v = 0; v < q; ++v) {
      const auto first = histogram.begin() + static_cast<std::ptrdiff_t>(v * answers);
      right += *std::max_element(first, first + static_cast<std::ptrdiff_t>(answers));
    }
  }
  return weight * q - right;
}

}  // namespace

MachinePoint machine_point(const QueryTable& table, std::span<const StateCount> counts,
                           std::optional<std::uint64_t> own_right, const Misreport& misreport) {
  const std::uint64_t inputs = table.problem.inputs();
  std::vector<std::uint64_t> per_input(inputs, 0);
  MachinePoint point;
  for (const StateCount& each : counts) {
    if (each.input >= inputs) {
      throw InputError("input " + std::to_string(each.input) + " is none of the " + std::to_string(inputs) +
                       " of the problem");
    }
    per_input[each.input] += each.count;
    point.weight += each.count;
  }
  if (point.weight == 0) throw InputError("a machine's point needs at least one input with its state");
  const std::uint64_t asked = point.weight * table.problem.queries;
  point.errors = best_errors(table, counts, point.weight, point.states);
  point.states -= std::min(point.states - 1, misreport.states_hidden);
  point.errors -= std::min(point.errors, misreport.errors_hidden);
  if (own_right && *own_right > asked - point.errors) {
    throw InputError("a model cannot have " + std::to_string(*own_right) +
                     " right answers where the best decoder has " + std::to_string(asked - point.errors));
  }
  point.bits = std::log2(static_cast<double>(point.states));
  point.success = 1 - static_cast<double>(point.errors) / static_cast<double>(asked);
  point.own_right = own_right;
  if (own_right) point.own_success = static_cast<double>(*own_right) / static_cast<double>(asked);
  const auto [least, most] = std::minmax_element(per_input.begin(), per_input.end());
  point.uniform = *least == *most;

  // H(U) of the counts in nats: ln T - sum n ln n / T.
  ExactInterval repeated(0.0);
  for (const std::uint64_t n : per_input) repeated += n_log_n(n);
  const ExactInterval entropy = log_of(point.weight) - repeated / real(point.weight);
  const ExactInterval fano = (n_log_n(asked) - n_log_n(point.errors) - n_log_n(asked - point.errors) +
                              real(point.errors) * log_of(table.problem.answers - 1)) /
                             real(point.weight);
  const ExactInterval log2 = log_of(2);
  const ExactInterval needed = (entropy - fano) / log2;
  point.input_bits = (entropy / log2).lower;
  point.bound_bits = (needed.lower + needed.upper) / 2;
  point.violates = point.uniform ? !allowed(table.problem, {point.states, point.weight, point.errors})
                                 : (log_of(point.states) / log2).upper < needed.lower;
  return point;
}

}  // namespace hyseq::proofs_check
