#include "proofs_check/oracle.hpp"

#include <algorithm>

#include "tasks/decode_recall.hpp"
#include "tasks/decode_recall_last.hpp"
#include "tasks/selective_copy.hpp"

namespace hyseq::proofs_check {

using constructions::Level;

Oracle::Oracle(const constructions::SelectiveCopySpec& spec) {
  // Number n of the theorem is the task's distance n - 1.
  const tasks::SelectiveCopyShape shape{spec.vocabulary - spec.distances, 0, spec.distances};
  const bool last_only = spec.level == Level::faithful;
  fill_ = [shape, last_only](std::span<const std::int32_t> input, std::span<std::int32_t> source) {
    tasks::selective_copy_sources(shape, input, source);
    if (last_only) std::fill(source.begin(), source.end() - 1, -1);
  };
}

Oracle::Oracle(const constructions::DecodeRecallSpec& spec) {
  const int window = spec.window;
  if (spec.level == Level::faithful) {
    const int bits = spec.bits;
    fill_ = [bits, window](std::span<const std::int32_t> input, std::span<std::int32_t> source) {
      std::fill(source.begin(), source.end(), -1);
      const std::int32_t found = tasks::decode_recall_last_source(bits, input);
      if (found > static_cast<std::int32_t>(input.size()) - 1 - window) source.back() = found;
    };
    return;
  }
  const std::int32_t words = spec.words();
  fill_ = [words, window](std::span<const std::int32_t> input, std::span<std::int32_t> source) {
    tasks::decode_recall_sources(words, input, source);
    for (std::size_t i = 0; i < source.size(); ++i) {
      if (source[i] <= static_cast<std::int32_t>(i) - window) source[i] = -1;
    }
  };
}

std::vector<std::int32_t> Oracle::sources(std::span<const std::int32_t> input) const {
  std::vector<std::int32_t> source(input.size());
  fill_(input, source);
  return source;
}

std::int32_t Oracle::last_answer(std::span<const std::int32_t> input) const {
  // Short sequences, called once per sequence of a complete domain: no allocation.
  constexpr std::size_t kShort = 64;
  std::int32_t buffer[kShort];
  if (input.size() > kShort) {
    const std::int32_t source = sources(input).back();
    return source < 0 ? -1 : input[static_cast<std::size_t>(source)];
  }
  fill_(input, std::span(buffer, input.size()));
  const std::int32_t source = buffer[input.size() - 1];
  return source < 0 ? -1 : input[static_cast<std::size_t>(source)];
}

}  // namespace hyseq::proofs_check
