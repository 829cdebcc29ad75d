#include "proofs_check/residual_classes/selective_copy_classes.hpp"

#include <vector>

namespace hyseq::proofs_check {
namespace {

/// The last tokens as digits, newest lowest: 0 is "before the start", token + 1 else.
class Recent {
 public:
  Recent(int tokens, int length) : base_(static_cast<std::uint64_t>(tokens) + 1) {
    for (int i = 0; i < length; ++i) top_ *= base_;
  }

  [[nodiscard]] std::uint64_t count() const { return top_; }
  [[nodiscard]] std::uint64_t push(std::uint64_t digits, std::int32_t token) const {
    return (digits * base_ + static_cast<std::uint64_t>(token) + 1) % top_;
  }
  /// The token `distance` >= 1 positions before the next one; kUndefined before the start.
  [[nodiscard]] std::int32_t back(std::uint64_t digits, int distance) const {
    for (int i = 1; i < distance; ++i) digits /= base_;
    return static_cast<std::int32_t>(digits % base_) - 1;
  }

 private:
  std::uint64_t base_;
  std::uint64_t top_ = 1;
};

}  // namespace

StreamingMachine copy_machine(const tasks::SelectiveCopyShape& shape, std::size_t limit, CopyFault fault) {
  const int tokens = shape.values + shape.distance_count;
  const int held = shape.distance_max() - (fault == CopyFault::short_memory ? 1 : 0);
  const Recent recent(tokens, held);
  // memory = latest number (0: none yet) * digits + last tokens
  const auto step = [=](std::uint64_t memory, std::int32_t token) {
    std::uint64_t number = memory / recent.count();
    const std::uint64_t digits = memory % recent.count();
    const bool obeyed = fault != CopyFault::first_number || number == 0;
    if (token >= shape.values && obeyed) number = static_cast<std::uint64_t>(token - shape.values) + 1;
    MemoryStep result;
    result.memory = number * recent.count() + recent.push(digits, token);
    result.answer = kUndefined;
    if (number == 0) return result;
    const int distance = shape.distance_min + static_cast<int>(number) - 1;
    if (distance <= held) result.answer = distance == 0 ? token : recent.back(digits, distance);
    if (fault == CopyFault::numbers_not_copied && result.answer >= shape.values) result.answer = kUndefined;
    return result;
  };
  return explore(tokens, 0, step, limit);
}

StreamingMachine copy_machine_once(const tasks::SelectiveCopyShape& shape, std::size_t limit) {
  const Recent recent(shape.values, shape.distance_max());
  const std::uint64_t answered = recent.count();  // the state behind the question
  const auto step = [=](std::uint64_t memory, std::int32_t token) {
    if (memory == answered) return MemoryStep{answered, kNotAsked};
    if (token < shape.values) return MemoryStep{recent.push(memory, token), kNotAsked};
    const int distance = shape.distance_min + (token - shape.values);
    return MemoryStep{answered, distance == 0 ? token : recent.back(memory, distance)};
  };
  return explore(shape.values + shape.distance_count, 0, step, limit);
}

Labeller copy_labeller(const tasks::SelectiveCopyShape& shape) {
  return [shape, source = std::vector<std::int32_t>()](std::span<const std::int32_t> input) mutable {
    source.resize(input.size());
    tasks::selective_copy_sources(shape, input, source);
    return source.back() < 0 ? kUndefined : input[static_cast<std::size_t>(source.back())];
  };
}

Labeller copy_labeller_once(const tasks::SelectiveCopyShape& shape) {
  return [shape, label = copy_labeller(shape)](std::span<const std::int32_t> input) {
    // Only the first number token asks, and only it is answered.
    for (const std::int32_t token : input.first(input.size() - 1)) {
      if (token >= shape.values) return kNotAsked;
    }
    return input.back() < shape.values ? kNotAsked : label(input);
  };
}

}  // namespace hyseq::proofs_check
