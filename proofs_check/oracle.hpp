// The right answers for a construction's promise, by the task's own labeller.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "constructions/decode_recall.hpp"
#include "constructions/selective_copy.hpp"

namespace hyseq::proofs_check {

/// Where every position's answer is copied from (-1: no answer, or one that the construction does not promise because
/// it lies outside its attention window), and what it is.
class Oracle {
 public:
  explicit Oracle(const constructions::SelectiveCopySpec& spec);
  /// The promise is that of the construction without faults, with its window filled in.
  explicit Oracle(const constructions::DecodeRecallSpec& spec);

  /// Sources of all positions; at the faithful level only the last has one.
  [[nodiscard]] std::vector<std::int32_t> sources(std::span<const std::int32_t> input) const;
  /// Answer at the last position, or -1.
  [[nodiscard]] std::int32_t last_answer(std::span<const std::int32_t> input) const;

 private:
  std::function<void(std::span<const std::int32_t>, std::span<std::int32_t>)> fill_;
};

}  // namespace hyseq::proofs_check
