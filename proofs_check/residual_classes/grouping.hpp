// Groups of equal things, exactly: hashes find candidates, comparisons decide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hyseq::proofs_check {

/// The finaliser of MurmurHash3 over the running hash and one more word.
[[nodiscard]] inline std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15U;
  hash ^= hash >> 32;
  hash *= 0xff51afd7ed558ccdU;
  return hash ^ (hash >> 29);
}

/// A set of item numbers with open addressing; two items are the same if `equal` says so.
class ItemSet {
 public:
  explicit ItemSet(std::size_t most) {
    std::size_t capacity = 16;
    while (capacity < 2 * most) capacity *= 2;
    slots_.assign(capacity, -1);
  }

  /// The item that stands for `item`: an equal one found before, or `item` itself, which is then added.
  template <class Equal>
  std::int32_t find_or_add(std::uint64_t hash, std::int32_t item, const Equal& equal) {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t slot = hash & mask;; slot = (slot + 1) & mask) {
      if (slots_[slot] < 0) {
        slots_[slot] = item;
        return item;
      }
      if (equal(slots_[slot], item)) return slots_[slot];
    }
  }

 private:
  std::vector<std::int32_t> slots_;
};

}  // namespace hyseq::proofs_check
