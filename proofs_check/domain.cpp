#include "proofs_check/domain.hpp"

#include <algorithm>
#include <atomic>
#include <ctime>
#include <mutex>
#include <utility>

#include "proofs_check/engines.hpp"
#include "proofs_check/parallel.hpp"

namespace hyseq::proofs_check {
namespace {

using Tokens = std::vector<std::int32_t>;

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

bool earlier(const Counterexample& a, const Counterexample& b) {
  return a.input.size() != b.input.size() ? a.input.size() < b.input.size() : a.input < b.input;
}

void keep_earliest(std::optional<Counterexample>& best, Counterexample candidate) {
  if (!best || earlier(candidate, *best)) best = std::move(candidate);
}

/// Depth-first over batches of siblings, one carry per depth.
template <class Scalar>
class TreeWalk {
 public:
  TreeWalk(const constructions::Construction& construction, const DomainSpec& spec, std::atomic<bool>& stop)
      : session_(construction.program, construction.values, spec.allowed.size()),
        vocabulary_(static_cast<std::size_t>(construction.program.vocabulary)),
        spec_(spec),
        stop_(stop),
        carries_(spec.allowed.size() + 1),
        paths_(spec.allowed.size() + 1),
        next_tokens_(spec.allowed.size() + 1) {}

  DomainResult run(const Tokens& prefix) {
    result_ = {};
    auto& carry = carries_[0];
    carry = session_.fresh(1);
    paths_[0].clear();
    for (std::size_t t = 0; t < prefix.size(); ++t) {
      session_.forward({std::span(prefix).subspan(t, 1), 1, 1}, carry, kernels::Depth::carry);
    }
    carries_[prefix.size()] = carry;
    paths_[prefix.size()] = prefix;
    descend(prefix.size(), 0, 1);
    return result_;
  }

 private:
  /// Rows of one call: enough to share its overhead, few enough that their logits stay in the cache.
  [[nodiscard]] std::size_t batch() const {
    return std::clamp<std::size_t>((std::size_t{1} << 18) / vocabulary_, 16, 256);
  }

  /// Expands the parents [first, first + count) of depth `depth`, all their siblings at once or, where one parent alone
  /// has more children than a batch, a stretch of them at a time.
  void descend(std::size_t depth, std::size_t first, std::size_t count) {
    const std::size_t tokens = spec_.allowed[depth].size();
    const std::size_t stretch = count == 1 ? std::min(tokens, batch()) : tokens;
    for (std::size_t token = 0; token < tokens; token += stretch) {
      if (stop_.load(std::memory_order_relaxed)) return;
      expand(depth, first, count, token, std::min(stretch, tokens - token));
    }
  }

  void expand(std::size_t depth, std::size_t first, std::size_t count, std::size_t first_token, std::size_t tokens) {
    const std::int32_t* token = spec_.allowed[depth].data() + first_token;
    const std::size_t rows = count * tokens;
    const std::size_t length = depth + 1;
    auto& carry = carries_[length];
    if (carry.rows() != rows) carry = session_.fresh(rows);
    Tokens& path = paths_[length];
    path.resize(rows * length);
    Tokens& next = next_tokens_[length];
    next.resize(rows);
    for (std::size_t p = 0; p < count; ++p) {
      for (std::size_t k = 0; k < tokens; ++k) {
        const std::size_t row = p * tokens + k;
        carry.copy_row(row, carries_[depth], first + p);
        std::copy_n(paths_[depth].data() + (first + p) * depth, depth, path.data() + row * length);
        path[row * length + depth] = token[k];
        next[row] = token[k];
      }
    }
    const bool last = length == spec_.allowed.size();
    const bool check = last || spec_.every_position;
    session_.forward({next, rows, 1}, carry, check ? kernels::Depth::logits : kernels::Depth::carry);
    if (check) compare(path, length, rows, last);
    if (last) return;
    const std::size_t group = std::max<std::size_t>(1, batch() / spec_.allowed[length].size());
    for (std::size_t p = 0; p < rows; p += group) descend(length, p, std::min(group, rows - p));
  }

  void compare(const Tokens& path, std::size_t length, std::size_t rows, bool last) {
    const Scalar* logits = session_.logits().data();
    for (std::size_t row = 0; row < rows; ++row) {
      const std::span<const std::int32_t> input(path.data() + row * length, length);
      const std::int32_t expected = spec_.label(input);
      if (expected < 0) {
        if (last) ++result_.undefined;
        continue;
      }
      const std::int32_t answered = kernels::unique_argmax(logits + row * vocabulary_, vocabulary_);
      std::uint64_t& defined = last ? result_.defined : result_.prefixes_defined;
      std::uint64_t& correct = last ? result_.correct : result_.prefixes_correct;
      ++defined;
      if (answered == expected) {
        ++correct;
      } else {
        keep_earliest(result_.counterexample, {{input.begin(), input.end()}, expected, answered});
        if (spec_.stop_at_first_error) stop_.store(true);
      }
    }
  }

