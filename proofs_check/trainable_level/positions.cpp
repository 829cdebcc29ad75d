#include "proofs_check/trainable_level/positions.hpp"

#include <algorithm>
#include <vector>

#include "kernels/base/error.hpp"
#include "kernels/engine.hpp"
#include "kernels/softmax_cross_entropy/reference.hpp"
#include "tasks/batch.hpp"

namespace hyseq::proofs_check {
namespace {

constexpr std::size_t kTokens = 4096;        // of one member in one round
constexpr std::uint64_t kMostTokens = 1000;  // an answer

Counterexample explain(const constructions::Construction& construction, const RandomPositions& request,
                       std::span<const std::int32_t> input, std::int32_t expected) {
  kernels::ForwardRequest forward;
  forward.program = &construction.program;
  forward.parameters = &construction.values;
  forward.format = request.format;
  forward.time = input.size();
  forward.tokens = input;
  const kernels::ForwardResult result = kernels::find_engine(request.engine).forward(forward);
  const std::size_t vocabulary = result.logits.shape.back();
  const std::int32_t answered =
      kernels::unique_argmax(result.logits.values.data() + (input.size() - 1) * vocabulary, vocabulary);
  return {{input.begin(), input.end()}, expected, answered};
}

}  // namespace

PositionCounts check_random_positions(const constructions::Construction& construction, const tasks::Task& task,
                                      const RandomPositions& request) {
  if (construction.architecture.vocabulary != task.vocabulary().size()) {
    throw InputError("the construction has a vocabulary of " + std::to_string(construction.architecture.vocabulary) +
                     " tokens, task " + task.name() + " has " + std::to_string(task.vocabulary().size()));
  }
  const kernels::Engine& engine = kernels::find_engine(request.engine);
  kernels::CohortRequest wanted;
  wanted.training = &construction.program;
  wanted.evaluation = &construction.program;
  wanted.format = request.format;
  wanted.members = engine.cohort_size(request.format);
  wanted.longest = request.length;
  wanted.threads = request.threads;
  if (wanted.members == 0) throw InputError("engine " + request.engine + " has no cohorts in this number format");
  const auto cohort = engine.make_cohort(wanted);
  for (std::size_t m = 0; m < wanted.members; ++m) cohort->set_parameters(m, construction.values);

  PositionCounts counts;
  const std::size_t rows = std::max<std::size_t>(1, kTokens / request.length);
  std::vector<kernels::LossResult> losses(wanted.members);
  std::vector<std::uint8_t> correct;
  double loss = 0;
  for (std::uint64_t first = 0; counts.defined < request.answers; first += wanted.members * rows) {
    if (counts.positions > kMostTokens * std::max<std::uint64_t>(request.answers, 1000)) {
      throw InputError("task " + task.name() + " has hardly any answers in sequences of length " +
                       std::to_string(request.length));
    }
    // Members and their rows in one run of numbers.
    const tasks::Batch batch =
        tasks::sample_rows(task, {request.seed, Purpose::verification}, first, wanted.members * rows,
                           {request.length, request.length}, request.threads);
    correct.assign(batch.input.size(), 0);
    cohort->evaluate({rows, request.length, batch.input, batch.target, {}, task.vocabulary().bos()}, losses, correct);
    counts.positions += batch.input.size();
    for (const kernels::LossResult& member : losses) {
      counts.defined += static_cast<std::uint64_t>(member.valid);
      counts.correct += static_cast<std::uint64_t>(member.correct);
      if (member.valid > 0) loss += member.loss * static_cast<double>(member.valid);
    }
    for (std::size_t i = 0; i < correct.size() && !counts.counterexample; ++i) {
      if (correct[i] != 0 || batch.target[i] >= task.vocabulary().bos()) continue;
      const std::size_t row = i / request.length;
      counts.counterexample =
          explain(construction, request,
                  std::span(batch.input).subspan(row * request.length, i - row * request.length + 1), batch.target[i]);
    }
    if (request.stop_at_first_error && counts.counterexample) break;
  }
  if (counts.defined > 0) counts.loss = loss / static_cast<double>(counts.defined);
  return counts;
}

}  // namespace hyseq::proofs_check
