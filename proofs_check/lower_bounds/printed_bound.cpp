#include "proofs_check/lower_bounds/printed_bound.hpp"

#include <algorithm>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>

#include "kernels/base/error.hpp"
#include "proofs_check/lower_bounds/rate.hpp"

namespace hyseq::proofs_check {
namespace {

using Integer = boost::multiprecision::cpp_int;

constexpr unsigned kMostSymbols = 16;
constexpr unsigned kMostLength = 16;
constexpr unsigned kMostQueries = 64;

/// powers[base][exponent].
std::vector<std::vector<Integer>> power_table(unsigned most_base, unsigned most_exponent) {
  std::vector<std::vector<Integer>> table(most_base + 1, std::vector<Integer>(most_exponent + 1, Integer(1)));
  for (unsigned base = 0; base <= most_base; ++base) {
    for (unsigned e = 1; e <= most_exponent; ++e) table[base][e] = table[base][e - 1] * base;
  }
  return table;
}

/// Walks the injective maps depth first: input after input takes a table of answers that no earlier one has.
class MapWalk {
 public:
  explicit MapWalk(InjectiveMaps& result)
      : result_(result), counts_(result.queries * result.answers, 0), least_(result.inputs * result.queries) {
    tables_ = 1;
    for (std::uint64_t i = 0; i < result.queries; ++i) tables_ *= result.answers;
    taken_.assign(tables_, false);
    // K = 1 and D answers: the fewest errors that the corrected bound lets it have.
    fewest_errors_ = least_errors({result.inputs, 1, result.answers, result.queries}, 1, result.inputs);
  }

  void run() {
    extend(0);
    result_.least_right = result_.maps == 0 ? 0 : least_;
  }

 private:
  void extend(std::uint64_t input) {
    if (input == result_.inputs) {
      note();
      return;
    }
    for (std::uint64_t table = 0; table < tables_; ++table) {
      if (taken_[table]) continue;
      taken_[table] = true;
      count(table, 1);
      extend(input + 1);
      count(table, -1);
      taken_[table] = false;
    }
  }

  void count(std::uint64_t table, int sign) {
    for (std::uint64_t q = 0; q < result_.queries; ++q) {
      counts_[q * result_.answers + table % result_.answers] += sign;
      table /= result_.answers;
    }
  }

  void note() {
    ++result_.maps;
    if (result_.inputs > tables_) ++result_.positive;
    std::uint64_t right = 0;
    for (std::uint64_t q = 0; q < result_.queries; ++q) {
      const auto first = counts_.begin() + static_cast<std::ptrdiff_t>(q * result_.answers);
      right +=
          static_cast<std::uint64_t>(*std::max_element(first, first + static_cast<std::ptrdiff_t>(result_.answers)));
    }
    const std::uint64_t asked = result_.inputs * result_.queries;
    if (right * result_.answers >= asked) ++result_.at_chance;
    if (asked - right < fewest_errors_) ++result_.bound_broken;
    least_ = std::min(least_, right);
  }

  InjectiveMaps& result_;
  std::vector<int> counts_;  // [question][answer]: inputs with that answer
  std::vector<bool> taken_;
  std::uint64_t tables_ = 0;
  std::uint64_t least_;
  std::uint64_t fewest_errors_ = 0;
};

}  // namespace

PrintedGrid printed_grid(bool assume_injective) {
  const auto powers = power_table(kMostSymbols, kMostQueries);
  PrintedGrid grid;
  for (unsigned values = 2; values <= kMostSymbols; ++values) {
    for (unsigned length = 1; length <= kMostLength; ++length) {
      for (unsigned answers = 2; answers <= kMostSymbols; ++answers) {
        for (unsigned queries = 1; queries <= kMostQueries; ++queries) {
          ++grid.points;
          const Integer& inputs = powers[values][length];
          const Integer& tables = powers[answers][queries];
          // n inputs go into n of the tables, one by one, if there are that many; a pigeonhole is left over if not.
          const bool injective = inputs <= tables;
          if (assume_injective && !injective) continue;
          ++grid.counted;
          const int sign = inputs.compare(tables);
          if (sign < 0) ++grid.negative;
          if (sign == 0) ++grid.zero;
          if (sign <= 0) continue;
          if (grid.positive == 0) {
            grid.positive_at = "|V| = " + std::to_string(values) + ", m = " + std::to_string(length) +
                               ", |Y| = " + std::to_string(answers) + ", q = " + std::to_string(queries);
          }
          ++grid.positive;
        }
      }
    }
  }
  return grid;
}

InjectiveMaps injective_maps(std::uint64_t inputs, std::uint64_t answers, std::uint64_t queries) {
  InjectiveMaps result;
  result.inputs = inputs;
  result.answers = answers;
  result.queries = queries;
  std::uint64_t tables = 1;
  for (std::uint64_t i = 0; i < queries && tables < (1U << 16); ++i) tables *= answers;
  result.promised = 1;
  for (std::uint64_t i = 0; i < inputs && result.promised > 0; ++i) {
    result.promised *= i < tables ? tables - i : 0;
    if (result.promised > 10000000) {
      throw InputError("there are more than 10,000,000 injective maps of " + std::to_string(inputs) + " inputs to " +
                       std::to_string(queries) + " answers out of " + std::to_string(answers) + ", too many to list");
    }
  }
  MapWalk(result).run();
  return result;
}

}  // namespace hyseq::proofs_check
