#include "proofs_check/lower_bounds/enumerate.hpp"

#include <algorithm>

#include "kernels/base/error.hpp"
#include "proofs_check/lower_bounds/hamming.hpp"

namespace hyseq::proofs_check {
namespace {

std::string name_of(const std::string& kind, std::uint64_t a, std::uint64_t b) {
  return kind + " (" + std::to_string(a) + ", " + std::to_string(b) + ")";
}

/// Books encoders by their number of states and holds them against the bound.
class Ledger {
 public:
  Ledger(Enumeration& result, const Misreport& misreport) : result_(result), misreport_(misreport) {}

  void open(std::uint64_t most_states) {
    const std::uint64_t inputs = result_.problem.inputs();
    for (std::uint64_t states = 1; states <= most_states; ++states) {
      BestEncoder best;
      best.states = states;
      best.errors = result_.asked();
      const std::uint64_t reported = states > misreport_.states_hidden ? states - misreport_.states_hidden : 1;
      MemoryProblem bounded = result_.problem;
      if (misreport_.bound_answers > 0) bounded.answers = misreport_.bound_answers;
      best.allowed_from = least_errors(bounded, reported, inputs);
      result_.best.push_back(best);
    }
  }

  template <class Describe>
  void book(std::uint64_t states, std::uint64_t errors, const Describe& describe) {
    errors -= std::min(errors, misreport_.errors_hidden);
    BestEncoder& best = result_.best[states - 1];
    ++best.encoders;
    ++result_.encoders;
    best.errors = std::min(best.errors, errors);
    if (errors >= best.allowed_from) return;
    ++best.violations;
    ++result_.violations;
    if (!result_.counterexample.empty()) return;
    result_.counterexample = describe() + " -> " + std::to_string(errors) + " wrong of " +
                             std::to_string(result_.asked()) +
                             (best.allowed_from > result_.asked()
                                  ? ", the bound allows " + std::to_string(states) + " states no error up to chance"
                                  : ", the bound allows no fewer than " + std::to_string(best.allowed_from));
  }

 private:
  Enumeration& result_;
  const Misreport& misreport_;
};

/// Restricted growth: input i joins a cell already there or opens the next one, so every partition comes once.
class PartitionWalk {
 public:
  PartitionWalk(const QueryTable& table, const Misreport& misreport, Enumeration& result)
      : table_(table),
        inputs_(table.problem.inputs()),
        peeked_(misreport.questions_peeked),
        ledger_(result, misreport),
        cell_(inputs_, 0),
        counts_(inputs_ * table.problem.queries * table.problem.answers, 0) {
    ledger_.open(inputs_);
  }

  void run() { extend(0, 0, peeked_ * inputs_); }

 private:
  void extend(std::uint64_t input, std::uint64_t cells, std::uint64_t right) {
    if (input == inputs_) {
      ledger_.book(cells, inputs_ * table_.problem.queries - right, [&] {
        std::string text = "cells of the inputs:";
        for (const std::uint64_t cell : cell_) text += " " + std::to_string(cell);
        return text;
      });
      return;
    }
    for (std::uint64_t cell = 0; cell <= cells; ++cell) {
      cell_[input] = cell;
      const std::uint64_t gained = add(input, cell);
      extend(input + 1, std::max(cells, cell + 1), right + gained);
      remove(input, cell);
    }
  }

  /// Right answers that the best decoder gains from the input: one per question where the input's answer becomes more
  /// frequent in the cell than any was.
  std::uint64_t add(std::uint64_t input, std::uint64_t cell) {
    const std::uint64_t answers = table_.problem.answers;
    std::uint64_t gained = 0;
    for (std::uint64_t q = peeked_; q < table_.problem.queries; ++q) {
      const auto first = counts_.begin() + static_cast<std::ptrdiff_t>((cell * table_.problem.queries + q) * answers);
      const auto end = first + static_cast<std::ptrdiff_t>(answers);
      const int before = *std::max_element(first, end);
      const int now = ++first[table_.answers[input * table_.problem.queries + q]];
      if (now > before) ++gained;
    }
    return gained;
  }

  void remove(std::uint64_t input, std::uint64_t cell) {
    for (std::uint64_t q = peeked_; q < table_.problem.queries; ++q) {
      const std::uint64_t row = (cell * table_.problem.queries + q) * table_.problem.answers;
      --counts_[row + table_.answers[input * table_.problem.queries + q]];
    }
  }

