#include <algorithm>
#include <cmath>

#include "proofs_check/engines.hpp"
#include "proofs_check/lower_bounds/hamming.hpp"
#include "proofs_check/lower_bounds/machine_points.hpp"
#include "proofs_check/stack_product/explore.hpp"

namespace hyseq::proofs_check {
namespace {

template <class Scalar>
class Asker {
 public:
  Asker(const Stack& stack, const CopyProbe& probe)
      : probe_(probe), grid_(stack.grid), session_(models::lower(stack.architecture), stack.values, 1) {}

  /// Reads all inputs as a tree of prefixes, breadth first: row r of a level is the prefix with the digits of r, first
  /// letter least significant.
  void run(const HammingSpace& space, std::vector<StateCount>& counts, std::uint64_t& right) {
    auto level = session_.fresh(1);
    for (int i = 0; i < probe_.length; ++i) level = read(level);
    Numbering states;
    for (std::size_t row = 0; row < level.rows(); ++row) {
      counts.push_back({states.number(bits_of(level.row(row), level.stride)), row, 1});
    }
    for (std::size_t j = 0; j < probe_.questions.size(); ++j) right += ask(space, level, j);
  }

  /// The largest size of every carried number over all prefixes.
  [[nodiscard]] std::vector<double> ranges() {
    auto level = session_.fresh(1);
    std::vector<double> largest(level.stride, 0);
    for (int i = 0; i < probe_.length; ++i) {
      level = read(level);
      for (std::size_t j = 0; j < level.data.size(); ++j) {
        double& own = largest[j % level.stride];
        own = std::max(own, std::abs(numbers::Numeric<Scalar>::to_double(level.data[j])));
      }
    }
    return largest;
  }

 private:
  using Carry = kernels::Carry<Scalar>;

  Carry read(const Carry& level) {
    const std::size_t rows = level.rows();
    const auto letters = static_cast<std::size_t>(probe_.letters);
    Carry next(rows * letters, level.stride, numbers::Numeric<Scalar>::from_double(0));
    std::vector<std::int32_t> tokens(rows * letters);
    for (std::size_t letter = 0; letter < letters; ++letter) {
      for (std::size_t row = 0; row < rows; ++row) {
        next.copy_row(letter * rows + row, level, row);
        tokens[letter * rows + row] = probe_.letter_tokens[letter];
      }
    }
    session_.forward({tokens, tokens.size(), 1}, next, kernels::Depth::carry);
    grid_.round(next);
    return next;
  }

  std::uint64_t ask(const HammingSpace& space, const Carry& level, std::size_t question) {
    constexpr std::size_t kBatch = 4096;
    const auto vocabulary = static_cast<std::size_t>(session_.program().vocabulary);
    std::uint64_t right = 0;
    for (std::size_t first = 0; first < level.rows(); first += kBatch) {
      const std::size_t rows = std::min(kBatch, level.rows() - first);
      Carry carry(rows, level.stride, numbers::Numeric<Scalar>::from_double(0));
      for (std::size_t row = 0; row < rows; ++row) carry.copy_row(row, level, first + row);
      const std::vector<std::int32_t> tokens(rows, probe_.questions[question]);
      session_.forward({tokens, rows, 1}, carry, kernels::Depth::logits);
      for (std::size_t row = 0; row < rows; ++row) {
        const Scalar* logits = session_.row(session_.program().logits, row);
        const int letter = space.letter(static_cast<Word>(first + row), probe_.source[question]);
        const auto expected = static_cast<std::size_t>(probe_.letter_tokens[static_cast<std::size_t>(letter)]);
        right += largest_alone(logits, vocabulary, expected) ? 1U : 0U;
      }
    }
    return right;
  }

  static bool largest_alone(const Scalar* logits, std::size_t count, std::size_t expected) {
    using Numeric = numbers::Numeric<Scalar>;
    const double own = Numeric::to_double(logits[expected]);
    for (std::size_t i = 0; i < count; ++i) {
      if (i != expected && !(Numeric::to_double(logits[i]) < own)) return false;
    }
    return true;
  }

