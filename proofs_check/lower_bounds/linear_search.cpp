#include <algorithm>
#include <limits>

#include "proofs_check/lower_bounds/code_search.hpp"

namespace hyseq::proofs_check {
namespace {

constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();

/// Syndromes of a parity-check matrix are words of `checks` letters, added letter by letter modulo M.
class Syndromes {
 public:
  Syndromes(int letters, int checks) : letters_(static_cast<std::uint32_t>(letters)) {
    for (int i = 0; i < checks; ++i) {
      places_.push_back(count_);
      count_ *= letters_;
    }
    distance_.resize(count_);
  }

  [[nodiscard]] std::uint32_t count() const { return count_; }

  [[nodiscard]] std::uint32_t add(std::uint32_t a, std::uint32_t b) const {
    if (letters_ == 2) return a ^ b;
    std::uint32_t sum = 0;
    for (const std::uint32_t place : places_) sum += (a / place + b / place) % letters_ * place;
    return sum;
  }

  /// Sum over all syndromes of the fewest positions that produce them: errors per word of the code. kNone where the
  /// columns do not span.
  std::uint64_t cost(const std::vector<std::uint32_t>& columns) {
    moves_.clear();
    for (const std::uint32_t column : columns) {
      std::uint32_t multiple = 0;
      for (std::uint32_t a = 1; a < letters_; ++a) moves_.push_back(multiple = add(multiple, column));
    }
    std::sort(moves_.begin(), moves_.end());
    moves_.erase(std::unique(moves_.begin(), moves_.end()), moves_.end());
    std::fill(distance_.begin(), distance_.end(), -1);
    distance_[0] = 0;
    queue_.assign(1, 0);
    std::uint64_t sum = 0;
    for (std::size_t next = 0; next < queue_.size(); ++next) {
      const std::uint32_t at = queue_[next];
      const int here = distance_[at];
      sum += static_cast<std::uint64_t>(here);
      for (const std::uint32_t move : moves_) {
        const std::uint32_t to = add(at, move);
        if (distance_[to] >= 0) continue;
        distance_[to] = here + 1;
        queue_.push_back(to);
      }
    }
    return queue_.size() == count_ ? sum : kNone;
  }

 private:
  std::uint32_t letters_;
  std::uint32_t count_ = 1;
  std::vector<std::uint32_t> places_;
  std::vector<std::uint32_t> moves_;
  std::vector<int> distance_;
  std::vector<std::uint32_t> queue_;
};

/// Replaces one column after another by the best one, until none helps.
std::uint64_t climb(Syndromes& syndromes, std::vector<std::uint32_t>& columns, RandomStream& random) {
  std::uint64_t best = syndromes.cost(columns);
  std::vector<std::size_t> order(columns.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  for (bool better = true; better;) {
    better = false;
    random.shuffle(std::span<std::size_t>(order));
    for (const std::size_t i : order) {
      const std::uint32_t kept = columns[i];
      std::uint32_t choice = kept;
      for (std::uint32_t column = 0; column < syndromes.count(); ++column) {
        columns[i] = column;
        const std::uint64_t cost = syndromes.cost(columns);
        if (cost >= best) continue;
        best = cost;
        choice = column;
        better = true;
      }
      columns[i] = choice;
    }
  }
  return best;
}

}  // namespace

ScoredCode search_linear(const HammingSpace& space, int checks, std::uint64_t seed, int restarts) {
  Syndromes syndromes(space.letters(), checks);
  std::vector<std::uint32_t> best_columns;
  std::uint64_t best = kNone;
  for (int restart = 0; restart < restarts; ++restart) {
    RandomStream random({seed, Purpose::verification}, static_cast<std::uint64_t>(restart));
    std::vector<std::uint32_t> columns(static_cast<std::size_t>(space.length()));
    std::uint32_t unit = 1;  // the first columns span, the others are random
    for (std::size_t i = 0; i < columns.size(); ++i) {
      columns[i] = static_cast<int>(i) < checks ? unit : random.below(syndromes.count());
      if (static_cast<int>(i) + 1 < checks) unit *= static_cast<std::uint32_t>(space.letters());
    }
    const std::uint64_t cost = climb(syndromes, columns, random);
    if (cost >= best) continue;
    best = cost;
    best_columns = columns;
  }
  ScoredCode result;
  for (Word word = 0; word < space.size(); ++word) {
    std::uint32_t syndrome = 0;
    for (int i = 0; i < space.length(); ++i) {
      for (int a = 0; a < space.letter(word, i); ++a) {
        syndrome = syndromes.add(syndrome, best_columns[static_cast<std::size_t>(i)]);
      }
    }
    if (syndrome == 0) result.code.push_back(word);
  }
  result.errors = space.errors(result.code);
  return result;
}

}  // namespace hyseq::proofs_check
