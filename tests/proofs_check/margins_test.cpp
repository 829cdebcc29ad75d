// The bounds against what the engine computes: on random and on the worst inputs that we can think of no measured
// margin may fall below its bound, in any number format, close to the largest size that holds as well.
#include "proofs_check/margins.hpp"

#include <numbers>

#include <gtest/gtest.h>

#include "kernels/base/random.hpp"
#include "tests/proofs_check/measured.hpp"

namespace hyseq::proofs_check {
namespace {

using constructions::DecodeRecallConstruction;
using constructions::SelectiveCopyConstruction;

constexpr std::uint64_t kFarAway = 0x0123456789abcdefULL;  // position within a very long stream

class Random {
 public:
  explicit Random(std::uint64_t index) : stream_({23, Purpose::verification}, index) {}
  int below(int n) { return static_cast<int>(stream_.below(static_cast<std::uint32_t>(n))); }

 private:
  RandomStream stream_;
};

template <class Construction>
void expect_bounded(const Construction& c, NumberFormat format, const MarginResult& bound, const Tokens& tokens,
                    std::size_t first, std::uint64_t start, std::size_t& measured) {
  for (const Position& position : measure(c, format, tokens, first, start)) {
    ++measured;
    ASSERT_GE(position.mass, bound.target_mass) << name(format) << " at " << position.at;
    ASSERT_GE(position.gap, bound.decoder_gap) << name(format) << " at " << position.at;
  }
}

/// One odd token among many of a neighbouring code, and a number that asks for it; or random tokens.
Tokens copy_input(const SelectiveCopySpec& spec, std::size_t length, bool adversarial, Random& random) {
  const int first_number = spec.vocabulary - spec.distances;
  Tokens tokens(length);
  for (auto& token : tokens) token = adversarial ? 0 : random.below(first_number);
  const int kinds[] = {1, spec.distances, 1 + spec.distances / 2, 1 + random.below(spec.distances)};
  const int n = kinds[random.below(4)];
  const std::size_t at = length - 1;
  // The number stands at the answer's position or a little before.
  const std::size_t back = static_cast<std::size_t>(random.below(3));
  tokens[at - back] = first_number + n - 1;
  const std::size_t source = at - static_cast<std::size_t>(n - 1);
  if (adversarial && source + back < at) tokens[source] = 1;
  return tokens;
}

void check_copy(Level level, NumberFormat format, int distances, int repeats) {
  const int length = 2 * distances + 8;
  const auto c = constructions::build(copy_spec(level, 2 * distances + 2, distances, length));
  const MarginResult bound = margins(c, format);
  ASSERT_TRUE(bound.holds) << name(format) << ": " << bound.failing;
  std::size_t measured = 0;
  Random random(static_cast<std::uint64_t>(distances));
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const auto size = static_cast<std::size_t>(length);
    const Tokens tokens = copy_input(c.spec, size, repeat % 3 != 0, random);
    const bool far = level == Level::streaming && repeat % 2 == 1;
    const std::size_t first = level == Level::faithful ? size - 1 : size - 4;
    expect_bounded(c, format, bound, tokens, first, far ? kFarAway + static_cast<std::uint64_t>(repeat) : 0, measured);
  }
  EXPECT_GE(measured, static_cast<std::size_t>(repeats));
}

TEST(Margins, bound_selective_copy_from_below) {
  for (const NumberFormat format : kFormats) {
    for (const Level level : kLevels) {
      for (const int distances : {1, 2, 5, 32, 200}) check_copy(level, format, distances, 30);
    }
  }
}

TEST(Margins, bound_selective_copy_close_to_the_largest_size) {
  const LargestHolding largest = largest_distances(Level::streaming, NumberFormat::bfloat16);
  ASSERT_FALSE(largest.at_least);
  check_copy(Level::streaming, NumberFormat::bfloat16, largest.size, 5);
  check_copy(Level::streaming, NumberFormat::float16, 3000, 5);
  check_copy(Level::faithful, NumberFormat::bfloat16, 3000, 5);
}

/// Contexts around one word: its neighbours by value and by code fill the window, the word itself stands once or often,
/// and the query's bits come last, behind a register full of ones, zeros or noise.
Tokens recall_input(const DecodeRecallConstruction& c, std::size_t length, int kind, Random& random) {
  const DecodeRecallSpec& spec = c.spec;
  const int words = spec.words();
  const int wanted = random.below(words);
  const int neighbours[] = {wanted ^ 1, std::max(0, wanted - 1), std::min(words - 1, wanted + 1), wanted ^ (words / 2),
                            random.below(words)};
  const int neighbour = neighbours[random.below(5)];
  const auto bits = static_cast<std::size_t>(spec.bits);
  Tokens tokens(length);
  for (std::size_t t = 0; t < length; ++t) {
    switch (kind) {
      case 0:
        tokens[t] = random.below(words);
        break;
      case 1:
        tokens[t] = random.below(3) == 0 ? wanted : neighbour;
        break;
      default:
        tokens[t] = neighbour;
    }
  }
  const auto window = static_cast<std::size_t>(spec.window);
  const std::size_t end = length - bits;  // of the context
  if (spec.level == Level::streaming && end > window + 8) {
    const int tail = random.below(3);
    for (std::size_t t = 0; t + window + 4 < end; ++t) tokens[t] = words + (tail == 2 ? random.below(2) : tail);
  }
  const std::size_t reach = std::min(window, length) - bits;  // followers' ages are bits .. bits + reach - 1
  const std::size_t age =
      bits + (kind == 3 ? reach - 1 : static_cast<std::size_t>(random.below(static_cast<int>(reach))));
  const std::size_t follower = length - 1 - age;
  if (kind >= 2 && follower >= 1) tokens[follower - 1] = wanted;
  for (std::size_t i = 0; i < bits; ++i) {
    tokens[length - 1 - i] = words + ((wanted >> i) & 1);
  }
  return tokens;
}

void check_recall(Level level, NumberFormat format, int bits, int window, int repeats) {
  const int filled = window > 0 ? window : constructions::recall_window(bits);
  const int length = level == Level::faithful ? filled + 3 : 2 * filled + 40;
  const auto c = constructions::build(recall_spec(level, bits, level == Level::faithful ? length : 0, window));
  const MarginResult bound = margins(c, format);
  ASSERT_TRUE(bound.holds) << name(format) << " b " << bits << ": " << bound.failing;
  std::size_t measured = 0;
  Random random(static_cast<std::uint64_t>(100 + bits));
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const auto size = static_cast<std::size_t>(length);
    const Tokens tokens = recall_input(c, size, repeat % 4, random);
    const bool far = level == Level::streaming && repeat % 2 == 1;
    const std::size_t first = level == Level::faithful ? size - 1 : size - static_cast<std::size_t>(bits) - 2;
    expect_bounded(c, format, bound, tokens, first, far ? kFarAway + static_cast<std::uint64_t>(repeat) : 0, measured);
  }
  EXPECT_GE(measured, static_cast<std::size_t>(repeats) / 2);
}

