// Causal convolution and selective scan, with segments.
#include "kernels/causal_conv/reference.hpp"
#include "kernels/selective_scan/reference.hpp"
#include "tests/kernels/suite.hpp"

namespace hyseq::kernels {
namespace {

template <class Scalar>
class Recurrent : public Operations<Scalar> {};
TYPED_TEST_SUITE(Recurrent, NumberTypes);

/// Two rows; the second one starts a new segment at time 2.
template <class Scalar>
Bench<Scalar> bench_with_segments(std::size_t time) {
  Bench<Scalar> bench(2, time);
  for (std::size_t t = 2; t < time; ++t) bench.set_position(time + t, t - 2);
  return bench;
}

std::size_t segment_start(std::size_t row, std::size_t t) { return row == 1 && t >= 2 ? 2 : 0; }

TYPED_TEST(Recurrent, ConvolutionSumsTheLastInputsOfTheSegment) {
  for (std::size_t kernel = 1; kernel <= 5; ++kernel) {
    for (const std::size_t channels : {1U, 3U, 11U}) {
      for (const std::size_t time : {1U, 2U, 7U}) {
        const auto run = [&]<class S>() {
          using P = Precision<S>;
          Bench<S> bench = bench_with_segments<S>(time);
          const CausalConv call{bench.input(channels, 1),
                                bench.output(channels),
                                bench.parameter(normals(2, channels * kernel)),
                                bench.parameter(normals(3, channels)),
                                static_cast<int>(kernel),
                                bench.carry(CarryKind::conv_tail, channels, kernel - 1)};
          reference<S>(call, bench.context());
          Outcome<S> outcome;
          for (std::size_t b = 0; b < 2; ++b) {
            for (std::size_t t = 0; t < time; ++t) {
              for (std::size_t c = 0; c < channels; ++c) {
                double expected = bench.parameter_at(call.bias, c);
                double size = std::abs(expected);
                for (std::size_t back = 0; back < kernel && t >= segment_start(b, t) + back; ++back) {
                  const double term = bench.parameter_at(call.weight, c * kernel + kernel - 1 - back) *
                                      bench.at(call.in, b * time + t - back, c);
                  expected += term;
                  size += std::abs(term);
                }
                outcome.add(bench.scalar(call.out, b * time + t, c), expected,
                            P::stored(expected, static_cast<double>(kernel + 2) * P::sums * size));
              }
            }
          }
          return outcome;
        };
        expect_agreement<TypeParam>(run, "kernel " + std::to_string(kernel) + ", " + std::to_string(channels) +
                                             " channels, " + std::to_string(time) + " steps");
      }
    }
  }
}

TYPED_TEST(Recurrent, ScanFollowsTheRecurrence) {
  for (const std::size_t channels : {1U, 3U, 7U}) {
    for (const std::size_t states : {1U, 2U, 5U, 16U}) {
      for (const std::size_t time : {1U, 2U, 13U}) {
        const auto run = [&]<class S>() {
          using P = Precision<S>;
          Bench<S> bench = bench_with_segments<S>(time);
          std::vector<double> steps = normals(2, bench.rows() * channels);
          for (std::size_t i = 0; i < steps.size(); ++i) steps[i] = i % 4 == 3 ? 0 : std::abs(steps[i]);
          const SelectiveScan call{bench.input(channels, 1),
                                   bench.buffer(channels, steps),
                                   bench.input(states, 3),
                                   bench.input(states, 4),
                                   bench.output(channels),
                                   bench.parameter(normals(5, channels * states)),
                                   bench.parameter(normals(6, channels)),
                                   bench.carry(CarryKind::scan_state, channels, states)};
          std::vector<typename Bench<S>::Accumulator> rate;
          for (const auto& log_rate : bench.parameter_values(call.log_rate)) rate.push_back(-numbers::exp(log_rate));
          reference<S>(call, rate, bench.context());
          Outcome<S> outcome;
          for (std::size_t b = 0; b < 2; ++b) {
            for (std::size_t c = 0; c < channels; ++c) {
              std::vector<double> state(states, 0.0);
              std::vector<double> error(states, 0.0);  // what the state may be off by
              for (std::size_t t = 0; t < time; ++t) {
                const std::size_t row = b * time + t;
                if (t == segment_start(b, t)) {
                  state.assign(states, 0.0);
                  error.assign(states, 0.0);
                }
                const double u = bench.at(call.u, row, c);
                const double step = bench.at(call.step, row, c);
                const double skip = bench.parameter_at(call.skip, c) * u;
                double expected = skip;
                double inner = 2 * P::sums * std::abs(skip);
                for (std::size_t n = 0; n < states; ++n) {
                  const double exponent = -step * std::exp(bench.parameter_at(call.log_rate, c * states + n));
                  const double kept = std::exp(exponent) * state[n];
                  const double added = step * u * bench.at(call.input, row, n);
                  state[n] = kept + added;
                  // An exponent of relative error 4 u moves its exp by 4 u |exponent|.
                  const double rounding =
                      P::sums * ((4 * std::abs(exponent) + 4) * std::abs(kept) + 4 * std::abs(added));
                  if (step != 0) error[n] = P::stored(state[n], std::exp(exponent) * error[n] + rounding);
                  const double c_n = bench.at(call.output, row, n);
                  expected += state[n] * c_n;
                  inner +=
                      error[n] * std::abs(c_n) + static_cast<double>(states + 2) * P::sums * std::abs(state[n] * c_n);
                }
                outcome.add(bench.scalar(call.out, row, c), expected, P::stored(expected, inner));
              }
            }
          }
          return outcome;
        };
        expect_agreement<TypeParam>(run, std::to_string(channels) + " channels, " + std::to_string(states) +
                                             " states, " + std::to_string(time) + " steps");
      }
    }
  }
}

}  // namespace
}  // namespace hyseq::kernels
