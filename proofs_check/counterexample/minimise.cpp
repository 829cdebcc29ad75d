#include "proofs_check/counterexample/minimise.hpp"

#include <algorithm>
#include <functional>
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
    const bool may_shrink = !question_.last_alone();
    for (bool smaller = true; smaller && !budget_.over();) {
      smaller = may_shrink && leave_out();
      smaller = lower() || smaller;
    }
    return {failure_, !budget_.over()};
  }

 private:
  /// The first of the candidates make(0) .. make(count-1) that fails takes the sequence's place.
  bool adopt(std::size_t count, const std::function<Sequence(std::size_t)>& make) {
    constexpr std::size_t kBatch = 64;
    std::vector<Sequence> candidates;
    for (std::size_t first = 0; first < count; first += kBatch) {
      candidates.clear();
      for (std::size_t i = first; i < std::min(count, first + kBatch); ++i) candidates.push_back(make(i));
      for (const Examination& examination :
           examine(question_, kernels::reference_engine(), candidates, [this] { return budget_.over(); })) {
        if (!examination.failure) continue;
        failure_ = *examination.failure;
        return true;
      }
      if (budget_.over()) return false;
    }
    return false;
  }

  /// What lies behind the wrong position, then blocks of halving size.
  bool leave_out() {
    bool any = cut_end();
    for (std::size_t block = std::max<std::size_t>(1, failure_.input.size() / 2); block > 0; block /= 2) {
      while (failure_.input.size() > block && without(block)) {
        any = true;
        cut_end();
      }
    }
    return any;
  }

  bool cut_end() {
    if (failure_.position + 1 == failure_.input.size()) return false;
    const auto behind = failure_.input.begin() + static_cast<std::ptrdiff_t>(failure_.position) + 1;
    const Sequence head(failure_.input.begin(), behind);
    return adopt(1, [&](std::size_t) { return head; });
  }

  bool without(std::size_t block) {
    const Sequence whole = failure_.input;
    const std::size_t stride = std::max<std::size_t>(1, block / 2);
    return adopt((whole.size() - block) / stride + 1, [&](std::size_t i) {
      Sequence shorter = whole;
      const auto from = shorter.begin() + static_cast<std::ptrdiff_t>(i * stride);
      shorter.erase(from, from + static_cast<std::ptrdiff_t>(block));
      return shorter;
    });
  }

  bool lower() {
    bool any = false;
    for (std::size_t position = 0; position < failure_.input.size() && !budget_.over(); ++position) {
      const Sequence whole = failure_.input;
      const auto lowered = [&](std::size_t token) {
        Sequence lower = whole;
        lower[position] = static_cast<std::int32_t>(token);
        return lower;
      };
      any = adopt(static_cast<std::size_t>(whole[position]), lowered) || any;
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
