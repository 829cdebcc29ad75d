#include "proofs_check/counterexample/examine.hpp"

#include <algorithm>
#include <cmath>

namespace hyseq::proofs_check {
namespace {

/// Logits of one position against the answer due.
struct Comparison {
  std::int32_t answered = -1;
  double margin = 0;
};

Comparison compare(std::span<const double> logits, std::int32_t expected) {
  const auto target = static_cast<std::size_t>(expected);
  std::size_t rival = target == 0 ? 1 : 0;
  bool unique = true;
  for (std::size_t v = 0; v < logits.size(); ++v) {
    if (std::isnan(logits[v])) return {-1, -std::numeric_limits<double>::infinity()};
    if (v == target || v == rival) continue;
    if (logits[v] == logits[rival]) unique = false;
    if (logits[v] > logits[rival]) {
      rival = v;
      unique = true;
    }
  }
  if (rival >= logits.size()) return {expected, std::numeric_limits<double>::infinity()};  // a vocabulary of one
  if (logits[target] > logits[rival]) return {expected, logits[target] - logits[rival]};
  if (logits[target] == logits[rival]) return {-1, 0};
  return {unique ? static_cast<std::int32_t>(rival) : -1, logits[target] - logits[rival]};
}

Examination judge(const Question& question, const Sequence& input, std::span<const double> logits) {
  const auto vocabulary = static_cast<std::size_t>(question.program->vocabulary);
  Sequence target(input.size());
  question.task->label(input, target);
  Examination examination;
  if (!question.allows(input, input.size())) return examination;
  for (std::size_t t = question.first_asked(input.size()); t < input.size(); ++t) {
    if (!question.is_answer(target[t])) continue;
    Comparison found = compare(logits.subspan(t * vocabulary, vocabulary), target[t]);
    if (found.margin > 0 && question.is_planted(target[t], t)) found = {-1, -1};
    examination.margin = std::min(examination.margin, found.margin);
    if (!(found.margin > 0) && !examination.failure)
      examination.failure = Failure{input, t, target[t], found.answered, found.margin};
  }
  return examination;
}

}  // namespace

std::vector<Examination> examine(const Question& question, const kernels::Engine& engine,
                                 std::span<const Sequence> sequences, const std::function<bool()>& give_up) {
  constexpr std::size_t kMostLogits = std::size_t{1} << 22;
  constexpr std::size_t kMostTokens = std::size_t{1} << 13;  // so that giving up does not wait for long
  const auto vocabulary = static_cast<std::size_t>(question.program->vocabulary);
  std::size_t time = 1;
  for (const Sequence& sequence : sequences) time = std::max(time, sequence.size());
  const std::size_t chunk = std::max<std::size_t>(1, std::min(kMostLogits / (time * vocabulary), kMostTokens / time));
  std::vector<Examination> examinations;
  for (std::size_t first = 0; first < sequences.size(); first += chunk) {
    if (give_up && give_up()) break;
    const std::span<const Sequence> rows = sequences.subspan(first, std::min(chunk, sequences.size() - first));
    Sequence tokens(rows.size() * time, 0);
    for (std::size_t row = 0; row < rows.size(); ++row)
      std::copy(rows[row].begin(), rows[row].end(), tokens.begin() + static_cast<std::ptrdiff_t>(row * time));
    kernels::ForwardRequest request;
    request.program = question.program;
    request.parameters = question.parameters;
    request.format = question.number;
    request.batch = rows.size();
    request.time = time;
    request.tokens = tokens;
    const kernels::ForwardResult result = engine.forward(request);
    const std::span<const double> logits(result.logits.values);
    for (std::size_t row = 0; row < rows.size(); ++row)
      examinations.push_back(
          judge(question, rows[row], logits.subspan(row * time * vocabulary, rows[row].size() * vocabulary)));
  }
  return examinations;
}

Examination examine(const Question& question, const Sequence& sequence) {
  return examine(question, kernels::reference_engine(), std::span(&sequence, 1)).front();
}

}  // namespace hyseq::proofs_check
