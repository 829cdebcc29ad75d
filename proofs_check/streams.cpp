#include "proofs_check/streams.hpp"

#include <algorithm>
#include <functional>

#include "kernels/base/random.hpp"
#include "proofs_check/engines.hpp"

namespace hyseq::proofs_check {
namespace {

constexpr std::size_t kChunk = 256;

template <class Scalar>
StreamResult run_stream(const constructions::Construction& construction, const Oracle& oracle, const Stream& stream,
                        bool stop_at_first_error) {
  kernels::ReferenceSession<Scalar> session(construction.program, construction.values, stream.tokens.size());
  auto carry = session.fresh(1);
  const std::vector<std::int32_t> source = oracle.sources(stream.tokens);
  const auto vocabulary = static_cast<std::size_t>(construction.program.vocabulary);
  // Large vocabularies in smaller chunks, so that the logits stay in the cache.
  const std::size_t chunk = std::max<std::size_t>(1, std::min(kChunk, (std::size_t{1} << 18) / vocabulary));
  StreamResult result;
  result.positions = stream.tokens.size();
  for (std::size_t first = 0; first < stream.tokens.size(); first += chunk) {
    const std::size_t count = std::min(chunk, stream.tokens.size() - first);
    session.forward({std::span(stream.tokens).subspan(first, count), 1, count}, carry);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t t = first + i;
      if (source[t] < 0) continue;
      ++result.defined;
      const std::int32_t expected = stream.tokens[static_cast<std::size_t>(source[t])];
      const std::int32_t answered = kernels::unique_argmax(session.logits().data() + i * vocabulary, vocabulary);
      if (answered == expected) {
        ++result.correct;
      } else if (!result.counterexample) {
        const auto end = stream.tokens.begin() + static_cast<std::ptrdiff_t>(t) + 1;
        result.counterexample = Counterexample{{stream.tokens.begin(), end}, expected, answered};
        if (stop_at_first_error) return result;
      }
    }
  }
  return result;
}

/// Tokens by a rule of (position, random words).
Stream make(const std::string& name, std::size_t length, std::uint64_t seed, std::uint64_t index,
            const std::function<std::int32_t(std::size_t, RandomStream&)>& rule) {
  RandomStream random({seed, Purpose::verification}, index);
  Stream stream{name, std::vector<std::int32_t>(length)};
  for (std::size_t t = 0; t < length; ++t) stream.tokens[t] = rule(t, random);
  return stream;
}

std::int32_t pick(RandomStream& random, std::int32_t first, std::int32_t count) {
  return first + static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(count)));
}

}  // namespace

StreamResult check_stream(const constructions::Construction& construction, NumberFormat format, const Oracle& oracle,
                          const Stream& stream, bool stop_at_first_error) {
  return with_scalar(format, [&](auto scalar) {
    return run_stream<decltype(scalar)>(construction, oracle, stream, stop_at_first_error);
  });
}

std::vector<Stream> selective_copy_streams(const constructions::SelectiveCopySpec& spec, std::size_t length,
                                           std::uint64_t seed) {
  const std::int32_t numbers = spec.distances;
  const std::int32_t ordinary = std::max(1, spec.vocabulary - numbers);
  const std::int32_t first_number = spec.vocabulary - numbers;
  const std::int32_t last = spec.vocabulary - 1;
  const auto random_numbers = [=](double share) {
    const Bernoulli is_number(share);
    return [=](std::size_t, RandomStream& random) {
      return is_number.toss(random) ? pick(random, first_number, numbers) : pick(random, 0, ordinary);
    };
  };
  const auto far = static_cast<std::size_t>(numbers);
  return {
      make("random, a fifth numbers", length, seed, 0, random_numbers(0.2)),
      make("random, a number every thousand tokens", length, seed, 1, random_numbers(0.001)),
      make("the largest number once, then none", length, seed, 2,
           [=](std::size_t t, RandomStream& random) { return t == 0 ? last : pick(random, 0, ordinary); }),
      make("numbers alone", length, seed, 3,
           [=](std::size_t, RandomStream& random) { return pick(random, first_number, numbers); }),
      // The answer stands out at the far edge of the window, everything nearer is one and the same other token.
      make("one odd token at the window's edge", length, seed, 4,
           [=](std::size_t t, RandomStream&) {
             if (t == 0) return last;
             return t % far == 1 % far ? ordinary - 1 : std::int32_t{0};
           }),
      make("distances 1 and N in turn", length, seed, 5,
           [=](std::size_t t, RandomStream& random) {
             if (t % 3 != 0) return pick(random, 0, ordinary);
             return t % 2 == 0 ? first_number : last;
           }),
  };
}

std::vector<Stream> decode_recall_streams(const constructions::DecodeRecallSpec& spec, std::size_t length,
                                          std::uint64_t seed) {
  const std::int32_t words = spec.words();
  const auto random_bits = [=](double share) {
    const Bernoulli is_bit(share);
    return [=](std::size_t, RandomStream& random) {
      return is_bit.toss(random) ? pick(random, words, 2) : pick(random, 0, words);
    };
  };
  const auto window = static_cast<std::size_t>(spec.window);
  return {
      make("random, a fifth bits", length, seed, 0, random_bits(0.2)),
      make("random, a bit every thousand tokens", length, seed, 1, random_bits(0.001)),
      make("random, nine tenths bits", length, seed, 2, random_bits(0.9)),
      make("bits 1 alone between words: the register saturates", length, seed, 3,
           [=](std::size_t t, RandomStream& random) { return t % 2 == 0 ? words + 1 : pick(random, 0, words); }),
      make("one word and its register neighbours", length, seed, 4,
           [=](std::size_t t, RandomStream& random) {
             if (t % 4 == 3) return pick(random, words, 2);
             return pick(random, std::max(0, words - 2), std::min(2, words));
           }),
      // Word 0 once per window, the register at 0: the answer sits at every distance up to the far edge.
      make("one occurrence per window", length, seed, 5,
           [=](std::size_t t, RandomStream& random) {
             if (t % window == 0) return std::int32_t{0};
             return t % window == 1 ? pick(random, 0, words)
                                    : pick(random, std::min(1, words - 1), std::max(1, words - 1));
           }),
  };
}

}  // namespace hyseq::proofs_check
