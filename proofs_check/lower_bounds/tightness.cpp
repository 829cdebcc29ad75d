#include "proofs_check/lower_bounds/tightness.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

namespace hyseq::proofs_check {
namespace {

constexpr double kRates[] = {0.25, 0.5, 0.75};
constexpr int kShortest = 2;
constexpr int kLongest = 12;

/// floor(2^(rate N)) for a rate in quarters; powers of two exactly.
std::uint64_t states_at(double rate, int length) {
  return static_cast<std::uint64_t>(std::floor(std::exp2(rate * length) + 1e-9));
}

struct Book {
  int letters;
  int longest;
  std::vector<std::pair<int, std::uint64_t>> wanted;
};

std::vector<Book> books() {
  std::vector<Book> list{{2, kLongest, {}}, {3, 7, {}}, {4, 5, {}}};
  for (Book& book : list) {
    std::set<std::pair<int, std::uint64_t>> wanted;
    for (int length = kShortest; length <= book.longest; ++length) {
      const std::uint64_t all = HammingSpace(book.letters, length).size();
      // Small K that no linear code has been searched for, and quarters of the way up to all words.
      for (const std::uint64_t states : {2U, 3U, 4U, 8U}) {
        if (states < all) wanted.emplace(length, states);
      }
      for (const double rate : kRates) {
        const auto states = book.letters == 2 ? states_at(rate, length)
                                              : static_cast<std::uint64_t>(std::pow(static_cast<double>(all), rate));
        if (states > 1 && states < all) wanted.emplace(length, states);
      }
      // Short words: every K, so that the optimum is known for all of them where a code meets the sphere bound.
      if (all <= 32) {
        for (std::uint64_t states = 2; states < all; ++states) wanted.emplace(length, states);
      }
    }
    book.wanted.assign(wanted.begin(), wanted.end());
  }
  return list;
}

/// The exact optimum of an enumeration for (M, N, K), or null.
const BestEncoder* optimum(const std::vector<Enumeration>& enumerations, const EncoderPoint& point) {
  for (const Enumeration& each : enumerations) {
    const bool copying = each.problem.queries == each.problem.length && each.problem.answers == each.problem.values;
    if (!copying || each.problem.values != static_cast<std::uint64_t>(point.letters) ||
        each.problem.length != static_cast<std::uint64_t>(point.length) || point.states > each.best.size()) {
      continue;
    }
    return &each.best[point.states - 1];
  }
  return nullptr;
}

}  // namespace

double EncoderPoint::success_open() const {
  const double asked = static_cast<double>(length) * std::pow(static_cast<double>(letters), length);
  return static_cast<double>(errors - std::min(errors, floor())) / asked;
}

EncoderPoint encoder_point(const HammingSpace& space, std::uint64_t states, std::uint64_t errors) {
  EncoderPoint point;
  point.letters = space.letters();
  point.length = space.length();
  point.states = states;
  point.errors = errors;
  const MemoryProblem problem =
      copying_problem(static_cast<std::uint64_t>(point.letters), static_cast<std::uint64_t>(point.length));
  point.allowed_from = least_errors(problem, states, space.size());
  point.spheres_from = sphere_errors(point.letters, point.length, states);
  point.bits_per_position = std::log2(static_cast<double>(states)) / point.length;
  point.success = 1 - static_cast<double>(errors) / (static_cast<double>(point.length) * space.size());
  const ExactInterval gap = slack_bits(problem, {states, space.size(), errors}) / ExactInterval(point.length);
  point.gap_lower = gap.lower;
  point.gap_upper = gap.upper;
  return point;
}

SearchedPoints search_encoders(const std::vector<Enumeration>& enumerated, std::uint64_t seed, int threads) {
  SearchedPoints result;
  SearchEffort effort;
  effort.threads = threads;
  for (const Book& book : books()) {
    const CodeBook found(book.letters, book.longest, book.wanted, seed, effort);
    result.encoders += found.encoders_tried();
    for (const auto& [key, code] : found.codes()) {
      const HammingSpace space(book.letters, key.first);
      EncoderPoint point = encoder_point(space, key.second, code.errors);
      if (const BestEncoder* best = optimum(enumerated, point); best != nullptr) {
        point.exact_from = best->errors;
        ++result.compared;
        if (point.errors > best->errors) ++result.missed;
        if (point.errors < best->errors) ++result.impossible;
      }
      result.points.push_back(point);
      result.optimal += point.optimal() ? 1U : 0U;
      if (point.success_open() > result.widest_open) {
        result.widest_open = point.success_open();
        result.widest_at = point;
      }
      if (!point.violates()) continue;
      ++result.violations;
      if (result.counterexample.empty()) {
        result.counterexample = std::to_string(point.states) + " words of " + std::to_string(point.length) +
                                " letters out of " + std::to_string(point.letters) + " -> " +
                                std::to_string(point.errors) + " wrong, the bound allows no fewer than " +
                                std::to_string(point.allowed_from);
      }
    }
  }
  return result;
}

const EncoderPoint* RateColumn::at(int length) const {
  const auto found =
      std::find_if(by_length.begin(), by_length.end(), [&](const auto& point) { return point.length == length; });
  return found == by_length.end() ? nullptr : &*found;
}

Tightness tightness(const std::vector<EncoderPoint>& points) {
  Tightness result;
  result.shrinks = true;
  for (const double rate : kRates) {
    RateColumn column;
    column.rate = rate;
    for (int length = kShortest; length <= kLongest; ++length) {
      const std::uint64_t states = states_at(rate, length);
      if (states < 2) continue;
      const auto found = std::find_if(points.begin(), points.end(), [&](const EncoderPoint& point) {
        return point.letters == 2 && point.length == length && point.states == states;
      });
      if (found == points.end()) throw std::logic_error("a column of rates has no encoder for one of its lengths");
      column.by_length.push_back(*found);
    }
    for (const EncoderPoint& shorter : column.by_length) {
      for (const EncoderPoint& longer : column.by_length) {
        if (longer.length <= shorter.length || longer.length % shorter.length != 0) continue;
        std::uint64_t repeated = 1;
        for (int i = 0; i < longer.length / shorter.length; ++i) repeated *= shorter.states;
        if (repeated != longer.states) continue;
        ++result.multiples;
        if (longer.gap_lower > shorter.gap_upper) ++result.multiples_grown;
      }
    }
    for (std::size_t i = 1; i < column.by_length.size(); ++i) {
      const double rise = column.by_length[i].gap_upper - column.by_length[i - 1].gap_upper;
      if (rise <= result.largest_rise) continue;
      result.largest_rise = rise;
      result.largest_rise_at = column.by_length[i].length;
      result.largest_rise_rate = rate;
    }
    const bool falls =
        column.at(8)->gap_upper < column.at(4)->gap_lower && column.at(12)->gap_upper < column.at(8)->gap_lower;
    result.shrinks = result.shrinks && falls;
    result.columns.push_back(std::move(column));
  }
  return result;
}

std::vector<EncoderPoint> uncoded_points() {
  std::vector<EncoderPoint> points;
  for (const double rate : kRates) {
    for (int length = kShortest; length <= kLongest; ++length) {
      const std::uint64_t states = states_at(rate, length);
      if (states < 2) continue;
      const HammingSpace space(2, length);
      Code code{0};  // every word of the first letters, the others 0
      while (2 * code.size() <= states) {
        const std::size_t now = code.size();
        for (std::size_t i = 0; i < now; ++i) code.push_back(code[i] + static_cast<Word>(now));
      }
      points.push_back(encoder_point(space, states, space.errors(code)));
    }
  }
  return points;
}

}  // namespace hyseq::proofs_check