  const CopyProbe& probe_;
  StateGrid grid_;
  kernels::ReferenceSession<Scalar> session_;
};

void check(const Stack& stack, const CopyProbe& probe) {
  stack.validate();
  const auto length = static_cast<std::size_t>(probe.length);
  if (probe.letter_tokens.size() != static_cast<std::size_t>(probe.letters) || probe.questions.size() != length ||
      probe.source.size() != length) {
    throw InputError("a probe of " + std::to_string(probe.length) + " letters out of " + std::to_string(probe.letters) +
                     " needs one token per letter and one question per place");
  }
  for (const auto* tokens : {&probe.letter_tokens, &probe.questions}) {
    for (const std::int32_t token : *tokens) {
      if (token >= 0 && token < stack.architecture.vocabulary) continue;
      throw InputError("the probe's token " + std::to_string(token) + " lies outside the model's vocabulary 0.." +
                       std::to_string(stack.architecture.vocabulary - 1));
    }
  }
}

}  // namespace

CopyProbe copy_probe(int letters, int length, std::int32_t first_number) {
  CopyProbe probe;
  probe.letters = letters;
  probe.length = length;
  for (int a = 0; a < letters; ++a) probe.letter_tokens.push_back(a);
  for (int distance = 1; distance <= length; ++distance) {
    probe.questions.push_back(first_number + distance - 1);
    probe.source.push_back(length - distance);
  }
  return probe;
}

MachinePoint model_point(const Stack& stack, NumberFormat format, const CopyProbe& probe, const Misreport& misreport) {
  check(stack, probe);
  const HammingSpace space(probe.letters, probe.length);
  if (space.size() > (1U << 20)) {
    throw InputError(std::to_string(space.size()) + " inputs are too many to read; at most 1,048,576");
  }
  std::vector<StateCount> counts;
  std::uint64_t right = 0;
  with_scalar(format, [&](auto scalar) { Asker<decltype(scalar)>(stack, probe).run(space, counts, right); });
  // Question j asks for place source[j], so the table's columns are in that order.
  QueryTable table;
  table.problem = copying_problem(static_cast<std::uint64_t>(probe.letters), static_cast<std::uint64_t>(probe.length));
  for (Word u = 0; u < space.size(); ++u) {
    for (const int place : probe.source) table.answers.push_back(static_cast<std::uint8_t>(space.letter(u, place)));
  }
  MachinePoint point = machine_point(table, counts, right, misreport);
  point.name = stack.name;
  return point;
}

StateGrid fitted_grid(const Stack& stack, NumberFormat format, const CopyProbe& probe, int bits) {
  check(stack, probe);
  Stack unrounded = stack;
  unrounded.grid = {};
  const std::vector<double> ranges =
      with_scalar(format, [&](auto scalar) { return Asker<decltype(scalar)>(unrounded, probe).ranges(); });
  StateGrid grid{bits, 1, {}};
  grid.validate();
  const double most = static_cast<double>((1 << (bits - 1)) - 1);
  for (const double range : ranges) {
    double step = 0x1p-8;
    while (step < 0x1p8 && most * step < range) step *= 2;
    grid.steps.push_back(step);
  }
  return grid;
}

std::vector<MachinePoint> points_by_bits(Stack stack, NumberFormat format, const CopyProbe& probe,
                                         const std::vector<int>& bits) {
  std::vector<MachinePoint> points;
  const std::string name = stack.name;
  const StateGrid none;
  for (const int each : bits) {
    stack.grid = each == 0 ? none : fitted_grid(stack, format, probe, each);
    stack.name = name + (each == 0 ? ", unrounded" : ", " + std::to_string(each) + " bits a number");
    points.push_back(model_point(stack, format, probe));
  }
  return points;
}

}  // namespace hyseq::proofs_check
