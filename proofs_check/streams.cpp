#include "proofs_check/streams.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>

#include "kernels/base/random.hpp"
#include "proofs_check/engines.hpp"
#include "proofs_check/parallel.hpp"

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

/// Only the last position counts at the faithful level, so everything before it moves the carry alone.
template <class Scalar>
void run_sequences(const constructions::Construction& construction, const Oracle& oracle, std::uint64_t count,
                   const std::function<std::vector<std::int32_t>(std::uint64_t)>& input, int threads,
                   StreamResult& result) {
  std::atomic<std::uint64_t> next{0};
  std::mutex mutex;
  std::uint64_t first_wrong = count;
  const auto work = [&](const std::atomic<bool>& failed) {
    const std::size_t length = input(0).size();
    kernels::ReferenceSession<Scalar> session(construction.program, construction.values, length);
    auto carry = session.fresh(1);
    for (std::uint64_t i = next++; i < count && !failed; i = next++) {
      const std::vector<std::int32_t> tokens = input(i);
      carry.position[0] = 0;
      for (std::size_t t = 0; t + 1 < length; t += kChunk) {
        const std::size_t part = std::min(kChunk, length - 1 - t);
        session.forward({std::span(tokens).subspan(t, part), 1, part}, carry, kernels::Depth::carry);
      }
      session.forward({std::span(tokens).last(1), 1, 1}, carry);
      const std::int32_t expected = oracle.last_answer(tokens);
      const std::int32_t answered = kernels::unique_argmax(session.logits().data(), session.logits().size());
      const std::lock_guard lock(mutex);
      result.positions += length;
      if (expected < 0) continue;
      ++result.defined;
      if (answered == expected) {
        ++result.correct;
      } else if (i < first_wrong) {
        first_wrong = i;
        result.counterexample = Counterexample{tokens, expected, answered};
      }
    }
  };
  on_threads(threads, work);
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

StreamResult check_sequences(const constructions::Construction& construction, NumberFormat format, const Oracle& oracle,
                             std::uint64_t count, const std::function<std::vector<std::int32_t>(std::uint64_t)>& input,
                             int threads) {
  StreamResult result;
  with_scalar(format, [&](auto scalar) {
    run_sequences<decltype(scalar)>(construction, oracle, count, input, threads, result);
  });
  return result;
}

std::uint64_t faithful_round(const constructions::SelectiveCopySpec& spec) {
  return static_cast<std::uint64_t>(spec.vocabulary);  // at least as many as numbers
}

std::uint64_t faithful_round(const constructions::DecodeRecallSpec& spec) {
  const int places = std::min(spec.window, spec.length - 1) - spec.bits;
  return static_cast<std::uint64_t>(std::max(spec.words(), places));
}

std::vector<std::int32_t> faithful_sequence(const constructions::SelectiveCopySpec& spec, std::uint64_t index,
                                            std::uint64_t seed) {
  RandomStream random({seed, Purpose::verification}, index);
  const std::int32_t numbers = spec.distances;
  const std::int32_t first_number = spec.vocabulary - numbers;
  std::vector<std::int32_t> tokens(static_cast<std::size_t>(spec.length));
  for (std::int32_t& token : tokens) token = pick(random, 0, spec.vocabulary);
  // The latest number, anywhere; behind it ordinary tokens alone (where there are any).
  const auto number = first_number + static_cast<std::int32_t>(index % static_cast<std::uint64_t>(numbers));
  const std::size_t place =
      first_number > 0 ? random.below(static_cast<std::uint32_t>(tokens.size())) : tokens.size() - 1;
  for (std::size_t t = place + 1; t < tokens.size(); ++t) tokens[t] = pick(random, 0, first_number);
  tokens[place] = number;
  // The answer: tokens in turn, numbers only where they do not come after the latest one.
  const std::size_t source = tokens.size() - 1 - static_cast<std::size_t>(number - first_number);
  const auto answer = static_cast<std::int32_t>(index % static_cast<std::uint64_t>(spec.vocabulary));
  if (source < place || (source > place && answer < first_number)) tokens[source] = answer;
  return tokens;
}

std::vector<std::int32_t> faithful_sequence(const constructions::DecodeRecallSpec& spec, std::uint64_t index,
                                            std::uint64_t seed) {
  RandomStream random({seed, Purpose::verification}, index);
  const std::int32_t words = spec.words();
  const auto length = static_cast<std::size_t>(spec.length);
  const auto bits = static_cast<std::size_t>(spec.bits);
  const std::size_t context = length - bits;
  std::vector<std::int32_t> tokens(length);
  for (std::size_t t = 0; t < context; ++t) tokens[t] = pick(random, 0, words);
  const auto query = static_cast<std::int32_t>(index % static_cast<std::uint64_t>(words));
  for (std::size_t bit = 0; bit < bits; ++bit) {
    tokens[length - 1 - bit] = words + ((query >> bit) & 1);
  }
  // The follower of the latest occurrence lies `back` places before the query bits; nothing newer is the query word.
  const std::size_t places = std::min(static_cast<std::size_t>(spec.window), length - 1) - bits;
  const std::size_t follower = context - 1 - static_cast<std::size_t>(index % places);
  for (std::size_t t = follower; t + 1 < context; ++t) {
    while (tokens[t] == query) tokens[t] = pick(random, 0, words);
  }
  tokens[follower - 1] = query;
  return tokens;
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
