#include "proofs_check/counterexample/search.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "proofs_check/counterexample/certificate.hpp"
#include "proofs_check/counterexample/examine.hpp"
#include "proofs_check/counterexample/minimise.hpp"

namespace hyseq::proofs_check {
namespace {

constexpr double kExhaustiveShare = 0.5;
constexpr double kGuidedShare = 0.9;
constexpr std::uint64_t kPatience = 64;  // rounds that look for a shorter failure, at least
constexpr std::uint64_t kControlRounds = 64;
constexpr std::uint64_t kControlStage = 1 << 16;

class Search {
 public:
  explicit Search(const SearchRequest& request)
      : request_(request), question_(request.question), budget_(request.seconds, request.stop) {
    check_question(question_);
  }

  SearchResult run() {
    exhaust(question_.length, budget_.until(kExhaustiveShare));
    if (!result_.found && result_.right_up_to() < question_.length) guide();
    // What was found bounds the length that decides whether it is the shortest, and the first in order.
    if (result_.found && !result_.found->first) exhaust(result_.found->failure.input.size(), budget_);
    if (!result_.found && result_.defined() > 0) control();
    result_.interrupted = budget_.stopped();
    result_.seconds = budget_.used();
    return std::move(result_);
  }

 private:
  [[nodiscard]] std::size_t next_length() const { return std::max(question_.shortest(), result_.right_up_to() + 1); }

  void report(const std::string& stage, double sequences) const {
    if (request_.progress) request_.progress({stage, sequences, std::max(0.0, budget_.left())});
  }

  [[nodiscard]] bool affordable(std::size_t length, const TimeBudget& budget) const {
    const double sequences = sequences_of_length(question_, length);
    if (request_.inputs > 0 &&
        static_cast<double>(result_.exhausted()) + sequences > static_cast<double>(request_.inputs))
      return false;
    constexpr double kMostPerSecond = 2e7;  // of one thread: no model is so small
    if (sequences > kMostPerSecond * request_.threads * budget.left()) return false;
    if (result_.lengths.empty()) return true;
    return result_.lengths.back().seconds * static_cast<double>(question_.tokens()) < budget.left();
  }

  /// Lengths up to `most`, while the budget and the limit allow.
  void exhaust(std::size_t most, const TimeBudget& budget) {
    for (std::size_t length = next_length(); length <= most && affordable(length, budget); length = next_length()) {
      const std::string stage = "every sequence of " + std::to_string(length) + (length == 1 ? " token" : " tokens");
      const auto progress = [&](double sequences) { report(stage, sequences); };
      LengthResult checked = check_length(question_, length, budget, request_.threads, progress);
      if (checked.failing) {
        result_.found =
            FoundFailure{*examine(question_, *checked.failing).failure, "exhaustive", true, checked.complete, true};
        return;
      }
      if (!checked.complete) return;
      result_.lengths.push_back(std::move(checked));
    }
    if (!result_.found) return;
    result_.found->shortest = result_.found->failure.input.size() == next_length();
  }

  /// The guided search, and again below the length of what it found.
  void guide() {
    const TimeBudget budget = budget_.until(kGuidedShare);
    GuidedRequest guided = guided_request();
    guided.lengths = {next_length(), question_.length};
    result_.guided_lengths = guided.lengths;
    std::uint64_t left = std::numeric_limits<std::uint64_t>::max();
    if (request_.inputs > 0) left = (request_.inputs + round_sequences() - 1) / round_sequences();
    for (std::uint64_t patience = left; left > 0; ++guided.stage) {
      guided.rounds = std::min(left, patience);
      guided.progress = [this, before = result_.guided.sequences](std::uint64_t sequences) {
        report("guided search", static_cast<double>(before + sequences));
      };
      const GuidedResult stage = search_guided(question_, guided, budget);
      result_.guided.rounds += stage.rounds;
      result_.guided.sequences += stage.sequences;
      result_.guided.smallest_margin = std::min(result_.guided.smallest_margin, stage.smallest_margin);
      left -= std::min(left, stage.rounds);
      if (!stage.failing) return;
      Minimised small = minimise(question_, *examine(question_, *stage.failing).failure, budget_);
      const std::size_t size = small.failure.input.size();
      result_.guided.failing = small.failure.input;
      result_.found =
          FoundFailure{std::move(small.failure), "guided", size == guided.lengths.min, false, small.locally_minimal};
      if (size == guided.lengths.min) return;
      guided.lengths.max = size - 1;
      patience = std::max(kPatience, 2 * stage.rounds);
    }
  }

