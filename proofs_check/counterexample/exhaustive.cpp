#include "proofs_check/counterexample/exhaustive.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <span>
#include <utility>

#include "proofs_check/engines.hpp"
#include "proofs_check/parallel.hpp"

namespace hyseq::proofs_check {
namespace {

/// The only token with the largest logit and how far it is ahead, or -1.
struct Answer {
  std::int32_t token = -1;
  double lead = 0;
};

template <class Scalar>
Answer answer_of(const Scalar* logits, std::size_t count) {
  const std::int32_t token = kernels::unique_argmax(logits, count);
  if (token < 0) return {};
  const auto value = [&](std::size_t v) { return numbers::Numeric<Scalar>::to_double(logits[v]); };
  const auto best = static_cast<std::size_t>(token);
  double second = -std::numeric_limits<double>::infinity();
  for (std::size_t v = 0; v < count; ++v)
    if (v != best) second = std::max(second, value(v));
  return {token, value(best) - second};
}

/// All sequences of one length that begin with a given prefix, in lexicographic order, until one fails.
template <class Scalar>
class PrefixWalk {
 public:
  PrefixWalk(const Question& question, std::size_t length, const std::function<bool()>& give_up)
      : question_(question),
        length_(length),
        give_up_(give_up),
        session_(*question.program, *question.parameters, length),
        vocabulary_(static_cast<std::size_t>(question.program->vocabulary)),
        tokens_(static_cast<std::size_t>(question.tokens())),
        nodes_(length + 1),
        target_(length),
        answers_(tokens_) {}

  /// How often each token was due, over all runs.
  [[nodiscard]] const std::vector<std::uint64_t>& answers() const { return answers_; }

  LengthResult run(const Sequence& prefix) {
    result_ = {};
    result_.complete = true;
    Node& root = nodes_[prefix.size()];
    root.carry = session_.fresh(1);
    root.path = prefix;
    root.answers.clear();
    for (std::size_t t = 0; t < prefix.size(); ++t) {
      session_.forward({std::span(prefix).subspan(t, 1), 1, 1}, root.carry);
      root.answers.push_back(answer_of(session_.logits().data(), vocabulary_));
    }
    if (descend(prefix.size(), 0, 1) == Outcome::given_up) result_.complete = false;
    return std::move(result_);
  }

 private:
  enum class Outcome { goes_on, failed, given_up };

  /// Prefixes of one length, a row each.
  struct Node {
    kernels::Carry<Scalar> carry;
    Sequence path;                // [rows, depth]
    std::vector<Answer> answers;  // [rows, depth]; left alone where only the last position is asked for
    Sequence next;                // [rows]
  };

  [[nodiscard]] std::size_t batch() const {
    return std::clamp<std::size_t>((std::size_t{1} << 18) / vocabulary_, 16, 256);
  }

  /// Extends rows [first, first + count) of `depth` by every token, all at once or, for one row with more children than
  /// a batch, a stretch of them at a time.
  Outcome descend(std::size_t depth, std::size_t first, std::size_t count) {
    const TokenRange range = question_.allowed(depth, length_);
    const auto end = static_cast<std::size_t>(range.end);
    const auto width = static_cast<std::size_t>(range.count());
    const std::size_t stretch = count == 1 ? std::min(width, batch()) : width;
    for (auto token = static_cast<std::size_t>(range.first); token < end; token += stretch) {
      if (give_up_()) return Outcome::given_up;
      const Outcome outcome = extend(depth, first, count, token, std::min(stretch, end - token));
      if (outcome != Outcome::goes_on) return outcome;
    }
    return Outcome::goes_on;
  }

  Outcome extend(std::size_t depth, std::size_t first, std::size_t count, std::size_t token, std::size_t siblings) {
    const Node& parents = nodes_[depth];
    Node& node = nodes_[depth + 1];
    const std::size_t rows = count * siblings;
    const std::size_t size = depth + 1;
    const bool every = !question_.last_alone();
    if (node.carry.rows() != rows) node.carry = session_.fresh(rows);
    node.path.resize(rows * size);
    node.answers.resize(rows * size);
    node.next.resize(rows);
    for (std::size_t row = 0; row < rows; ++row) {
      const std::size_t parent = first + row / siblings;
      node.next[row] = static_cast<std::int32_t>(token + row % siblings);
      node.carry.copy_row(row, parents.carry, parent);
      std::copy_n(parents.path.data() + parent * depth, depth, node.path.data() + row * size);
      if (every) std::copy_n(parents.answers.data() + parent * depth, depth, node.answers.data() + row * size);
      node.path[row * size + depth] = node.next[row];
    }
    const bool last = size == length_;
    session_.forward({node.next, rows, 1}, node.carry, last || every ? kernels::Depth::logits : kernels::Depth::carry);
    if (last || every) {
      for (std::size_t row = 0; row < rows; ++row)
        node.answers[row * size + depth] = answer_of(session_.logits().data() + row * vocabulary_, vocabulary_);
    }
    if (last) return compare(node, rows);
    const std::size_t group = std::max<std::size_t>(1, batch() / tokens_);
    for (std::size_t row = 0; row < rows; row += group) {
      const Outcome outcome = descend(size, row, std::min(group, rows - row));
      if (outcome != Outcome::goes_on) return outcome;
    }
    return Outcome::goes_on;
  }

