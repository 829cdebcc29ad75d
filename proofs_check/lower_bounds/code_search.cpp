#include "proofs_check/lower_bounds/code_search.hpp"

#include <algorithm>
#include <numeric>

#include "proofs_check/parallel.hpp"

namespace hyseq::proofs_check {
namespace {

bool is_prime(int n) {
  for (int d = 2; d * d <= n; ++d) {
    if (n % d == 0) return false;
  }
  return n >= 2;
}

std::uint64_t power(std::uint64_t base, int exponent) {
  std::uint64_t result = 1;
  for (int i = 0; i < exponent; ++i) result *= base;
  return result;
}

Code random_code(const HammingSpace& space, std::uint64_t states, RandomStream& random) {
  Code code;
  for (std::uint64_t i = 0; i < states; ++i) code.push_back(random.below(space.size()));
  fit(space, code, states, random);
  return code;
}

Word with_other_letter(const HammingSpace& space, Word word, RandomStream& random) {
  const auto position = static_cast<int>(random.below(static_cast<std::uint32_t>(space.length())));
  const int letter = space.letter(word, position);
  const auto other = static_cast<int>(random.below(static_cast<std::uint32_t>(space.letters() - 1)));
  const int change = other + (other >= letter ? 1 : 0) - letter;
  return static_cast<Word>(static_cast<std::int64_t>(word) + std::int64_t{change} * space.place(position));
}

}  // namespace

CodeBook::CodeBook(int letters, int longest, std::vector<std::pair<int, std::uint64_t>> wanted, std::uint64_t seed,
                   const SearchEffort& effort)
    : letters_(letters), longest_(longest) {
  add_known_families();
  search_all_linear(seed, effort);
  // Sums need the shorter codes first, so length after length.
  std::sort(wanted.begin(), wanted.end());
  for (auto first = wanted.begin(); first != wanted.end();) {
    const int length = first->first;
    const auto last = std::find_if(first, wanted.end(), [&](const auto& each) { return each.first != length; });
    const HammingSpace space(letters_, length);
    const auto count = static_cast<std::size_t>(last - first);
    std::vector<ScoredCode> found(count);
    std::vector<std::uint64_t> tried(count, 0);
    for_each_index(count, effort.threads, [&](std::size_t i) {
      const std::uint64_t states = first[static_cast<std::ptrdiff_t>(i)].second;
      found[i] = improve(space, states, seed, effort, tried[i]);
    });
    for (std::size_t i = 0; i < count; ++i) {
      keep(length, std::move(found[i]));
      tried_ += tried[i];
    }
    first = last;
  }
}

void CodeBook::keep(int length, ScoredCode code) {
  const std::pair<int, std::uint64_t> key{length, code.code.size()};
  const auto known = codes_.find(key);
  if (known == codes_.end() || code.errors < known->second.errors) codes_[key] = std::move(code);
}

void CodeBook::add_known_families() {
  for (int length = 1; length <= longest_; ++length) {
    const HammingSpace space(letters_, length);
    Code repetition;
    for (int a = 0; a < letters_; ++a)
      repetition.push_back(static_cast<Word>(a) * ((space.size() - 1) / static_cast<Word>(letters_ - 1)));
    Code everything(space.size());
    std::iota(everything.begin(), everything.end(), Word{0});
    for (Code code : {Code{0}, repetition, everything}) {
      const std::uint64_t errors = space.errors(code);
      keep(length, {std::move(code), errors});
      ++tried_;
    }
  }
}

void CodeBook::search_all_linear(std::uint64_t seed, const SearchEffort& effort) {
  constexpr std::uint64_t kMostSyndromes = 512;
  constexpr std::uint64_t kManySyndromes = 128;  // fewer starts from here on: a climb costs their square
  struct Job {
    int length;
    int checks;
    int restarts;
  };
  std::vector<Job> jobs;
  for (int length = longest_; length >= 2 && is_prime(letters_); --length) {
    for (int checks = length - 1; checks >= 1; --checks) {
      const std::uint64_t syndromes = power(static_cast<std::uint64_t>(letters_), checks);
      if (syndromes > kMostSyndromes) continue;
      jobs.push_back({length, checks, syndromes > kManySyndromes ? 2 : effort.linear_restarts});
    }
  }
  std::vector<ScoredCode> found(jobs.size());
  for_each_index(jobs.size(), effort.threads, [&](std::size_t i) {
    found[i] = search_linear(HammingSpace(letters_, jobs[i].length), jobs[i].checks, seed, jobs[i].restarts);
  });
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    keep(jobs[i].length, std::move(found[i]));
    ++tried_;
  }
}

