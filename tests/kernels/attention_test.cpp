// Rotary positions and window attention.
#include <algorithm>
#include <limits>
#include <memory>

#include <boost/math/constants/constants.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>

#include "kernels/rotary/reference.hpp"
#include "kernels/window_attention/reference.hpp"
#include "tests/kernels/suite.hpp"

namespace hyseq::kernels {
namespace {

template <class Scalar>
class Attention : public Operations<Scalar> {};
TYPED_TEST_SUITE(Attention, NumberTypes);

TYPED_TEST(Attention, RotaryTurnsPairsOfCoordinates) {
  for (const std::size_t heads : {1U, 3U}) {
    for (const int width : {2, 4, 6}) {
      const std::size_t head_width = 7;
      const auto run = [&]<class S>() {
        using P = Precision<S>;
        Bench<S> bench(1, 11);
        const View data = bench.input(heads * head_width, 1);
        const Rotary call{data, static_cast<int>(heads), width, rotary_turns(width, 10000, width)};
        std::vector<double> before;
        for (std::size_t row = 0; row < 11; ++row) {
          for (std::size_t c = 0; c < heads * head_width; ++c) before.push_back(bench.at(data, row, c));
        }
        reference<S>(call, bench.context());
        Outcome<S> outcome;
        const auto half = static_cast<std::size_t>(width / 2);
        for (std::size_t row = 0; row < 11; ++row) {
          for (std::size_t c = 0; c < heads * head_width; ++c) {
            const double own = before[row * heads * head_width + c];
            const std::size_t i = c % head_width;
            if (i >= 2 * half) {  // the tail passes through
              outcome.add(bench.scalar(data, row, c), own, 0.0);
              continue;
            }
            const bool first = i < half;
            const double other = before[row * heads * head_width + (first ? c + half : c - half)];
            const double frequency = std::pow(10000.0, -2.0 * static_cast<double>(first ? i : i - half) / width);
            const double angle = static_cast<double>(row) * frequency;
            const double expected = first ? own * std::cos(angle) - other * std::sin(angle)
                                          : own * std::cos(angle) + other * std::sin(angle);
            const double size = std::abs(own) + std::abs(other);
            outcome.add(bench.scalar(data, row, c), expected, P::stored(expected, (4 * P::sums + 1e-14) * size));
          }
        }
        return outcome;
      };
      expect_agreement<TypeParam>(run, std::to_string(heads) + " heads, rotary width " + std::to_string(width));
    }
  }
}

// The bound has two parts: 2^-50 from the angle itself, and the frequency's rounding to 2^-64 turns, half of which adds
// up over the positions.
TEST(Rotary, AnglesHoldFarOut) {
  using Wide = boost::multiprecision::cpp_bin_float_100;
  const auto& two_pi = boost::math::constants::two_pi<Wide>();
  for (const double base : {10000.0, 500.0, 1e6}) {
    for (const int width : {2, 6, 64}) {
      const std::vector<std::uint64_t> turns = rotary_turns(width, base, width);
      ASSERT_EQ(turns.size(), static_cast<std::size_t>(width / 2));
      for (std::size_t i = 0; i < turns.size(); ++i) {
        const Wide frequency = pow(Wide(base), Wide(-2 * static_cast<int>(i)) / width);
        std::vector<std::uint64_t> positions = {0, 1, 2, 3, 99, 99999, 100000, std::uint64_t{1} << 40};
        for (std::uint64_t p = 1; p < 100000; p = p * 7 + 5) positions.push_back(p);
        for (const std::uint64_t position : positions) {
          const Wide exact = Wide(position) * frequency;
          const double angle = rotary_angle(position, turns[i]);
          EXPECT_LE(std::abs(angle), 3.1415926535897936);
          const Wide difference = exact - Wide(angle);
          const Wide off = abs(difference - round(Wide(difference / two_pi)) * two_pi);
          const double bound = 0x1p-50 + static_cast<double>(position) * 0x1p-65 * 6.2831853071795872;
          EXPECT_LE(off.convert_to<double>(), bound) << "position " << position << ", pair " << i;
          if (position <= 100000) {
            EXPECT_LE(off.convert_to<double>(), 2e-14);
          }
          if (position <= std::uint64_t{1} << 40) {
            EXPECT_LE(off.convert_to<double>(), 2e-7);
          }
        }
      }
    }
  }
}

TEST(Rotary, PhaseDifferencesDependOnTheDistanceAlone) {
  const std::vector<std::uint64_t> turns = rotary_turns(8, 10000, 8);
  for (const std::uint64_t turn : turns) {
    for (const std::uint64_t distance : {1U, 17U, 5000U}) {
      const std::uint64_t near = (10 + distance) * turn - 10 * turn;
      const std::uint64_t far = ((std::uint64_t{1} << 50) + distance) * turn - (std::uint64_t{1} << 50) * turn;
      EXPECT_EQ(near, far);
      EXPECT_EQ(near, distance * turn);
    }
  }
}

TYPED_TEST(Attention, MixesTheValuesOfTheWindow) {
  struct Size {
    std::size_t heads;
    std::size_t head_width;
    std::size_t time;
    std::size_t window;
  };
  constexpr Size sizes[] = {{1, 1, 1, 1},   {1, 3, 5, 1},   {2, 1, 7, 2},    {3, 5, 11, 3},
                            {1, 4, 11, 11}, {2, 2, 11, 10}, {2, 3, 11, 100}, {5, 1, 2, 3}};
  for (const Size& size : sizes) {
    const auto run = [&]<class S>() {
      using P = Precision<S>;
      const std::size_t width = size.heads * size.head_width;
      Bench<S> bench(2, size.time);
      for (std::size_t t = 4; t < size.time; ++t) bench.set_position(size.time + t, t - 4);  // a second segment
      const View qkv = bench.input(3 * width, 1);
      const WindowAttention call{qkv.columns(0, static_cast<int>(width)),
                                 qkv.columns(static_cast<int>(width), static_cast<int>(width)),
                                 qkv.columns(static_cast<int>(2 * width), static_cast<int>(width)),
                                 bench.output(width),
                                 static_cast<int>(size.heads),
                                 static_cast<int>(size.window),
                                 bench.carry(CarryKind::attention, width, size.window)};
      reference<S>(call, bench.context());
      Outcome<S> outcome;
      for (std::size_t b = 0; b < 2; ++b) {
        for (std::size_t t = 0; t < size.time; ++t) {
          const std::size_t start = b == 1 && t >= 4 ? 4 : 0;
          const std::size_t oldest = std::max(start, t + 1 < size.window ? 0 : t + 1 - size.window);
          for (std::size_t h = 0; h < size.heads; ++h) {
            std::vector<double> scores;
            double largest = -std::numeric_limits<double>::infinity();
            double score_error = 0;
            for (std::size_t j = oldest; j <= t; ++j) {
              double score = 0;
              double magnitude = 0;
              for (std::size_t i = 0; i < size.head_width; ++i) {
                const double term = bench.at(call.q, b * size.time + t, h * size.head_width + i) *
                                    bench.at(call.k, b * size.time + j, h * size.head_width + i);
                score += term;
                magnitude += std::abs(term);
              }
              const double scale = 1 / std::sqrt(static_cast<double>(size.head_width));
              scores.push_back(score * scale);
              largest = std::max(largest, score * scale);
              score_error =
                  std::max(score_error, static_cast<double>(size.head_width + 4) * P::sums * magnitude * scale);
            }
            double sum = 0;
            double spread = 0;
            for (const double score : scores) {
              sum += std::exp(score - largest);
              spread = std::max(spread, largest - score);
            }
            // A probability is off by the errors of two exponents, of exp, of the sum and of the quotient.
            const auto count = static_cast<double>(scores.size());
            const double relative = 2 * (2 * score_error + P::sums * spread) + (2 * count + 12) * P::sums;
            for (std::size_t i = 0; i < size.head_width; ++i) {
              double expected = 0;
              double magnitude = 0;
              for (std::size_t j = oldest; j <= t; ++j) {
                const double p = std::exp(scores[j - oldest] - largest) / sum;
                const double v = bench.at(call.v, b * size.time + j, h * size.head_width + i);
                expected += p * v;
                magnitude += p * std::abs(v);
              }
              outcome.add(bench.scalar(call.out, b * size.time + t, h * size.head_width + i), expected,
                          P::stored(expected, relative * magnitude));
            }
          }
        }
      }
      return outcome;
    };
    expect_agreement<TypeParam>(run, std::to_string(size.heads) + " heads of " + std::to_string(size.head_width) +
                                         ", length " + std::to_string(size.time) + ", window " +
                                         std::to_string(size.window));
  }
}

template <class Real>
void expect_softmax_of_huge_scores() {
  for (const double scale : {1e10, 3e10, 1e11}) {
    for (const std::size_t count : {1U, 2U, 7U, 100U}) {
      std::vector<Real> x;
      for (const double value : normals(3, count, scale)) x.push_back(static_cast<Real>(value));
      x.push_back(*std::max_element(x.begin(), x.end()));  // the maximum twice
      softmax_in_place(x.data(), x.size());
      double sum = 0;
      for (const Real p : x) {
        EXPECT_TRUE(std::isfinite(p));
        EXPECT_GE(p, Real(0));
        sum += static_cast<double>(p);
      }
      EXPECT_NEAR(sum, 1, 1e-6);
      EXPECT_EQ(x.back(), Real(0.5));
    }
  }
}

TEST(Softmax, HugeScoresAreFiniteAndSumToOne) {
  expect_softmax_of_huge_scores<float>();
  expect_softmax_of_huge_scores<double>();
}

template <class Real>
void expect_softmax_enclosed(double radius) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const std::size_t count = 1 + seed % 9;
    const std::vector<double> centres = normals(seed, count, seed % 3 == 0 ? 30 : 2);
    std::vector<Interval<Real>> enclosures;
    std::vector<Real> points;
    for (std::size_t i = 0; i < count; ++i) {
      enclosures.emplace_back(centres[i] - radius, centres[i] + radius);
      const double inside = centres[i] + radius * (2 * uniform_real({seed, Purpose::verification}, 2, i) - 1);
      points.push_back(static_cast<Real>(inside));
      // Rounding may have left the interval.
      const auto point = static_cast<double>(points.back());
      enclosures.back() = numbers::hull(enclosures.back(), Interval<Real>(point));
    }
    softmax_in_place(points.data(), count);
    softmax_in_place(enclosures.data(), count);
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_TRUE(numbers::contains(enclosures[i], static_cast<double>(points[i]))) << "seed " << seed;
      // d p / d x is at most 1/4 for a point's own score and for all others together.
      ASSERT_LE(numbers::width(enclosures[i]), 1.1 * radius + 1e-4) << "seed " << seed;
    }
  }
}

TEST(Softmax, EnclosuresContainWhatTheFormatComputesAndKeepTheCorrelation) {
  for (const double radius : {0.0, 1e-7, 1e-3, 0.3}) {
    expect_softmax_enclosed<float>(radius);
    expect_softmax_enclosed<double>(radius);
  }
}

TEST(Softmax, EnclosuresOfInfiniteScoresClaimNothing) {
  std::vector<Interval<float>> x = {Interval<float>::whole(), Interval<float>(0.0)};
  softmax_in_place(x.data(), x.size());
  EXPECT_EQ(x[0], Interval<float>::whole());
  EXPECT_EQ(x[1], Interval<float>::whole());
}

}  // namespace
}  // namespace hyseq::kernels
