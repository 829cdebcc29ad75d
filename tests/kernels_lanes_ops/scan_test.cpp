// The selective scan on lanes against plain loops in double and finite differences.
#include "kernels/lanes/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tests/kernels_lanes_ops/scan_test.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "tests/kernels_lanes_ops/compare-inl.hpp"
#include "tests/kernels_lanes_ops/every_target.hpp"

HWY_BEFORE_NAMESPACE();
namespace hyseq::kernels::HWY_NAMESPACE {

/// A scan with everything that it reads and writes.
template <class D>
struct Scan {
  using T = hn::TFromD<D>;
  Sequence<D> sequence;
  SelectiveScanBackward backward;

  Scan(D d, const std::vector<std::size_t>& segments, int channels, int states, const Manner& manner)
      : sequence(segments) {
    SelectiveScan& call = backward.call;
    call.u = sequence.buffer(channels);
    call.step = sequence.buffer(channels, 0.4);
    call.input = sequence.buffer(states);
    call.output = sequence.buffer(states);
    call.out = sequence.buffer(channels);
    call.log_rate = sequence.parameter(channels * states, 0.7);
    call.skip = sequence.parameter(channels);
    for (std::size_t t = 0; t < sequence.time(); ++t) {
      for (std::size_t c = 0; c < static_cast<std::size_t>(channels); ++c) {
        for (std::size_t lane = 0; lane < Sequence<D>::kLanes; ++lane) {
          T& step = sequence.at(call.step, t, c, lane);
          step = (t + c) % 5 == 4 ? T{0} : std::abs(step);  // a step of 0 is nothing special
        }
      }
    }
    backward.out_gradient = sequence.gradient(channels);
    GradientView* wanted[] = {&backward.u_gradient, &backward.step_gradient, &backward.input_gradient,
                              &backward.output_gradient};
    for (int i = 0; i < 4; ++i) {
      const View view = sequence.gradient(i < 2 ? channels : states);
      if (i != manner.unwanted) *wanted[i] = {view, manner.mode};
    }
    sequence.bind(d, call, static_cast<std::size_t>(channels) * static_cast<std::size_t>(states));
  }
};

/// The equations of selective_scan.hpp, word for word.
template <class D>
struct PlainScan {
  Table out, u, step, input, output, rate, skip;  // gradients but for the first