  /// A target may depend on what follows, so every position is compared again at the full length.
  Outcome compare(const Node& node, std::size_t rows) {
    for (std::size_t row = 0; row < rows; ++row) {
      const std::span<const std::int32_t> input(node.path.data() + row * length_, length_);
      question_.task->label(input, target_);
      bool defined = false;
      for (std::size_t t = question_.first_asked(length_); t < length_; ++t) {
        if (!question_.is_answer(target_[t])) continue;
        defined = true;
        const Answer& answer = node.answers[row * length_ + t];
        if (answer.token != target_[t] || question_.is_planted(target_[t], t)) {
          result_.failing = Sequence(input.begin(), input.end());
          return Outcome::failed;
        }
        result_.smallest_margin = std::min(result_.smallest_margin, answer.lead);
        ++answers_[static_cast<std::size_t>(target_[t])];
      }
      ++result_.sequences;
      result_.defined += defined ? 1U : 0U;
    }
    return Outcome::goes_on;
  }

  const Question& question_;
  std::size_t length_;
  const std::function<bool()>& give_up_;
  kernels::ReferenceSession<Scalar> session_;
  std::size_t vocabulary_;
  std::size_t tokens_;
  std::vector<Node> nodes_;  // by depth
  Sequence target_;
  std::vector<std::uint64_t> answers_;
  LengthResult result_;
};

void add(LengthResult& total, const LengthResult& part) {
  total.sequences += part.sequences;
  total.defined += part.defined;
  total.smallest_margin = std::min(total.smallest_margin, part.smallest_margin);
}

/// The prefix number `index` of `depth` tokens in lexicographic order.
Sequence prefix_of(std::uint64_t index, std::size_t depth, std::uint64_t tokens) {
  Sequence prefix(depth);
  for (std::size_t t = depth; t-- > 0; index /= tokens) prefix[t] = static_cast<std::int32_t>(index % tokens);
  return prefix;
}

}  // namespace

void check_question(const Question& question) {
  if (question.positions == AskedPositions::query && question.task->name() != "decode_recall_last")
    throw InputError("the positions are 'query' of the task " + question.task->name() +
                     ", allowed are: every, last; decode_recall_last alone has a query");
  const tasks::Vocabulary& vocabulary = question.task->vocabulary();
  const std::int32_t own = question.program->vocabulary;
  if (own == vocabulary.size() || own == vocabulary.bos()) return;
  throw InputError("the model's vocabulary has " + std::to_string(own) + " tokens, allowed is that of the task " +
                   question.task->name() + " with these options: " + std::to_string(vocabulary.bos()) + " tokens, or " +
                   std::to_string(vocabulary.size()) + " with <bos>, <eos> and <null>");
}

double sequences_of_length(const Question& question, std::size_t length) {
  double product = 1;
  for (std::size_t t = 0; t < length; ++t) product *= question.allowed(t, length).count();
  return product;
}

LengthResult check_length(const Question& question, std::size_t length, const TimeBudget& budget, int threads,
                          const std::function<void(double)>& progress) {
  // Pieces by prefix, enough of them to share among threads and to report progress.
  constexpr std::uint64_t kPieces = 256;
  const auto tokens = static_cast<std::uint64_t>(question.tokens());
  std::size_t depth = 0;
  std::uint64_t pieces = 1;
  while (pieces < kPieces && depth + 2 <= length && sequences_of_length(question, length) > 10000) {
    pieces *= tokens;
    ++depth;
  }
  const double started = budget.used();
  std::vector<LengthResult> results(pieces);
  std::atomic<std::uint64_t> next{0};
  std::atomic<std::uint64_t> failing{pieces};  // the first piece with a failure so far
  std::mutex mutex;
  double looked_at = 0;
  std::vector<std::uint64_t> answers(tokens);
  on_threads(threads, [&](const std::atomic<bool>& failed) {
    with_scalar(question.number, [&](auto scalar) {
      std::uint64_t piece = 0;
      const std::function<bool()> give_up = [&] { return piece > failing.load() || failed.load() || budget.over(); };
      PrefixWalk<decltype(scalar)> walk(question, length, give_up);
      for (piece = next++; piece < pieces && !give_up(); piece = next++) {
        const Sequence prefix = prefix_of(piece, depth, tokens);
        results[piece].complete = true;  // where no sequence begins so
        if (question.allows(prefix, length)) results[piece] = walk.run(prefix);
        const std::lock_guard lock(mutex);
        if (results[piece].failing) failing = std::min(failing.load(), piece);
        looked_at += static_cast<double>(results[piece].sequences);
        if (progress) progress(looked_at);
      }
      const std::lock_guard lock(mutex);
      for (std::size_t token = 0; token < tokens; ++token) answers[token] += walk.answers()[token];
    });
  });
  LengthResult total;
  total.length = length;
  total.complete = true;
  for (std::uint64_t piece = 0; piece < pieces; ++piece) {
    total.complete = total.complete && results[piece].complete;
    add(total, results[piece]);
    if (!results[piece].failing) continue;
    total.failing = results[piece].failing;
    break;
  }
  if (!total.failing) total.answers = std::move(answers);
  total.seconds = budget.used() - started;
  return total;
}

}  // namespace hyseq::proofs_check