TEST(Margins, bound_faithful_recall_from_below) {
  for (const NumberFormat format : kFormats) {
    for (const int bits : {1, 2}) {
      check_recall(Level::faithful, format, bits, 0, 200);
      check_recall(Level::faithful, format, bits, bits + 3, 100);
    }
  }
  check_recall(Level::faithful, NumberFormat::float64, 6, 0, 60);
  check_recall(Level::faithful, NumberFormat::float32, 7, 0, 40);
}

TEST(Margins, bound_streaming_recall_from_below) {
  for (const NumberFormat format : kFormats) {
    check_recall(Level::streaming, format, 1, 0, 200);
    check_recall(Level::streaming, format, 1, 3, 100);
  }
  for (const int bits : {2, 3, 4}) {
    check_recall(Level::streaming, NumberFormat::float64, bits, 0, 60);
    check_recall(Level::streaming, NumberFormat::float32, bits, 0, 60);
  }
}

TEST(Margins, bound_recall_at_the_largest_size_that_holds) {
  for (const NumberFormat format : {NumberFormat::float32, NumberFormat::bfloat16, NumberFormat::float16}) {
    for (const Level level : kLevels) {
      const LargestHolding largest = largest_bits(level, format);
      ASSERT_GE(largest.size, 1) << name(format);
      check_recall(level, format, std::min(largest.size, 8), 0, largest.size > 6 ? 20 : 200);
    }
  }
}

TEST(Margins, score_error_bounds_the_measured_deviation_of_selective_copy) {
  for (const NumberFormat format : kFormats) {
    for (const int distances : {4, 60, 500}) {
      const auto c = constructions::build(copy_spec(Level::streaming, 2 * distances, distances, 0));
      const MarginResult bound = margins(c, format);
      Random random(7);
      double worst = 0;
      for (std::uint64_t repeat = 0; repeat < 20; ++repeat) {
        const auto size = static_cast<std::size_t>(2 * distances + 8);
        const Tokens tokens = copy_input(c.spec, size, false, random);
        for (const Position& p : measure(c, format, tokens, size - 4, kFarAway * repeat)) {
          for (std::size_t age = 0; age < p.probabilities.size(); ++age) {
            if (p.probabilities[age] < 1e-30) continue;
            const double score = std::log(p.mass / p.probabilities[age]);
            const auto x = static_cast<long long>(age) - static_cast<long long>(p.at - p.source);
            const double exact = c.temperature * c.rotary.drop(x);
            // exp and the difference that it is taken of are rounded, too.
            const double softmax = (4 + score) * unit_roundoff(accumulator_format(format));
            worst = std::max(worst, std::abs(score - exact) - softmax);
          }
        }
      }
      EXPECT_LE(worst, 2 * bound.score_error) << name(format) << " N " << distances;
      if (bytes(format) == 2) {
        EXPECT_GT(worst, bound.score_error / 100) << "a bound that says nothing";
      }
    }
  }
}