  PlainScan(Scan<D>& scan, std::size_t lane) {
    const SelectiveScan& call = scan.backward.call;
    Sequence<D>& sequence = scan.sequence;
    const std::size_t time = sequence.time();
    const auto channels = static_cast<std::size_t>(call.u.width);
    const auto states = static_cast<std::size_t>(call.input.width);
    const Table x = read(sequence, call.u, lane);
    const Table width = read(sequence, call.step, lane);
    const Table b = read(sequence, call.input, lane);
    const Table c_of = read(sequence, call.output, lane);
    const Table g = read_gradient(sequence, scan.backward.out_gradient, lane);
    out = u = step = table(time, channels);
    input = output = table(time, states);
    rate = table(channels, states);
    skip = table(1, channels);
    for (std::size_t c = 0; c < channels; ++c) {
      const auto d = static_cast<double>(sequence.parameter_at(call.skip, c, lane));
      for (std::size_t t = 0; t < time; ++t) {
        out[t][c] += d * x[t][c];
        u[t][c] += d * g[t][c];
        skip[0][c] += g[t][c] * x[t][c];
      }
      for (std::size_t n = 0; n < states; ++n) {
        const double a = -std::exp(static_cast<double>(sequence.parameter_at(call.log_rate, c * states + n, lane)));
        std::vector<double> state(time), decay(time);
        for (std::size_t t = 0; t < time; ++t) {
          decay[t] = t == sequence.segment_start(t) ? 0 : std::exp(width[t][c] * a);
          state[t] = (t == 0 ? 0 : decay[t] * state[t - 1]) + width[t][c] * x[t][c] * b[t][n];
          out[t][c] += state[t] * c_of[t][n];
        }
        double carried = 0;
        for (std::size_t t = time; t-- > 0;) {
          const double r = g[t][c] * c_of[t][n] + carried;
          carried = decay[t] * r;
          const double kept = t == 0 ? 0 : carried * state[t - 1];
          output[t][n] += g[t][c] * state[t];
          input[t][n] += width[t][c] * x[t][c] * r;
          u[t][c] += width[t][c] * r * b[t][n];
          step[t][c] += x[t][c] * r * b[t][n] + kept * a;
          rate[c][n] += kept * width[t][c] * a;
        }
      }
    }
  }
};

template <class T>
void check_scan(const std::vector<std::size_t>& segments, int channels, int states, const Manner& manner) {
  using D = hn::ScalableTag<T>;
  const D d;
  Scan<D> scan(d, segments, channels, states, manner);
  Scan<D> before(d, segments, channels, states, manner);  // the same numbers, left alone
  const SelectiveScanBackward& call = scan.backward;
  run_forward(d, scan.sequence, call.call, manner);
  run_backward(d, scan.sequence, call, manner);
  SCOPED_TRACE(testing::Message() << channels << " channels, " << states << " states, " << scan.sequence.time()
                                  << " tokens in ranges of " << manner.tokens);
  for (std::size_t lane = 0; lane < Sequence<D>::kLanes; ++lane) {
    const PlainScan<D> plain(before, lane);
    expect_close<T>(plain.out, read(scan.sequence, call.call.out, lane), "out");
    const auto gradient = [&](const GradientView& view, const Table& expected, const char* what) {
      if (!view.wanted()) return;
      const Table sum = with_mode(manner.mode, read_gradient(before.sequence, view.view, lane), expected);
      expect_close<T>(sum, read_gradient(scan.sequence, view.view, lane), what);
    };
    gradient(call.u_gradient, plain.u, "gradient of u");
    gradient(call.step_gradient, plain.step, "gradient of step");
    gradient(call.input_gradient, plain.input, "gradient of input");
    gradient(call.output_gradient, plain.output, "gradient of output");
    Table rate = table(1, static_cast<std::size_t>(channels) * static_cast<std::size_t>(states));
    Table skip = table(1, static_cast<std::size_t>(channels));
    Table found_rate = rate;
    Table found_skip = skip;
    for (std::size_t c = 0; c < skip[0].size(); ++c) {
      const auto old = static_cast<double>(before.sequence.parameter_gradient_at(call.call.skip, c, lane));
      skip[0][c] = old + plain.skip[0][c];
      found_skip[0][c] = static_cast<double>(scan.sequence.parameter_gradient_at(call.call.skip, c, lane));
      for (std::size_t n = 0; n < static_cast<std::size_t>(states); ++n) {
        const std::size_t i = c * static_cast<std::size_t>(states) + n;
        const auto old_rate = static_cast<double>(before.sequence.parameter_gradient_at(call.call.log_rate, i, lane));
        rate[0][i] = old_rate + plain.rate[c][n];
        found_rate[0][i] = static_cast<double>(scan.sequence.parameter_gradient_at(call.call.log_rate, i, lane));
      }
    }
    expect_close<T>(rate, found_rate, "gradient of log_rate");
    expect_close<T>(skip, found_skip, "gradient of skip");
  }
  EXPECT_TRUE(scan.sequence.padding_untouched(before.sequence));
}

void scan_sizes() {
  for (const std::size_t time : {std::size_t{1}, kScanChunk - 1, kScanChunk, kScanChunk + 1, std::size_t{31}}) {
    for (const int channels : {1, 3, 6}) {
      for (const int states : {1, 3, 16, 17}) {
        check_scan<float>({time}, channels, states, {});
        check_scan<double>({time}, channels, states, {7});
      }
    }
  }
  check_scan<float>({5 * kScanChunk + 3}, 2, 4, {});
}

void scan_manners() {
  for (const std::size_t tokens : {0U, 1U, 4U, 20U}) {
    for (int unwanted = -1; unwanted < 4; ++unwanted) {
      check_scan<float>({3, 5, 1, 7, 12}, 3, 5, {tokens, GradientMode::accumulate, unwanted});
      check_scan<double>({3, 5, 1, 7, 12}, 2, 4, {tokens, GradientMode::overwrite, unwanted});
    }
  }
}

/// Differences of the forward call against its backward call, without any formula of the test's own.
void scan_differences() {
  using D = hn::ScalableTag<double>;
  const D d;
  constexpr std::size_t kLanes = Sequence<D>::kLanes;
  const Manner manner{3};
  Scan<D> scan(d, {4, 3}, 3, 5, manner);
  SelectiveScanBackward& call = scan.backward;
  Sequence<D>& s = scan.sequence;
  const auto loss = [&](std::size_t lane) {
    s.bind(d, call.call, 15);
    run_forward(d, s, call.call, manner);
    double sum = 0;
    for (std::size_t t = 0; t < s.time(); ++t) {
      for (std::size_t c = 0; c < 3; ++c) {
        sum += s.at(call.call.out, t, c, lane) * s.gradient_at(call.out_gradient, t, c, lane);
      }
    }
    return sum;
  };
  for (AlignedArray<double>& array : s.parameter_gradients()) std::fill_n(array.data(), array.size(), 0.0);
  (void)loss(0);
  run_backward(d, s, call, manner);
  constexpr double kShift = 1e-5;
  const std::size_t lane = kLanes - 1;
  const auto check = [&](double& value, double gradient, const char* what) {
    const double old = value;
    value = old + kShift;
    const double above = loss(lane);
    value = old - kShift;
    const double below = loss(lane);
    value = old;
    const double difference = (above - below) / (2 * kShift);
    EXPECT_NEAR(gradient, difference, 1e-7 * (1 + std::abs(difference))) << what;
  };
  for (std::size_t t = 0; t < s.time(); ++t) {
    for (std::size_t c = 0; c < 3; ++c) {
      check(s.at(call.call.u, t, c, lane), s.gradient_at(call.u_gradient.view, t, c, lane), "u");
      check(s.at(call.call.step, t, c, lane), s.gradient_at(call.step_gradient.view, t, c, lane), "step");
    }
    for (std::size_t n = 0; n < 5; ++n) {
      check(s.at(call.call.input, t, n, lane), s.gradient_at(call.input_gradient.view, t, n, lane), "input");
      check(s.at(call.call.output, t, n, lane), s.gradient_at(call.output_gradient.view, t, n, lane), "output");
    }
  }
  for (std::size_t i = 0; i < 15; ++i) {
    check(s.parameter_at(call.call.log_rate, i, lane), s.parameter_gradient_at(call.call.log_rate, i, lane),
          "log_rate");
  }
  for (std::size_t c = 0; c < 3; ++c) {
    check(s.parameter_at(call.call.skip, c, lane), s.parameter_gradient_at(call.call.skip, c, lane), "skip");
  }
}

/// Segments packed into one sequence give the bits that each gives alone.
void scan_packing() {
  using D = hn::ScalableTag<float>;
  const D d;
  const std::vector<std::size_t> lengths{3, 5, 1, 7};
  Scan<D> whole(d, lengths, 3, 6, {});
  const Scan<D> original(d, lengths, 3, 6, {});
  run_forward(d, whole.sequence, whole.backward.call, {4});
  run_backward(d, whole.sequence, whole.backward, {4});
  std::size_t first = 0;
  for (const std::size_t length : lengths) {
    Scan<D> alone(d, {length}, 3, 6, {});
    alone.sequence.copy_rows(original.sequence, first);
    run_forward(d, alone.sequence, alone.backward.call, {});
    run_backward(d, alone.sequence, alone.backward, {});
    EXPECT_TRUE(whole.sequence.rows_equal(alone.sequence, first, length)) << "segment of " << length;
    first += length;
  }
}

/// A member whose numbers are NaN leaves the bits of the others alone.
void scan_neighbours() {
  using D = hn::ScalableTag<float>;
  const D d;
  constexpr std::size_t kLanes = Sequence<D>::kLanes;
  Scan<D> healthy(d, {13}, 3, 5, {});
  Scan<D> ill(d, {13}, 3, 5, {});
  ill.sequence.at(ill.backward.call.u, 4, 1, 0) = std::numeric_limits<float>::quiet_NaN();
  for (Scan<D>* scan : {&healthy, &ill}) {
    run_forward(d, scan->sequence, scan->backward.call, {});
    run_backward(d, scan->sequence, scan->backward, {});
  }
  EXPECT_TRUE(std::isnan(ill.sequence.at(ill.backward.call.out, 4, 1, 0)));
  for (std::size_t lane = 1; lane < kLanes; ++lane) EXPECT_TRUE(healthy.sequence.lane_equal(ill.sequence, lane));
}

}  // namespace hyseq::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace hyseq::kernels {
namespace {

HWY_EXPORT(scan_sizes);
HWY_EXPORT(scan_manners);
HWY_EXPORT(scan_differences);
HWY_EXPORT(scan_packing);
HWY_EXPORT(scan_neighbours);

TEST(LanesScan, FollowsTheEquationsAtAwkwardSizes) {
  on_every_target([] { HWY_DYNAMIC_DISPATCH(scan_sizes)(); });
}
TEST(LanesScan, KeepsToSegmentsRangesAndModes) {
  on_every_target([] { HWY_DYNAMIC_DISPATCH(scan_manners)(); });
}
TEST(LanesScan, BackwardIsTheDerivativeOfForward) {
  on_every_target([] { HWY_DYNAMIC_DISPATCH(scan_differences)(); });
}
TEST(LanesScan, PackedSegmentsEqualSeparateRuns) {
  on_every_target([] { HWY_DYNAMIC_DISPATCH(scan_packing)(); });
}
TEST(LanesScan, MembersAreIndependent) {
  on_every_target([] { HWY_DYNAMIC_DISPATCH(scan_neighbours)(); });
}

}  // namespace
}  // namespace hyseq::kernels

#endif
