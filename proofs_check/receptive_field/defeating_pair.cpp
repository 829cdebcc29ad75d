#include "proofs_check/receptive_field/defeating_pair.hpp"

#include <algorithm>
#include <string>

#include "kernels/base/error.hpp"
#include "tasks/decode_recall.hpp"
#include "tasks/decode_recall_last.hpp"

namespace hyseq::proofs_check {
namespace {

void require(bool fits, const std::string& what, std::int64_t value, std::int64_t least, const std::string& why) {
  if (fits) return;
  throw InputError(what + " is " + std::to_string(value) + ", allowed is " + std::to_string(least) +
                   " or more, because " + why);
}

/// Fills in what the pair shares.
DefeatingPair finish(DefeatingPair pair) {
  const auto [a, b] = std::mismatch(pair.first.rbegin(), pair.first.rend(), pair.second.rbegin(), pair.second.rend());
  pair.shared = static_cast<std::size_t>(a - pair.first.rbegin());
  return pair;
}

/// Goes through all sequences from the last token to the first. A set of answers has bit answer + 1.
class SuffixSearch {
 public:
  SuffixSearch(const std::vector<std::vector<std::int32_t>>& allowed, const Labeller& labeller, bool undefined_counts)
      : allowed_(allowed), labeller_(labeller), undefined_counts_(undefined_counts), input_(allowed.size()) {}

  std::size_t run() {
    (void)answers(0);
    return deciding_;
  }

 private:
  /// The answers of all sequences whose last `fixed` tokens are those of input_.
  std::uint64_t answers(std::size_t fixed) {
    const std::size_t length = input_.size();
    std::uint64_t all = 0;
    if (fixed == length) {
      const std::int32_t answer = labeller_(input_);
      all = answer >= 0 || undefined_counts_ ? std::uint64_t{1} << (answer + 1) : 0;
    } else {
      for (const std::int32_t token : allowed_[length - 1 - fixed]) {
        input_[length - 1 - fixed] = token;
        all |= answers(fixed + 1);
      }
    }
    // More than one answer: these tokens do not decide, one more is needed.
    if ((all & (all - 1)) != 0) deciding_ = std::max(deciding_, fixed + 1);
    return all;
  }

  const std::vector<std::vector<std::int32_t>>& allowed_;
  const Labeller& labeller_;
  bool undefined_counts_;
  std::vector<std::int32_t> input_;
  std::size_t deciding_ = 0;
};

}  // namespace

DefeatingPair selective_copy_pair(const tasks::SelectiveCopyShape& shape, std::size_t length) {
  require(shape.values >= 2, "the number of values", shape.values, 2, "copied values must differ");
  require(shape.distance_count >= 2, "the number of distances", shape.distance_count, 2,
          "the first token must choose between two sources");
  const auto least = static_cast<std::size_t>(shape.distance_min) + 2;
  require(length >= least, "the length", static_cast<std::int64_t>(length), static_cast<std::int64_t>(least),
          "both distances must fit into the sequence");
  DefeatingPair pair;
  pair.first.assign(length, 0);
  const std::size_t near = length - 1 - static_cast<std::size_t>(shape.distance_min);
  if (near >= 2) pair.first[near - 1] = 1;  // the farther source; else it is the number token itself
  pair.second = pair.first;
  pair.first[0] = shape.values;
  pair.second[0] = shape.values + 1;
  pair.first_answer = pair.first[near];
  pair.second_answer = pair.second[near - 1];
  return finish(std::move(pair));
}

DefeatingPair decode_recall_pair(int bits, std::size_t length) {
  require(bits >= 1, "bits", bits, 1, "there must be two words");
  require(length >= 4, "the length", static_cast<std::int64_t>(length), 4, "two words must have followers");
  DefeatingPair pair;
  pair.first.assign(length, 0);
  pair.first[length - 2] = 1;  // .. V0 V1 V0: V1 follows V0, V0 follows V1
  pair.second = pair.first;
  pair.first[0] = std::int32_t{1} << bits;
  pair.second[0] = pair.first[0] + 1;
  pair.first_answer = 1;
  pair.second_answer = 0;
  return finish(std::move(pair));
}

DefeatingPair decode_recall_last_pair(int bits, std::size_t length) {
  require(bits >= 2, "bits", bits, 2, "with two words only the end of the context decides what followed a word");
  const auto tail = static_cast<std::size_t>(bits);
  require(length >= tail + 2, "the length", static_cast<std::int64_t>(length), bits + 2,
          "a word and its follower must stand before the query");
  DefeatingPair pair;
  pair.first.assign(length, 3);
  pair.first[0] = 0;  // the query word, at no other place
  pair.first[1] = 1;
  std::fill(pair.first.end() - bits, pair.first.end(), std::int32_t{1} << bits);
  pair.second = pair.first;
  pair.second[1] = 2;
  pair.first_answer = 1;
  pair.second_answer = 2;
  return finish(std::move(pair));
}

bool defeats(const DefeatingPair& pair, const Labeller& labeller) {
  const std::size_t length = pair.first.size();
  if (pair.second.size() != length || pair.shared >= length) return false;
  if (!std::equal(pair.first.end() - static_cast<std::ptrdiff_t>(pair.shared), pair.first.end(),
                  pair.second.end() - static_cast<std::ptrdiff_t>(pair.shared))) {
    return false;
  }
  const std::size_t edge = length - 1 - pair.shared;
  return pair.first[edge] != pair.second[edge] && pair.first_answer >= 0 && pair.second_answer >= 0 &&
         pair.first_answer != pair.second_answer && labeller(pair.first) == pair.first_answer &&
         labeller(pair.second) == pair.second_answer;
}

std::size_t deciding_suffix(const std::vector<std::vector<std::int32_t>>& allowed, const Labeller& labeller,
                            bool undefined_counts) {
  return SuffixSearch(allowed, labeller, undefined_counts).run();
}

Labeller decode_recall_labeller(int bits) {
  const std::int32_t words = std::int32_t{1} << bits;
  return [words, source = std::vector<std::int32_t>()](std::span<const std::int32_t> input) mutable {
    source.resize(input.size());
    tasks::decode_recall_sources(words, input, source);
    return source.back() < 0 ? kUndefined : input[static_cast<std::size_t>(source.back())];
  };
}

Labeller decode_recall_last_labeller(int bits) {
  return [bits](std::span<const std::int32_t> input) {
    const std::int32_t source = tasks::decode_recall_last_source(bits, input);
    return source < 0 ? kUndefined : input[static_cast<std::size_t>(source)];
  };
}

}  // namespace hyseq::proofs_check
