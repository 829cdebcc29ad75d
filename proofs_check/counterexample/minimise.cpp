#include "proofs_check/counterexample/minimise.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "proofs_check/counterexample/examine.hpp"

namespace hyseq::proofs_check {
namespace {

class Minimiser {
 public:
  Minimiser(const Question& question, Failure failure, const TimeBudget& budget)
      : question_(question), budget_(budget), failure_(std::move(failure)) {}

  Minimised run() {
    const bool may_shrink = question_.positions == AskedPositions::every;
    for (bool smaller = true; smaller && !budget_.over();) {
      smaller = may_shrink && leave_out();
      smaller = lower() || smaller;
    }
    return {failure_, !budget_.over()};
  }

 private:
  /// The first candidate that fails takes the sequence's place.
  bool adopt(const std::vector<Sequence>& candidates) {
    constexpr std::size_t kBatch = 64;
    for (std::size_t first = 0; first < candidates.size(); first += kBatch) {
      if (budget_.over()) return false;
      const std::size_t count = std::min(kBatch, candidates.size() - first);
      for (const Examination& examination :
           examine(question_, kernels::reference_engine(), std::span(candidates).subspan(first, count))) {
        if (!examination.failure) continue;
        failure_ = *examination.failure;
        return true;
      }
    }
    return false;
  }

  /// Blocks of halving size; behind the wrong position first.
  bool leave_out() {
    bool any = cut_end();
    for (std::size_t block = std::max<std::size_t>(1, failure_.input.size() / 2); block > 0; block /= 2) {
      while (failure_.input.size() > block && adopt(without(block))) {
        any = true;
        cut_end();
      }
    }
    return any;
  }

  bool cut_end() {
    if (failure_.position + 1 == failure_.input.size()) return false;
    const auto behind = failure_.input.begin() + static_cast<std::ptrdiff_t>(failure_.position) + 1;
    return adopt({Sequence(failure_.input.begin(), behind)});
  }

  [[nodiscard]] std::vector<Sequence> without(std::size_t block) const {
    std::vector<Sequence> candidates;
    for (std::size_t begin = 0; begin + block <= failure_.input.size(); ++begin) {
      candidates.push_back(failure_.input);
      const auto from = candidates.back().begin() + static_cast<std::ptrdiff_t>(begin);
      candidates.back().erase(from, from + static_cast<std::ptrdiff_t>(block));
    }
    return candidates;
  }

  bool lower() {
    bool any = false;
    for (std::size_t position = 0; position < failure_.input.size() && !budget_.over(); ++position) {
      std::vector<Sequence> candidates;
      for (std::int32_t token = 0; token < failure_.input[position]; ++token) {
        candidates.push_back(failure_.input);
        candidates.back()[position] = token;
      }
      any = adopt(candidates) || any;
    }
    return any;
  }

  const Question& question_;
  const TimeBudget& budget_;
  Failure failure_;
};

}  // namespace

Minimised minimise(const Question& question, const Failure& failing, const TimeBudget& budget) {
  return Minimiser(question, failing, budget).run();
}

}  // namespace hyseq::proofs_check