  const QueryTable& table_;
  std::uint64_t inputs_;
  std::uint64_t peeked_;
  Ledger ledger_;
  std::vector<std::uint64_t> cell_;
  std::vector<int> counts_;  // [cell][question][answer]
};

/// Sets of words in rising order, with the distance of every input to the set carried along.
class CodeWalk {
 public:
  CodeWalk(const HammingSpace& space, std::uint64_t most_states, const Misreport& misreport, Enumeration& result)
      : size_(space.size()), most_(most_states), ledger_(result, misreport) {
    ledger_.open(most_);
    distance_.resize(std::size_t{size_} * size_);
    for (Word a = 0; a < size_; ++a) {
      for (Word b = 0; b < size_; ++b) {
        distance_[std::size_t{a} * size_ + b] = static_cast<std::uint8_t>(space.distance(a, b));
      }
    }
    nearest_.assign((most_ + 1) * size_, static_cast<std::uint8_t>(space.length() + 1));
  }

  void run(bool fix_zero) {
    if (fix_zero) {
      add(0);
    } else {
      extend(0);
    }
  }

 private:
  void extend(Word first) {
    if (code_.size() == most_) return;
    for (Word word = first; word < size_; ++word) add(word);
  }

  void add(Word word) {
    const std::uint8_t* before = nearest_.data() + code_.size() * size_;
    code_.push_back(word);
    std::uint8_t* now = nearest_.data() + code_.size() * size_;
    const std::uint8_t* own = distance_.data() + std::size_t{word} * size_;
    std::uint64_t errors = 0;
    for (Word u = 0; u < size_; ++u) {
      now[u] = std::min(before[u], own[u]);
      errors += now[u];
    }
    ledger_.book(code_.size(), errors, [&] {
      std::string text = "words";
      for (const Word each : code_) text += " " + std::to_string(each);
      return text;
    });
    extend(word + 1);
    code_.pop_back();
  }

  Word size_;
  std::uint64_t most_;
  Ledger ledger_;
  std::vector<std::uint8_t> distance_;  // [word][word]
  std::vector<std::uint8_t> nearest_;   // [words so far][input]
  Code code_;
};

}  // namespace

QueryTable copying_table(int values, int length) {
  const HammingSpace space(values, length);
  QueryTable table;
  table.problem = copying_problem(static_cast<std::uint64_t>(values), static_cast<std::uint64_t>(length));
  table.name = name_of("copying", table.problem.values, table.problem.length);
  for (Word u = 0; u < space.size(); ++u) {
    for (int i = 0; i < length; ++i) table.answers.push_back(static_cast<std::uint8_t>(space.letter(u, i)));
  }
  return table;
}

QueryTable inner_products_table(int length) {
  const HammingSpace space(2, length);
  QueryTable table;
  table.problem = {2, static_cast<std::uint64_t>(length), 2, std::uint64_t{space.size()} - 1};
  table.name = name_of("inner products", 2, table.problem.length);
  for (Word u = 0; u < space.size(); ++u) {
    for (Word v = 1; v < space.size(); ++v) {
      table.answers.push_back(static_cast<std::uint8_t>(__builtin_popcount(u & v) % 2));
    }
  }
  return table;
}

Enumeration enumerate_partitions(const QueryTable& table, const Misreport& misreport) {
  constexpr std::uint64_t kMostInputs = 10;
  if (table.problem.inputs() > kMostInputs) {
    throw InputError("the partitions of " + std::to_string(table.problem.inputs()) +
                     " inputs are too many to list; at most 10 inputs");
  }
  Enumeration result;
  result.name = table.name;
  result.method = "partitions";
  result.problem = table.problem;
  PartitionWalk(table, misreport, result).run();
  return result;
}

Enumeration enumerate_codes(int letters, int length, std::uint64_t most_states, bool fix_zero) {
  const HammingSpace space(letters, length);
  if (space.size() > 256) {
    throw InputError("codes among " + std::to_string(space.size()) + " words are too many to list; at most 256 words");
  }
  Enumeration result;
  result.problem = copying_problem(static_cast<std::uint64_t>(letters), static_cast<std::uint64_t>(length));
  result.name = name_of("copying", result.problem.values, result.problem.length);
  result.method = "codes";
  most_states = std::min<std::uint64_t>(most_states, space.size());
  CodeWalk(space, most_states, {}, result).run(fix_zero);
  return result;
}

}  // namespace hyseq::proofs_check