std::optional<ScoredCode> CodeBook::best_sum(const HammingSpace& space, std::uint64_t states) const {
  std::optional<ScoredCode> best;
  std::pair<const Code*, const Code*> parts{};
  int split = 0;
  for (const auto& [key, first] : codes_) {
    const int rest = space.length() - key.first;
    if (rest < 1 || key.second > states) continue;
    // The largest second code that fits.
    auto second = codes_.upper_bound({rest, states / key.second});
    if (second == codes_.begin()) continue;
    --second;
    if (second->first.first != rest) continue;
    const auto letters = static_cast<std::uint64_t>(letters_);
    const std::uint64_t errors =
        first.errors * power(letters, rest) + second->second.errors * power(letters, key.first);
    if (best && best->errors <= errors) continue;
    best = ScoredCode{{}, errors};
    parts = {&first.code, &second->second.code};
    split = key.first;
  }
  if (!best) return best;
  const auto shift = static_cast<Word>(power(static_cast<std::uint64_t>(letters_), split));
  for (const Word high : *parts.second) {
    for (const Word low : *parts.first) best->code.push_back(low + high * shift);
  }
  return best;
}

ScoredCode CodeBook::improve(const HammingSpace& space, std::uint64_t states, std::uint64_t seed,
                             const SearchEffort& effort, std::uint64_t& tried) const {
  RandomStream random({seed ^ states << 20 ^ static_cast<std::uint64_t>(letters_) << 50, Purpose::verification},
                      static_cast<std::uint64_t>(space.length()));
  const std::uint64_t floor = sphere_errors(letters_, space.length(), states);
  ScoredCode best;
  const auto offer = [&](ScoredCode candidate) {
    ++tried;
    if (best.code.empty() || candidate.errors <= best.errors) best = std::move(candidate);
  };
  // The largest code known at this length that is no larger, and the best sum of two shorter ones, filled up.
  auto known = codes_.upper_bound({space.length(), states});
  if (known != codes_.begin() && (--known)->first.first == space.length()) {
    Code code = known->second.code;
    fit(space, code, states, random);
    offer(alternate(space, std::move(code), random));
  }
  if (std::optional<ScoredCode> sum = best_sum(space, states)) {
    fit(space, sum->code, states, random);
    offer(alternate(space, std::move(sum->code), random));
  }
  for (int start = 0; start < effort.random_starts && (best.code.empty() || best.errors > floor); ++start) {
    offer(alternate(space, random_code(space, states, random), random));
  }
  // Short words cost little, so they get more of it.
  const int rounds = effort.disturbances * static_cast<int>(std::max<std::uint32_t>(1, 1024 / space.size()));
  for (int round = 0; round < rounds && best.errors > floor; ++round) {
    Code code = best.code;
    const std::uint64_t moved = 1 + random.below(3);
    const bool far = random.below(2) == 0;
    for (std::uint64_t i = 0; i < moved; ++i) {
      Word& word = code[random.below(static_cast<std::uint32_t>(code.size()))];
      word = far ? random.below(space.size()) : with_other_letter(space, word, random);
    }
    fit(space, code, states, random);
    offer(alternate(space, std::move(code), random));
  }
  return best;
}

}  // namespace hyseq::proofs_check