  kernels::ReferenceSession<Scalar> session_;
  std::size_t vocabulary_;
  const DomainSpec& spec_;
  std::atomic<bool>& stop_;
  std::vector<kernels::Carry<Scalar>> carries_;
  std::vector<Tokens> paths_;
  std::vector<Tokens> next_tokens_;
  DomainResult result_;
};

/// Prefixes of one length that split a large tree into pieces, for threads and for progress.
std::vector<Tokens> split(const DomainSpec& spec) {
  std::vector<Tokens> prefixes{{}};
  constexpr double kLarge = 100000;
  while (spec.sequences() > kLarge && prefixes.size() < 64 && prefixes.front().size() + 1 < spec.allowed.size()) {
    std::vector<Tokens> longer;
    for (const Tokens& prefix : prefixes) {
      for (const std::int32_t token : spec.allowed[prefix.size()]) {
        longer.push_back(prefix);
        longer.back().push_back(token);
      }
    }
    prefixes = std::move(longer);
  }
  return prefixes;
}

/// The split's own prefixes, which the walks below them do not look at.
DomainResult check_above(const constructions::Construction& construction, NumberFormat format, const DomainSpec& spec,
                         std::size_t depth) {
  DomainResult result;
  if (!spec.every_position || depth == 0) return result;
  DomainSpec above = spec;
  above.allowed.resize(depth);
  above.threads = 1;
  above.progress = nullptr;
  result = check_domain(construction, format, above);
  result.prefixes_defined += std::exchange(result.defined, 0);
  result.prefixes_correct += std::exchange(result.correct, 0);
  result.undefined = 0;
  return result;
}

void add(DomainResult& total, const DomainResult& part) {
  total.defined += part.defined;
  total.undefined += part.undefined;
  total.correct += part.correct;
  total.prefixes_defined += part.prefixes_defined;
  total.prefixes_correct += part.prefixes_correct;
  total.core_seconds += part.core_seconds;
  if (part.counterexample) keep_earliest(total.counterexample, *part.counterexample);
}

}  // namespace

std::string Counterexample::text(const std::vector<std::string>& token_labels) const {
  std::string line;
  // A long sequence is shown by its end, where the answer is.
  constexpr std::size_t kShown = 40;
  const std::size_t first = input.size() > kShown ? input.size() - kShown : 0;
  if (first > 0) line += "(" + std::to_string(first) + " tokens) ... ";
  for (std::size_t t = first; t < input.size(); ++t) line += token_labels[static_cast<std::size_t>(input[t])] + " ";
  const std::string answer = answered < 0 ? "no unique answer" : token_labels[static_cast<std::size_t>(answered)];
  return line + "-> expected " + token_labels[static_cast<std::size_t>(expected)] + ", got " + answer;
}

double DomainSpec::sequences() const {
  double product = 1;
  for (const auto& tokens : allowed) product *= static_cast<double>(tokens.size());
  return product;
}

DomainResult check_domain(const constructions::Construction& construction, NumberFormat format,
                          const DomainSpec& spec) {
  const std::vector<Tokens> prefixes = split(spec);
  std::atomic<std::size_t> next{0};
  std::atomic<bool> stop{false};
  std::mutex mutex;
  std::size_t finished = 0;
  DomainResult total = check_above(construction, format, spec, prefixes.front().size());
  const auto work = [&](const std::atomic<bool>& failed) {
    with_scalar(format, [&](auto scalar) {
      const double start = thread_seconds();
      TreeWalk<decltype(scalar)> walk(construction, spec, stop);
      DomainResult mine;
      for (std::size_t i = next++; i < prefixes.size() && !failed; i = next++) {
        add(mine, walk.run(prefixes[i]));
        const std::lock_guard lock(mutex);
        ++finished;
        if (spec.progress) spec.progress(static_cast<double>(finished) / static_cast<double>(prefixes.size()));
      }
      mine.core_seconds = thread_seconds() - start;
      const std::lock_guard lock(mutex);
      add(total, mine);
    });
  };
  on_threads(spec.threads, work);
  return total;
}

}  // namespace hyseq::proofs_check
