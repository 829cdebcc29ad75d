#include "proofs_check/residual_classes/partition.hpp"

#include <algorithm>

#include "proofs_check/residual_classes/grouping.hpp"

namespace hyseq::proofs_check {
namespace {

std::size_t index(std::int32_t value) { return static_cast<std::size_t>(value); }

/// Numbers the groups of equal rows among `items` in order of first occurrence; `row(item, i)` is entry i of a row of
/// `width` entries. Writes the group of every item to `group` and returns how many there are.
template <class Row>
std::size_t group_rows(const std::vector<std::int32_t>& items, std::size_t width, const Row& row,
                       std::vector<std::int32_t>& group) {
  ItemSet set(items.size());
  const auto equal = [&](std::int32_t a, std::int32_t b) {
    for (std::size_t i = 0; i < width; ++i) {
      if (row(index(a), i) != row(index(b), i)) return false;
    }
    return true;
  };
  std::int32_t groups = 0;
  for (const std::int32_t item : items) {
    std::uint64_t hash = width;
    for (std::size_t i = 0; i < width; ++i) hash = mix(hash, static_cast<std::uint32_t>(row(index(item), i)));
    const std::int32_t first = set.find_or_add(hash, item, equal);
    group[index(item)] = first == item ? groups++ : group[index(first)];
  }
  return static_cast<std::size_t>(groups);
}

}  // namespace

Partition residual_partition(const StreamingMachine& machine, int most_rounds) {
  const auto tokens = static_cast<std::size_t>(machine.tokens);
  std::vector<std::int32_t> states(machine.states());
  for (std::size_t s = 0; s < states.size(); ++s) states[s] = static_cast<std::int32_t>(s);
  Partition partition;
  partition.class_of.resize(states.size());
  partition.classes = group_rows(
      states, tokens, [&](std::size_t s, std::size_t a) { return std::int32_t{machine.answer[machine.cell(s, a)]}; },
      partition.class_of);
  std::vector<std::int32_t> finer(states.size());
  while (!partition.stable && partition.rounds < most_rounds) {
    // Single states cannot split, so a partition into them is final without another look.
    if (partition.classes == states.size()) break;
    const std::size_t classes = group_rows(
        states, tokens + 1,
        [&](std::size_t s, std::size_t i) {
          return partition.class_of[i == tokens ? s : index(machine.next[machine.cell(s, i)])];
        },
        finer);
    ++partition.rounds;
    partition.class_of.swap(finer);
    partition.stable = classes == partition.classes;
    partition.classes = classes;
  }
  partition.stable = partition.stable || partition.classes == states.size();
  return partition;
}

std::vector<std::size_t> classes_by_time(const StreamingMachine& machine, int ordinary, int length) {
  const auto words = static_cast<std::size_t>(ordinary);
  const auto tokens = static_cast<std::size_t>(machine.tokens);
  std::vector<std::vector<std::int32_t>> layers{{0}};
  std::vector<int> seen(machine.states(), -1);
  for (int t = 0; t < length; ++t) {
    std::vector<std::int32_t> layer;
    for (const std::int32_t state : layers.back()) {
      for (std::size_t a = 0; a < words; ++a) {
        const std::int32_t target = machine.next[machine.cell(index(state), a)];
        if (seen[index(target)] == t) continue;
        seen[index(target)] = t;
        layer.push_back(target);
      }
    }
    layers.push_back(std::move(layer));
  }
  std::vector<std::size_t> counts(layers.size());
  std::vector<std::int32_t> later(machine.states());
  counts.back() = group_rows(
      layers.back(), tokens - words,
      [&](std::size_t s, std::size_t a) { return std::int32_t{machine.answer[machine.cell(s, words + a)]}; }, later);
  for (std::size_t t = layers.size() - 1; t-- > 0;) {
    std::vector<std::int32_t> now(machine.states());
    counts[t] = group_rows(
        layers[t], words, [&](std::size_t s, std::size_t a) { return later[index(machine.next[machine.cell(s, a)])]; },
        now);
    later.swap(now);
  }
  return counts;
}

}  // namespace hyseq::proofs_check
