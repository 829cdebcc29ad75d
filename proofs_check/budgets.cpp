#include "proofs_check/budgets.hpp"

#include <algorithm>
#include <cmath>

#include "models/cost.hpp"
#include "proofs_check/induction.hpp"
#include "proofs_check/residual_classes/closed_forms.hpp"

namespace hyseq::proofs_check {
namespace {

using constructions::code_bits;
using constructions::Level;

// Up to these sizes the states are counted through the weights at every point of the grid.
constexpr int kCountedVocabulary = 4096;
constexpr int kCountedBits = 7;
constexpr std::uint64_t kEndless = 1ULL << 62;  // "length" of a stream

double bits_of(NumberFormat format) { return 8.0 * bytes(format); }

/// Attention memory of a program, and the windows' sum.
struct Memory {
  double attention_bits = 0;
  double state_bits = 0;  // as numbers, where the states are not finitely many
  double window = 0;
};

Memory memory(const kernels::Program& program, std::uint64_t length, NumberFormat format) {
  Memory result;
  for (const kernels::CarryInfo& carry : program.carries) {
    const auto bits = static_cast<double>(models::working_memory_bits(carry, length, format));
    if (carry.kind == kernels::CarryKind::attention) {
      result.attention_bits += bits;
      result.window += carry.depth;
    } else {
      result.state_bits += bits;
    }
  }
  return result;
}

Budget measure(const constructions::SelectiveCopySpec& spec, NumberFormat format, const std::string& axis) {
  const auto construction = constructions::build(spec);
  const bool faithful = spec.level == Level::faithful;
  const double vocabulary = spec.vocabulary;
  const double distances = spec.distances;
  const double width = construction.architecture.width;
  const Memory held =
      memory(construction.program, faithful ? static_cast<std::uint64_t>(spec.length) : kEndless, format);
  Budget budget;
  budget.axis = axis;
  budget.vocabulary = spec.vocabulary;
  budget.distances = spec.distances;
  budget.length = faithful ? spec.length : 0;
  const double token_bits = code_bits(spec.vocabulary);
  budget.width = {width, faithful ? 2 * token_bits + 2 * code_bits(spec.length) + 1 : token_bits + 10};
  budget.nonzero_parameters = {static_cast<double>(construction.nonzero_parameters()), (vocabulary + 12) * width};
  budget.instantiated = spec.vocabulary <= kCountedVocabulary;
  const double states =
      budget.instantiated ? static_cast<double>(check_induction(construction, format).reachable_states) : distances + 1;
  budget.states = {states, vocabulary + 1};
  budget.window = {held.window, distances};
  budget.working_memory_bits = {held.attention_bits + std::log2(states),
                                2 * distances * budget.width.bound * bits_of(format) + std::log2(vocabulary + 1)};
  // Number n asks for distance n - 1, and a stream is long enough for all of them.
  const tasks::SelectiveCopyShape shape{std::max(1, spec.vocabulary - spec.distances), 0, spec.distances};
  const int values_read = (faithful ? spec.length : spec.distances) - 1;
  budget.pure_ssm_bits = log2_of(copy_classes_once(shape, values_read, values_read));
  budget.pure_window = faithful ? spec.length : 0;
  return budget;
}

Budget measure(const constructions::DecodeRecallSpec& spec, NumberFormat format, const std::string& axis) {
  const auto construction = constructions::build(spec);
  const bool faithful = spec.level == Level::faithful;
  const double words = spec.words();
  const double width = construction.architecture.width;
  const int length = construction.spec.length;
  const Memory held = memory(construction.program, faithful ? static_cast<std::uint64_t>(length) : kEndless, format);
  Budget budget;
  budget.axis = axis;
  budget.vocabulary = construction.architecture.vocabulary;
  budget.bits = spec.bits;
  budget.length = faithful ? length : 0;
  const double token_bits = code_bits(spec.words() + 2);
  budget.width = {width, faithful ? 3 * token_bits + 2 * code_bits(length) + 2 : 3 * token_bits + 8};
  // One dense table, and per layer at most a few weights for every coordinate; the register's steps read all position
  // bits.
  const double register_weights = faithful ? spec.bits * static_cast<double>(code_bits(length)) : 0;
  budget.nonzero_parameters = {static_cast<double>(construction.nonzero_parameters()),
                               (construction.architecture.vocabulary + 12) * width + register_weights};
  budget.instantiated = spec.bits <= kCountedBits && length <= 4096;
  const double promised = faithful ? 2 * words - 1 : words;
  const double states =
      budget.instantiated ? static_cast<double>(check_induction(construction, format).reachable_states) : promised;
  budget.states = {states, 2 * words};
  // K + b with K <= 1 + W ln 100, and 2 for the previous token.
  budget.window = {held.window, words * std::log(100.0) + 1 + spec.bits + 2};
  // The streaming register keeps older residue, so its states count as numbers, not as classes.
  const double state_bits = faithful ? std::log2(states) : held.state_bits;
  budget.working_memory_bits = {held.attention_bits + state_bits,
                                2 * budget.window.bound * budget.width.bound * bits_of(format) +
                                    std::max(std::log2(2 * words), 3 * bits_of(format))};
  const int context = length - spec.bits;
  budget.pure_ssm_bits = recall_bits_once(faithful ? std::clamp(context / 2, 1, spec.words()) : spec.words());
  budget.pure_window = faithful ? length : 0;
  return budget;
}

double axis_value(const Budget& budget) {
  if (budget.axis == "vocabulary") return budget.vocabulary;
  if (budget.axis == "distances") return budget.distances;
  if (budget.axis == "length") return budget.length;
  return std::ldexp(1.0, budget.bits);
}

/// Least-squares slope of log(quantity) against log(axis); for the width the slope against log2(axis) itself.
double slope(const std::vector<std::pair<double, double>>& points) {
  double x = 0;
  double y = 0;
  double xx = 0;
  double xy = 0;
  for (const auto& [px, py] : points) {
    x += px;
    y += py;
    xx += px * px;
    xy += px * py;
  }
  const auto n = static_cast<double>(points.size());
  return (n * xy - x * y) / (n * xx - x * x);
}

void fit_growth(BudgetResult& result) {
  const std::pair<const char*, Bounded Budget::*> quantities[] = {
      {"nonzero_parameters", &Budget::nonzero_parameters},
      {"states", &Budget::states},
      {"window", &Budget::window},
      {"working_memory_bits", &Budget::working_memory_bits}};
  for (const char* axis : {"vocabulary", "distances", "length", "bits"}) {
    std::vector<const Budget*> line;
    for (const Budget& budget : result.grid) {
      if (budget.axis == axis) line.push_back(&budget);
    }
    if (line.size() < 3) continue;
    const std::string name = std::string(axis) == "bits" ? "words" : axis;
    std::vector<std::pair<double, double>> width;
    for (const Budget* budget : line) width.emplace_back(std::log2(axis_value(*budget)), budget->width.value);
    result.growth["width per doubling of " + name] = slope(width);
    for (const auto& [quantity, member] : quantities) {
      std::vector<std::pair<double, double>> points;
      for (const Budget* budget : line)
        points.emplace_back(std::log(axis_value(*budget)), std::log((budget->*member).value));
      result.growth[std::string(quantity) + " against " + name] = slope(points);
    }
  }
}

}  // namespace

bool BudgetResult::passed() const {
  return here.holds() && std::all_of(grid.begin(), grid.end(), [](const Budget& budget) { return budget.holds(); });
}

BudgetResult budgets(const constructions::SelectiveCopySpec& spec, NumberFormat format) {
  BudgetResult result;
  result.here = measure(spec, format, "");
  constructions::SelectiveCopySpec point = spec;
  for (int v = 16; v <= 65536; v *= 2) {
    point.vocabulary = v;
    point.distances = 8;
    point.length = 64;
    result.grid.push_back(measure(point, format, "vocabulary"));
  }
  for (int n = 2; n <= 1024; n *= 2) {
    point.vocabulary = 2048;
    point.distances = n;
    point.length = 1024;
    result.grid.push_back(measure(point, format, "distances"));
  }
  for (int length = 16; spec.level == Level::faithful && length <= (1 << 20); length *= 2) {
    point.vocabulary = 34;
    point.distances = 8;
    point.length = length;
    result.grid.push_back(measure(point, format, "length"));
  }
  fit_growth(result);
  return result;
}

BudgetResult budgets(const constructions::DecodeRecallSpec& spec, NumberFormat format) {
  BudgetResult result;
  result.here = measure(spec, format, "");
  constructions::DecodeRecallSpec point = spec;
  point.window = 0;
  for (int bits = 1; bits <= 10; ++bits) {
    point.bits = bits;
    point.length = 0;
    result.grid.push_back(measure(point, format, "bits"));
  }
  for (int length = 256; spec.level == Level::faithful && length <= (1 << 20); length *= 2) {
    point.bits = 5;
    point.length = length;
    result.grid.push_back(measure(point, format, "length"));
  }
  fit_growth(result);
  return result;
}

}  // namespace hyseq::proofs_check
