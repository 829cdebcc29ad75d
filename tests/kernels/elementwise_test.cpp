// Embedding, position code, element-wise operations, norms.
#include "kernels/elementwise/reference.hpp"
#include "kernels/embedding/reference.hpp"
#include "kernels/layer_norm/reference.hpp"
#include "kernels/rms_norm/reference.hpp"
#include "tests/kernels/suite.hpp"

namespace hyseq::kernels {
namespace {

constexpr std::size_t kWidths[] = {1, 2, 3, 7, 13, 31};

template <class Scalar>
class Elementwise : public Operations<Scalar> {};
TYPED_TEST_SUITE(Elementwise, NumberTypes);

TYPED_TEST(Elementwise, EmbeddingCopiesRowsOfTheTable) {
  for (const std::size_t width : kWidths) {
    const auto run = [&]<class S>() {
      Bench<S> bench(2, 3);
      const std::vector<std::int32_t> tokens = {4, 0, 2, 2, 1, 3};
      bench.set_tokens(tokens);
      const Embedding call{bench.parameter(normals(1, 5 * width)), bench.output(width)};
      reference<S>(call, bench.context());
      Outcome<S> outcome;
      for (std::size_t row = 0; row < bench.rows(); ++row) {
        for (std::size_t c = 0; c < width; ++c) {
          const auto index = static_cast<std::size_t>(tokens[row]) * width + c;
          outcome.add(bench.scalar(call.out, row, c), bench.parameter_at(call.table, index), 0.0);
        }
      }
      return outcome;
    };
    expect_agreement<TypeParam>(run, "width " + std::to_string(width));
  }
}

TYPED_TEST(Elementwise, PositionCodeAddsTheSignedBitsOfADelayedPosition) {
  for (const int delay : {0, 1, 5}) {
    const auto run = [&]<class S>() {
      Bench<S> bench(1, 19);
      const View whole = bench.input(9, 2);
      const PositionCode call{whole.columns(3, 4), delay};
      std::vector<double> before;
      for (std::size_t row = 0; row < 19; ++row) {
        for (std::size_t c = 0; c < 9; ++c) before.push_back(bench.at(whole, row, c));
      }
      reference<S>(call, bench.context());
      Outcome<S> outcome;
      for (std::size_t row = 0; row < 19; ++row) {
        const int position = std::max(0, static_cast<int>(row) - delay) % 16;
        for (std::size_t c = 0; c < 9; ++c) {
          double expected = before[row * 9 + c];
          const bool coded = c >= 3 && c < 7;
          if (coded) expected += position / (1 << (c - 3)) % 2 == 1 ? 1.0 : -1.0;
          outcome.add(bench.scalar(whole, row, c), expected, coded ? Precision<S>::stored(expected, 0) : 0.0);
        }
      }
      return outcome;
    };
    expect_agreement<TypeParam>(run, "delay " + std::to_string(delay));
  }
}

TYPED_TEST(Elementwise, AddAndMultiplyRoundOnce) {
  for (const std::size_t width : kWidths) {
    const auto run = [&]<class S>() {
      Bench<S> bench(1, 5);
      const View a = bench.input(width, 3);
      const View b = bench.input(width, 4);
      const View sum = bench.output(width);
      const View product = bench.output(width);
      reference<S>(Add{a, b, sum}, bench.context());
      reference<S>(Multiply{a, b, product}, bench.context());
      Outcome<S> outcome;
      for (std::size_t row = 0; row < 5; ++row) {
        for (std::size_t c = 0; c < width; ++c) {
          const double x = bench.at(a, row, c);
          const double y = bench.at(b, row, c);
          using P = Precision<S>;
          outcome.add(bench.scalar(sum, row, c), x + y, P::stored(x + y, P::sums * std::abs(x + y)));
          outcome.add(bench.scalar(product, row, c), x * y, P::stored(x * y, P::sums * std::abs(x * y)));
        }
      }
      return outcome;
    };
    expect_agreement<TypeParam>(run, "width " + std::to_string(width));
  }
}

double activated(Activation activation, double x) {
  switch (activation) {
    case Activation::identity:
      return x;
    case Activation::silu:
      return x / (1 + std::exp(-x));
    case Activation::gelu:
      return x * std::erfc(-x / std::sqrt(2.0)) / 2;
    case Activation::softplus:
      return x > 30 ? x : std::log1p(std::exp(x));
  }
  return std::nan("");
}

TYPED_TEST(Elementwise, ActivationsFollowTheirFormulas) {
  std::vector<double> points = {0,  -0.0, 1e-6, -1e-6, 0.5, -0.5, 1.278, -1.278, 5,
                                -5, 20,   -20,  87,    -87, 100,  -100,  800,    -800};
  const std::vector<double> more = normals(5, 31, 3);
  points.insert(points.end(), more.begin(), more.end());
  for (const Activation activation : {Activation::identity, Activation::silu, Activation::softplus, Activation::gelu}) {
    if (IntervalBase<TypeParam>::is_interval && activation == Activation::gelu) continue;
    const auto run = [&]<class S>() {
      using P = Precision<S>;
      Bench<S> bench(1, points.size());
      const Activate call{bench.buffer(1, points), bench.output(1), activation};
      reference<S>(call, bench.context());
      Outcome<S> outcome;
      for (std::size_t row = 0; row < points.size(); ++row) {
        const double x = bench.at(call.in, row, 0);
        const double expected = activated(activation, x);
        // gelu subtracts erf from 1, so its error is relative to x; where exp(-x) overflows silu loses |x| / largest.
        const double scale = activation == Activation::gelu ? std::abs(x) : std::abs(expected);
        const double lost = 2 * std::abs(x) / largest_finite(accumulator_format(P::format));
        outcome.add(bench.scalar(call.out, row, 0), expected, P::stored(expected, 8 * P::sums * scale + lost));
      }
      return outcome;
    };
    expect_agreement<TypeParam>(run, "activation " + std::to_string(static_cast<int>(activation)));
  }
}

TEST(Activation, GeluHasNoEnclosure) {
  Bench<Interval<float>> bench(1, 1);
  const Activate call{bench.input(1, 1), bench.output(1), Activation::gelu};
  EXPECT_THROW(reference<Interval<float>>(call, bench.context()), InputError);
}

TYPED_TEST(Elementwise, LayerNormCentresAndScales) {
  for (const std::size_t width : kWidths) {
    for (const double scale : {1e-4, 1.0, 100.0}) {
      const auto run = [&]<class S>() {
        using P = Precision<S>;
        Bench<S> bench(1, 5);
        const LayerNorm call{bench.input(width, 6, scale), bench.output(width), bench.parameter(normals(7, width)),
                             bench.parameter(normals(8, width))};
        reference<S>(call, bench.context());
        Outcome<S> outcome;
        const auto n = static_cast<double>(width);
        for (std::size_t row = 0; row < 5; ++row) {
          double mean = 0;
          double largest = 0;
          for (std::size_t c = 0; c < width; ++c) {
            mean += bench.at(call.in, row, c) / n;
            largest = std::max(largest, std::abs(bench.at(call.in, row, c)));
          }
          double variance = 0;
          for (std::size_t c = 0; c < width; ++c) variance += std::pow(bench.at(call.in, row, c) - mean, 2) / n;
          const double deviation = std::sqrt(variance + 1e-5);
          for (std::size_t c = 0; c < width; ++c) {
            const double weight = bench.parameter_at(call.weight, c);
            const double bias = bench.parameter_at(call.bias, c);
            const double expected = (bench.at(call.in, row, c) - mean) / deviation * weight + bias;
            const double size = largest / deviation * std::abs(weight) + std::abs(bias);
            outcome.add(bench.scalar(call.out, row, c), expected, P::stored(expected, (3 * n + 16) * P::sums * size));
          }
        }
        return outcome;
      };
      expect_agreement<TypeParam>(run, "width " + std::to_string(width) + " scale " + std::to_string(scale));
    }
  }
}

TYPED_TEST(Elementwise, RmsNormScales) {
  for (const std::size_t width : kWidths) {
    for (const double scale : {1e-4, 1.0, 100.0}) {
      const auto run = [&]<class S>() {
        using P = Precision<S>;
        Bench<S> bench(1, 5);
        const RmsNorm call{bench.input(width, 9, scale), bench.output(width), bench.parameter(normals(10, width))};
        reference<S>(call, bench.context());
        Outcome<S> outcome;
        const auto n = static_cast<double>(width);
        for (std::size_t row = 0; row < 5; ++row) {
          double squares = 0;
          for (std::size_t c = 0; c < width; ++c) squares += std::pow(bench.at(call.in, row, c), 2) / n;
          for (std::size_t c = 0; c < width; ++c) {
            const double expected =
                bench.at(call.in, row, c) / std::sqrt(squares + 1e-5) * bench.parameter_at(call.weight, c);
            outcome.add(bench.scalar(call.out, row, c), expected,
                        P::stored(expected, (n + 8) * P::sums * std::abs(expected)));
          }
        }
        return outcome;
      };
      expect_agreement<TypeParam>(run, "width " + std::to_string(width) + " scale " + std::to_string(scale));
    }
  }
}

}  // namespace
}  // namespace hyseq::kernels
