#include <bit>

#include "kernels/linear/reference.hpp"
#include "tests/kernels/suite.hpp"

namespace hyseq::kernels {
namespace {

template <class Scalar>
class LinearMap : public Operations<Scalar> {};
TYPED_TEST_SUITE(LinearMap, NumberTypes);

/// Normal weights of which about `zeros` in a hundred are zero, some of them negative zeros.
std::vector<double> weights(std::uint64_t seed, std::size_t count, std::uint64_t zeros) {
  std::vector<double> values = normals(seed, count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto word = random_block({seed, Purpose::verification}, 1, i);
    if (word[0] % 100 < zeros) values[i] = word[1] % 2 == 0 ? 0.0 : -0.0;
  }
  return values;
}

TYPED_TEST(LinearMap, IsTheProductOfWeightAndInput) {
  for (const std::size_t inputs : {1U, 2U, 7U, 31U}) {
    for (const std::size_t outputs : {1U, 3U, 13U, 32U}) {
      for (const std::uint64_t zeros : {0U, 60U, 95U}) {
        for (const bool biased : {false, true}) {
          const auto run = [&]<class S>() {
            using P = Precision<S>;
            Bench<S> bench(2, 3);
            // Views into wider buffers, so that strides count.
            const View in = bench.input(inputs + 2, 1).columns(1, static_cast<int>(inputs));
            const View out = bench.output(outputs + 3).columns(2, static_cast<int>(outputs));
            const ParameterId weight = bench.parameter(weights(2, outputs * inputs, zeros));
            const ParameterId bias = biased ? bench.parameter(normals(3, outputs)) : kNoParameter;
            const InputMajorMatrix matrix(bench.parameter_values(weight).data(), outputs, inputs);
            reference<S>(Linear{in, out, weight, bias}, matrix, bench.context());
            Outcome<S> outcome;
            for (std::size_t row = 0; row < bench.rows(); ++row) {
              for (std::size_t o = 0; o < outputs; ++o) {
                double expected = biased ? bench.parameter_at(bias, o) : 0;
                double size = std::abs(expected);
                for (std::size_t i = 0; i < inputs; ++i) {
                  const double term = bench.parameter_at(weight, o * inputs + i) * bench.at(in, row, i);
                  expected += term;
                  size += std::abs(term);
                }
                outcome.add(bench.scalar(out, row, o), expected,
                            P::stored(expected, static_cast<double>(inputs + 2) * P::sums * size));
              }
            }
            return outcome;
          };
          expect_agreement<TypeParam>(run, std::to_string(inputs) + " to " + std::to_string(outputs) + ", " +
                                               std::to_string(zeros) + "% zeros");
        }
      }
    }
  }
}

bool same(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }
bool same(float a, float b) { return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b); }
template <class Base>
bool same(const Interval<Base>& a, const Interval<Base>& b) {
  return a == b;
}

TYPED_TEST(LinearMap, LeavingOutZerosChangesNoBit) {
  using Accumulator = typename numbers::Numeric<TypeParam>::Accumulator;
  for (const std::uint64_t zeros : {0U, 50U, 75U, 90U, 100U}) {
    for (const std::size_t inputs : {1U, 5U, 29U}) {
      for (const std::size_t outputs : {1U, 4U, 37U}) {
        Bench<TypeParam> bench(1, 1);
        const ParameterId id = bench.parameter(weights(7, outputs * inputs, zeros));
        const std::vector<Accumulator>& weight = bench.parameter_values(id);
        const InputMajorMatrix matrix(weight.data(), outputs, inputs);
        std::vector<double> activations = weights(8, inputs, 20);
        std::vector<Accumulator> sparse(outputs);
        std::vector<Accumulator> dense(outputs);
        for (std::size_t i = 0; i < inputs; ++i) {
          using Numeric = numbers::Numeric<TypeParam>;
          const Accumulator x = Numeric::widen(Numeric::from_double(activations[i]));
          if (!is_exact_zero(x)) matrix.accumulate(i, x, sparse.data());
          for (std::size_t o = 0; o < outputs; ++o) dense[o] = dense[o] + weight[o * inputs + i] * x;
        }
        for (std::size_t o = 0; o < outputs; ++o) {
          EXPECT_TRUE(same(sparse[o], dense[o])) << zeros << "% zeros, output " << o;
        }
      }
    }
  }
}

}  // namespace
}  // namespace hyseq::kernels