TEST(Margins, score_error_bounds_the_measured_deviation_of_recall) {
  for (const NumberFormat format : kFormats) {
    const auto c = constructions::build(recall_spec(Level::streaming, 1, 0, 0));
    const MarginResult bound = margins(c, format);
    ASSERT_TRUE(bound.holds);
    // Occurrences of the right word differ by their recency alone: size cos(theta age + pi/2 - 1/2).
    const auto recency = [&](std::size_t age) {
      return c.recency_size * std::cos(static_cast<double>(age) / (c.spec.window - 1) + std::numbers::pi / 2 - 0.5);
    };
    Random random(9);
    double worst = 0;
    int pairs = 0;
    for (std::uint64_t repeat = 0; repeat < 200; ++repeat) {
      const Tokens tokens = recall_input(c, 60, 1, random);
      for (const Position& p : measure(c, format, tokens, 57, kFarAway * repeat)) {
        const std::size_t own = p.at - p.source;
        for (std::size_t age = own + 1; age < p.probabilities.size(); ++age) {
          if (tokens[p.at - age - 1] != tokens[p.source - 1] || p.probabilities[age] < 1e-30) continue;
          const double score = std::log(p.mass / p.probabilities[age]);
          const double softmax = (4 + score) * unit_roundoff(accumulator_format(format));
          worst = std::max(worst, std::abs(score - (recency(own) - recency(age))) - softmax);
          ++pairs;
        }
      }
    }
    EXPECT_GT(pairs, 100);
    EXPECT_LE(worst, 2 * bound.score_error) << name(format);
  }
}

TEST(Margins, the_largest_sizes_are_predicted_within_a_factor_of_two) {
  for (const NumberFormat format : kFormats) {
    for (const Level level : kLevels) {
      const LargestHolding distances = largest_distances(level, format);
      const LargestHolding bits = largest_bits(level, format);
      const auto factor = [](const LargestHolding& largest, double ratio) {
        EXPECT_GE(ratio, 0.5);
        if (!largest.at_least) {
          EXPECT_LE(ratio, 2);
        }
      };
      SCOPED_TRACE(std::string(name(format)) + " " + std::string(constructions::name(level)));
      factor(distances, distances.predicted / distances.size);
      factor(bits, std::exp2(bits.predicted - bits.size));
      for (const LargestHolding* largest : {&distances, &bits}) {
        EXPECT_FALSE(largest->points.empty());
        bool failed = false;
        for (const MarginPoint& point : largest->points) {
          EXPECT_EQ(point.margin.holds, point.size <= largest->size) << point.size;
          EXPECT_EQ(point.margin.holds, point.margin.failing.empty()) << point.size;
          failed = failed || !point.margin.holds;
        }
        EXPECT_EQ(largest->at_least, !failed);
      }
    }
  }
}

TEST(Margins, more_precise_formats_hold_at_least_as_far) {
  for (const Level level : kLevels) {
    const auto largest = [&](NumberFormat format) { return largest_bits(level, format).size; };
    EXPECT_GE(largest(NumberFormat::float64), largest(NumberFormat::float32));
    EXPECT_GE(largest(NumberFormat::float32), largest(NumberFormat::float16));
    EXPECT_GE(largest(NumberFormat::float16), largest(NumberFormat::bfloat16));
  }
}

TEST(Margins, past_the_limit_say_what_fails) {
  const auto failing = [](const auto& spec, NumberFormat format) {
    const MarginResult result = margins(constructions::build(spec), format);
    EXPECT_FALSE(result.holds);
    return result.failing;
  };
  EXPECT_NE(failing(recall_spec(Level::streaming, 6, 0, 0), NumberFormat::float32).find("decoder's gap"),
            std::string::npos);
  EXPECT_NE(failing(recall_spec(Level::streaming, 3, 0, 0), NumberFormat::float16).find("above the format's largest"),
            std::string::npos);
  EXPECT_NE(failing(recall_spec(Level::streaming, 5, 0, 0), NumberFormat::bfloat16).find("overlap"), std::string::npos);
  EXPECT_NE(failing(recall_spec(Level::faithful, 4, 0, 0), NumberFormat::bfloat16).find("decoder's gap"),
            std::string::npos);
  EXPECT_NE(failing(copy_spec(Level::streaming, 40000, 20000, 0), NumberFormat::bfloat16).find("decoder's gap"),
            std::string::npos);
  for (const Level level : kLevels) {
    EXPECT_FALSE(failing(copy_spec(level, 6, 4, 6, Fault::zero_temperature), NumberFormat::float64).empty());
    const int length = level == Level::faithful ? 8 : 0;
    for (const Fault fault : {Fault::zero_temperature, Fault::no_recency}) {
      EXPECT_FALSE(failing(recall_spec(level, 1, length, 4, fault), NumberFormat::float64).empty());
    }
  }
}

}  // namespace
}  // namespace hyseq::proofs_check
