// What a search for counterexamples asks: is this model right, on every sequence up to a length, at every position that
// has a target? The sequences are all those over the task's input tokens (every id below <bos>), whether its sampler
// draws them or not; the target is the task's labeller's.
//
// Wrong is a position with a target whose logit is not strictly above all the others: a smaller one, a tie, or a logit
// that is not a number.
#pragma once

#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "kernels/base/number_format.hpp"
#include "kernels/program.hpp"
#include "tasks/task.hpp"

namespace hyseq::proofs_check {

using Sequence = std::vector<std::int32_t>;

/// `last`: the last position alone, of sequences of exactly the length asked for. `query`: the same of
/// decode_recall_last, of sequences whose context holds words alone, as its sampler draws them without `bit-share` and
/// as Theorem 4.6 has them.
enum class AskedPositions { every, last, query };
[[nodiscard]] constexpr const char* positions_name(AskedPositions positions) {
  return positions == AskedPositions::every ? "every" : positions == AskedPositions::last ? "last" : "query";
}

/// Ids first .. end - 1.
struct TokenRange {
  std::int32_t first = 0;
  std::int32_t end = 0;

  [[nodiscard]] std::int32_t count() const { return end - first; }
  [[nodiscard]] bool contains(std::int32_t token) const { return token >= first && token < end; }
};

/// A negative control: this answer counts as wrong from position `from` on, so that the search must find a failure
/// where there is none.
struct PlantedFailure {
  std::int32_t answer = 0;
  std::size_t from = 0;
};

struct Question {
  const kernels::Program* program = nullptr;
  const kernels::ParameterValues* parameters = nullptr;
  const tasks::Task* task = nullptr;
  NumberFormat number = NumberFormat::float32;
  AskedPositions positions = AskedPositions::every;
  std::size_t length = 1;  // of the longest sequence, in tokens
  std::optional<PlantedFailure> planted;

  /// Ids 0 .. tokens()-1 occur in the sequences, and are the answers that count.
  [[nodiscard]] std::int32_t tokens() const { return task->vocabulary().bos(); }
  [[nodiscard]] bool is_answer(std::int32_t target) const { return target >= 0 && target < tokens(); }
  /// Whether only the last position of sequences of the one length counts.
  [[nodiscard]] bool last_alone() const { return positions != AskedPositions::every; }
  [[nodiscard]] std::size_t shortest() const { return last_alone() ? length : 1; }
  /// First position that is asked for in a sequence of `size` tokens.
  [[nodiscard]] std::size_t first_asked(std::size_t size) const { return last_alone() ? size - 1 : 0; }
  /// What may stand at `position` of a sequence of `size` tokens.
  [[nodiscard]] TokenRange allowed(std::size_t position, std::size_t size) const {
    if (positions != AskedPositions::query) return {0, tokens()};
    const std::int32_t words = tokens() - 2;
    const auto bits = static_cast<std::size_t>(std::bit_width(static_cast<std::uint32_t>(words)) - 1);
    return position + bits < size ? TokenRange{0, words} : TokenRange{words, tokens()};
  }
  /// Whether a sequence of `size` tokens may begin with `prefix`.
  [[nodiscard]] bool allows(std::span<const std::int32_t> prefix, std::size_t size) const {
    for (std::size_t t = 0; t < prefix.size(); ++t)
      if (!allowed(t, size).contains(prefix[t])) return false;
    return true;
  }
  [[nodiscard]] bool is_planted(std::int32_t target, std::size_t position) const {
    return planted && target == planted->answer && position >= planted->from;
  }
};

/// InputError unless the model's vocabulary is the task's, with or without the three special tokens, and for positions
/// that the task does not have.
void check_question(const Question& question);

/// A sequence on which the model is wrong.
struct Failure {
  Sequence input;
  std::size_t position = 0;    // the first wrong one
  std::int32_t expected = 0;   // the answer due there
  std::int32_t answered = -1;  // -1: a tie, or not a number
  double margin = 0;           // logit of the answer due less the largest other one; -infinity where one is no number
};

/// Time that a part of the search may take. Infinite seconds leave only the flag, which may be null.
class TimeBudget {
 public:
  TimeBudget(double seconds, const std::atomic<bool>* stop) : seconds_(seconds), stop_(stop) {}

  [[nodiscard]] bool stopped() const { return stop_ != nullptr && stop_->load(std::memory_order_relaxed); }
  [[nodiscard]] bool over() const { return stopped() || left() <= 0; }
  [[nodiscard]] double used() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  [[nodiscard]] double left() const { return seconds_ - used(); }
  /// A budget that ends when this share of the whole has passed.
  [[nodiscard]] TimeBudget until(double share) const {
    TimeBudget part = *this;
    part.seconds_ *= share;
    return part;
  }

 private:
  using Clock = std::chrono::steady_clock;

  double seconds_;
  const std::atomic<bool>* stop_;
  Clock::time_point start_ = Clock::now();
};

}  // namespace hyseq::proofs_check
