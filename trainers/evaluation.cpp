#include "trainers/evaluation.hpp"

#include <algorithm>

#include "kernels/memory.hpp"
#include "trainers/slices.hpp"

namespace hyseq::trainers {
namespace {

constexpr std::size_t kChunk = kernels::kEvaluatedRows;  // part of the loss's last bits, so never changed

/// Counts of one member.
class Counting {
 public:
  Counting(const std::vector<Slicing>& slicings, std::int32_t valid_below)
      : slicings_(slicings), valid_below_(valid_below), counts_(slicings.size()) {}

  /// One row: its example's tokens and what the model got right.
  void add(std::span<const std::int32_t> input, std::span<const std::int32_t> target,
           std::span<const std::uint8_t> correct) {
    results::Counts row;
    for (std::size_t t = 0; t < target.size(); ++t) count(row, target[t], correct[t]);
    positions_.valid += row.valid;
    positions_.correct += row.correct;
    sequences_.valid += row.valid > 0 ? 1 : 0;
    sequences_.correct += row.valid > 0 && row.correct == row.valid ? 1 : 0;
    number_.resize(input.size());
    for (std::size_t s = 0; s < slicings_.size(); ++s) {
      slicings_[s].classify(input, number_);
      for (std::size_t t = 0; t < target.size(); ++t) {
        if (number_[t] < 0) continue;
        const auto index = static_cast<std::size_t>(number_[t]);
        if (index >= counts_[s].size()) counts_[s].resize(index + 1);
        count(counts_[s][index], target[t], correct[t]);
      }
    }
  }

  void add_loss(const kernels::LossResult& loss) {
    if (loss.valid > 0) loss_ += loss.loss * static_cast<double>(loss.valid);
  }

  [[nodiscard]] results::Evaluation result(const EvaluationRequest& request) const {
    results::Evaluation evaluation;
    evaluation.name = request.name;
    evaluation.step = request.step;
    evaluation.length = static_cast<std::int64_t>(request.length);
    evaluation.rows = static_cast<std::int64_t>(request.rows);
    evaluation.loss = positions_.valid > 0 ? loss_ / static_cast<double>(positions_.valid) : 0;
    evaluation.positions = positions_;
    evaluation.sequences = sequences_;
    for (std::size_t s = 0; s < slicings_.size(); ++s)
      for (std::size_t number = 0; number < counts_[s].size(); ++number)
        if (counts_[s][number].valid > 0)
          evaluation.slices.push_back(
              {slicings_[s].by, slicings_[s].name(static_cast<std::int32_t>(number)), counts_[s][number]});
    return evaluation;
  }

 private:
  void count(results::Counts& counts, std::int32_t target, std::uint8_t correct) const {
    if (target < 0 || target >= valid_below_) return;
    ++counts.valid;
    counts.correct += correct;
  }

  const std::vector<Slicing>& slicings_;
  std::int32_t valid_below_;
  double loss_ = 0;  // sum over the valid positions
  results::Counts positions_;
  results::Counts sequences_;
  std::vector<std::vector<results::Counts>> counts_;  // [slicing][number]
  std::vector<std::int32_t> number_;
};

}  // namespace

std::vector<results::Evaluation> evaluate(kernels::Cohort& cohort, const DataSource& data,
                                          std::span<const std::uint64_t> seeds, const EvaluationRequest& request,
                                          const std::atomic<bool>* stop) {
  const std::size_t members = cohort.members();
  const std::size_t time = data.evaluation_time(request.length);
  const std::size_t begin = data.evaluation_begin();
  const std::vector<Slicing> by = data.task() != nullptr ? slicings(*data.task()) : std::vector<Slicing>{};
  std::vector<Counting> counting(members, Counting(by, data.valid_below()));
  std::vector<std::int32_t> input;
  std::vector<std::int32_t> target;
  std::vector<kernels::LossResult> losses(members);
  for (std::size_t first = 0; first < request.rows; first += kChunk) {
    if (stop != nullptr && stop->load()) throw Interrupted{};
    const std::size_t rows = std::min(kChunk, request.rows - first);
    input.clear();
    target.clear();
    tasks::PackedBatch batch;
    for (std::size_t m = 0; m < members; ++m) {
      batch = data.evaluation(seeds[m], request.length, first, rows);
      input.insert(input.end(), batch.batch.input.begin(), batch.batch.input.end());
      target.insert(target.end(), batch.batch.target.begin(), batch.batch.target.end());
    }
    std::vector<std::uint8_t> correct(input.size());
    // All members have the segments of the last one.
    cohort.evaluate({rows, time, input, target, batch.segment, data.valid_below()}, losses, correct);
    for (std::size_t m = 0; m < members; ++m) {
      counting[m].add_loss(losses[m]);
      for (std::size_t row = 0; row < rows; ++row) {
        const std::size_t start = (m * rows + row) * time + begin;
        counting[m].add(std::span(input).subspan(start, request.length),
                        std::span(target).subspan(start, request.length),
                        std::span(correct).subspan(start, request.length));
      }
    }
  }
  std::vector<results::Evaluation> evaluations;
  for (const Counting& member : counting) evaluations.push_back(member.result(request));
  return evaluations;
}

}  // namespace hyseq::trainers
