#include <algorithm>

#include "proofs_check/lower_bounds/code_search.hpp"

namespace hyseq::proofs_check {
namespace {

/// Most frequent letter at each position of each word's inputs; ties keep the word's own letter.
Code centres(const HammingSpace& space, const Code& code, const Nearest& nearest) {
  const auto letters = static_cast<std::size_t>(space.letters());
  const auto length = static_cast<std::size_t>(space.length());
  std::vector<std::uint32_t> counts(code.size() * length * letters, 0);
  for (Word u = 0; u < space.size(); ++u) {
    std::uint32_t* row = counts.data() + nearest.owner[u] * length * letters;
    Word rest = u;
    for (std::size_t i = 0; i < length; ++i, rest /= static_cast<Word>(letters)) ++row[i * letters + rest % letters];
  }
  Code moved(code.size(), 0);
  for (std::size_t k = 0; k < code.size(); ++k) {
    for (std::size_t i = 0; i < length; ++i) {
      const std::uint32_t* row = counts.data() + (k * length + i) * letters;
      auto best = static_cast<std::size_t>(space.letter(code[k], static_cast<int>(i)));
      for (std::size_t a = 0; a < letters; ++a) {
        if (row[a] > row[best]) best = a;
      }
      moved[k] += static_cast<Word>(best) * space.place(static_cast<int>(i));
    }
  }
  return moved;
}

}  // namespace

void fit(const HammingSpace& space, Code& code, std::uint64_t states, RandomStream& random) {
  std::sort(code.begin(), code.end());
  code.erase(std::unique(code.begin(), code.end()), code.end());
  while (code.size() > states) {
    code[random.below(static_cast<std::uint32_t>(code.size()))] = code.back();
    code.pop_back();
  }
  while (code.size() < states) {
    const Nearest nearest = space.nearest(code);
    const auto furthest = *std::max_element(nearest.distance.begin(), nearest.distance.end());
    std::vector<Word> candidates;
    for (Word u = 0; u < space.size(); ++u) {
      if (nearest.distance[u] == furthest) candidates.push_back(u);
    }
    // Several at a time where the missing ones are many: what is furthest changes little.
    const std::uint64_t step = std::max<std::uint64_t>(1, (states - code.size()) / 8);
    random.shuffle(std::span<Word>(candidates));
    for (std::size_t i = 0; i < candidates.size() && i < step; ++i) code.push_back(candidates[i]);
  }
}

ScoredCode alternate(const HammingSpace& space, Code code, RandomStream& random) {
  constexpr int kMostRounds = 60;
  constexpr int kPatience = 3;  // ties are broken at random, so a round without gain may still be followed by one
  const std::uint64_t states = code.size();
  ScoredCode best{code, space.errors(code)};
  int idle = 0;
  for (int round = 0; round < kMostRounds && idle < kPatience; ++round) {
    code = centres(space, code, space.nearest(code, &random));
    fit(space, code, states, random);
    const std::uint64_t errors = space.errors(code);
    idle = errors < best.errors ? 0 : idle + 1;
    if (errors <= best.errors) best = {code, errors};
  }
  return best;
}

}  // namespace hyseq::proofs_check