  [[nodiscard]] GuidedRequest guided_request() const {
    GuidedRequest guided;
    guided.engine = request_.engine != nullptr ? request_.engine : &kernels::reference_engine();
    guided.seed = request_.seed;
    guided.threads = request_.threads;
    return guided;
  }

  /// The rarest answer of the longest complete length taken for wrong: the same searches have to find that.
  void control() {
    // Their own time, because the searches may have used up theirs; mostly they end at once.
    constexpr double kLeastSeconds = 1;
    const double seconds = std::max(kLeastSeconds, request_.seconds * kExhaustiveShare);
    const std::vector<std::uint64_t>& answers = result_.lengths.back().answers;
    std::int32_t rarest = -1;
    for (std::size_t token = 0; token < answers.size(); ++token) {
      if (answers[token] == 0) continue;
      if (rarest < 0 || answers[token] <= answers[static_cast<std::size_t>(rarest)])
        rarest = static_cast<std::int32_t>(token);
    }
    if (rarest < 0) return;
    report("controls", 0);
    Question planted = question_;
    planted.planted = PlantedFailure{rarest, 0};
    const std::string answer = "the answer " + question_.task->vocabulary().name(rarest) + " taken for wrong";
    std::optional<Sequence> failing;
    const TimeBudget exhaustive(seconds, request_.stop);
    for (const LengthResult& length : result_.lengths) {
      if (!failing) failing = check_length(planted, length.length, exhaustive, request_.threads).failing;
    }
    keep(planted, answer, "exhaustive", failing);
    if (result_.guided.rounds == 0) return;
    planted.planted->from = result_.right_up_to();
    GuidedRequest guided = guided_request();
    guided.stage = kControlStage;
    guided.lengths = result_.guided_lengths;
    guided.rounds = kControlRounds;
    keep(planted, answer + " from position " + std::to_string(planted.planted->from) + " on", "guided",
         search_guided(planted, guided, TimeBudget(seconds, request_.stop)).failing);
  }

  void keep(const Question& planted, const std::string& name, const std::string& expected,
            const std::optional<Sequence>& failing) {
    Control control;
    control.name = name;
    control.expected = expected;
    control.caught = failing.has_value();
    if (failing) {
      control.caught_by = expected;
      control.counterexample = failure_text(*examine(planted, *failing).failure, question_.task->vocabulary());
    }
    result_.controls.push_back(std::move(control));
  }

  const SearchRequest& request_;
  const Question& question_;
  TimeBudget budget_;
  SearchResult result_;
};

}  // namespace

std::uint64_t SearchResult::exhausted() const {
  std::uint64_t sum = 0;
  for (const LengthResult& length : lengths) sum += length.sequences;
  return sum;
}

std::uint64_t SearchResult::defined() const {
  std::uint64_t sum = 0;
  for (const LengthResult& length : lengths) sum += length.defined;
  return sum;
}

double SearchResult::smallest_margin() const {
  double smallest = std::numeric_limits<double>::infinity();
  for (const LengthResult& length : lengths) smallest = std::min(smallest, length.smallest_margin);
  return smallest;
}

SearchResult search_counterexample(const SearchRequest& request) { return Search(request).run(); }

}  // namespace hyseq::proofs_check
