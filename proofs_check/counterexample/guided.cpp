#include "proofs_check/counterexample/guided.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "proofs_check/counterexample/examine.hpp"
#include "proofs_check/counterexample/mutate.hpp"
#include "proofs_check/parallel.hpp"

namespace hyseq::proofs_check {
namespace {

constexpr std::size_t kPopulation = 32;
constexpr std::size_t kGenerations = 40;

struct Round {
  bool finished = false;
  std::uint64_t sequences = 0;
  double smallest_margin = std::numeric_limits<double>::infinity();
  std::optional<Sequence> failing;
};

class Climb {
 public:
  Climb(const Question& question, const GuidedRequest& request, std::uint64_t index)
      : question_(question),
        request_(request),
        random_({request.seed, Purpose::verification}, (request.stage << 32) + index) {}

  /// Not finished where `give_up` said so before the end.
  Round run(const std::function<bool()>& give_up) {
    for (std::size_t member = 0; member < kPopulation; ++member) {
      population_.push_back(starting_sequence(question_, length(member), member, random_));
      fit(question_, population_.back());
    }
    margins_.assign(kPopulation, std::numeric_limits<double>::infinity());
    std::vector<Sequence> children = population_;
    for (std::size_t generation = 0;; ++generation) {
      const std::vector<Examination> examined = examine(question_, *request_.engine, children, give_up);
      if (examined.size() < children.size()) return round_;
      if (!take(children, examined)) break;
      if (generation == kGenerations) break;
      for (std::size_t member = 0; member < kPopulation; ++member) children[member] = child_of(member);
    }
    round_.finished = true;
    return round_;
  }

 private:
  /// Half of the members at full length, the others anywhere in the range.
  std::size_t length(std::size_t member) {
    const auto [least, most] = request_.lengths;
    return member % 8 < 4 ? most : least + random_.below(static_cast<std::uint32_t>(most - least + 1));
  }

  /// The children that are no worse take their members' places. False where one fails.
  bool take(std::vector<Sequence>& children, const std::vector<Examination>& examined) {
    round_.sequences += children.size();
    for (std::size_t member = 0; member < kPopulation; ++member) {
      const double margin = examined[member].margin;
      round_.smallest_margin = std::min(round_.smallest_margin, margin);
      if (examined[member].failure && confirmed(children[member])) {
        round_.failing = children[member];
        return false;
      }
      if (margin > margins_[member]) continue;
      margins_[member] = margin;
      population_[member] = std::move(children[member]);
    }
    return true;
  }

  /// Another engine may round a close call the other way; what counts is the reference.
  [[nodiscard]] bool confirmed(const Sequence& sequence) const {
    return request_.engine == &kernels::reference_engine() || examine(question_, sequence).failure.has_value();
  }

  /// Of the member itself or of a better one.
  Sequence child_of(std::size_t member) {
    const std::size_t rival = random_.below(kPopulation);
    const std::size_t other = random_.below(kPopulation);
    const bool takes_rival = random_.below(4) == 0 && margins_[rival] < margins_[member];
    Sequence child = mutate(population_[takes_rival ? rival : member], population_[other], question_.tokens(),
                            request_.lengths, random_);
    fit(question_, child);
    return child;
  }

  const Question& question_;
  const GuidedRequest& request_;
  RandomStream random_;
  std::vector<Sequence> population_;
  std::vector<double> margins_;
  Round round_;
};

}  // namespace

std::uint64_t round_sequences() { return kPopulation * (kGenerations + 1); }

GuidedResult search_guided(const Question& question, const GuidedRequest& request, const TimeBudget& budget) {
  std::atomic<std::uint64_t> next{0};
  std::atomic<std::uint64_t> failing{request.rounds};  // the first round with a failure so far
  std::mutex mutex;
  std::map<std::uint64_t, Round> finished;
  std::uint64_t sequences = 0;
  on_threads(request.threads, [&](const std::atomic<bool>& failed) {
    std::uint64_t index = 0;
    const std::function<bool()> give_up = [&] { return index > failing.load() || failed.load() || budget.over(); };
    for (index = next++; index < request.rounds && !give_up(); index = next++) {
      Round round = Climb(question, request, index).run(give_up);
      if (!round.finished) continue;
      const std::lock_guard lock(mutex);
      sequences += round.sequences;
      if (round.failing) failing = std::min(failing.load(), index);
      finished.emplace(index, std::move(round));
      if (request.progress) request.progress(sequences);
    }
  });
  GuidedResult result;
  for (auto& [index, round] : finished) {
    ++result.rounds;
    result.sequences += round.sequences;
    result.smallest_margin = std::min(result.smallest_margin, round.smallest_margin);
    if (!round.failing) continue;
    result.failing = std::move(round.failing);
    break;
  }
  return result;
}

}  // namespace hyseq::proofs_check
