// Sliding-window attention on lanes against plain loops in double and finite differences.
#include "kernels/lanes/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tests/kernels_lanes_ops/attention_test.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/dropout/reference.hpp"
#include "tests/kernels_lanes_ops/compare-inl.hpp"
#include "tests/kernels_lanes_ops/every_target.hpp"

HWY_BEFORE_NAMESPACE();
namespace hyseq::kernels::HWY_NAMESPACE {

struct Shape {
  int heads = 1;
  int width = 1;  // of a head
  int window = 1;
  double dropout = 0;
};

/// An attention with everything that it reads and writes.
template <class D>
struct Attend {
  Sequence<D> sequence;
  WindowAttentionBackward backward;

  Attend(D d, const std::vector<std::size_t>& segments, const Shape& shape, const Manner& manner) : sequence(segments) {
    WindowAttention& call = backward.call;
    const int channels = shape.heads * shape.width;
    for (View* view : {&call.q, &call.k, &call.v, &call.out}) *view = sequence.buffer(channels);
    call.heads = shape.heads;
    call.window = shape.window;
    call.dropout = {DropoutPlace::probabilities, 2, shape.dropout};
    backward.out_gradient = sequence.gradient(channels);
    GradientView* wanted[] = {&backward.q_gradient, &backward.k_gradient, &backward.v_gradient};
    for (int i = 0; i < 3; ++i) {
      const View view = sequence.gradient(channels);
      if (i != manner.unwanted) *wanted[i] = {view, manner.mode};
    }
    sequence.bind(d, call, 0);
  }
};

/// The equations of window_attention.hpp, word for word.
template <class D>
struct PlainAttention {
  Table out, q, k, v;  // gradients but for the first

  PlainAttention(Attend<D>& attend, std::size_t lane) {
    const WindowAttention& call = attend.backward.call;
    Sequence<D>& sequence = attend.sequence;
    const std::size_t time = sequence.time();
    const auto channels = static_cast<std::size_t>(call.q.width);
    const auto heads = static_cast<std::size_t>(call.heads);
    const std::size_t width = channels / heads;
    const double root = std::sqrt(static_cast<double>(width));
    const Table query = read(sequence, call.q, lane);
    const Table key = read(sequence, call.k, lane);
    const Table value = read(sequence, call.v, lane);
    const Table g = read_gradient(sequence, attend.backward.out_gradient, lane);
    const DropoutKey dropout{sequence.seed(lane), Sequence<D>::kStep};
    out = q = k = v = table(time, channels);
    for (std::size_t t = 0; t < time; ++t) {
      const std::size_t back = static_cast<std::size_t>(call.window) - 1;
      const std::size_t first = std::max(sequence.segment_start(t), t > back ? t - back : 0);
      for (std::size_t h = 0; h < heads; ++h) {
        std::vector<double> p(t + 1), m(t + 1), c(t + 1);
        double sum = 0;
        double largest = -1e300;
        for (std::size_t j = first; j <= t; ++j) {
          for (std::size_t i = h * width; i < (h + 1) * width; ++i) p[j] += query[t][i] * key[j][i] / root;
          largest = std::max(largest, p[j]);
        }
        for (std::size_t j = first; j <= t; ++j) sum += p[j] = std::exp(p[j] - largest);
        double mean = 0;
        for (std::size_t j = first; j <= t; ++j) {
          p[j] /= sum;
          m[j] = call.dropout.active()
                     ? dropout_factor(call.dropout, dropout, Sequence<D>::kRow, t, probability_element(h, t - j))
                     : 1;
          for (std::size_t i = h * width; i < (h + 1) * width; ++i) {
            out[t][i] += p[j] * m[j] * value[j][i];
            v[j][i] += p[j] * m[j] * g[t][i];
            c[j] += m[j] * g[t][i] * value[j][i];
          }
          mean += p[j] * c[j];
        }
        for (std::size_t j = first; j <= t; ++j) {
          const double e = p[j] * (c[j] - mean) / root;
          for (std::size_t i = h * width; i < (h + 1) * width; ++i) {
            q[t][i] += e * key[j][i];
            k[j][i] += e * query[t][i];
          }
        }
      }
    }
  }
};

template <class T>
void check_attention(const std::vector<std::size_t>& segments, const Shape& shape, const Manner& manner) {
  using D = hn::ScalableTag<T>;
  const D d;
  Attend<D> attend(d, segments, shape, manner);
  Attend<D> before(d, segments, shape, manner);  // the same numbers, left alone
  const WindowAttentionBackward& call = attend.backward;
  run_forward(d, attend.sequence, call.call, manner);
  run_backward(d, attend.sequence, call, manner);
  SCOPED_TRACE(testing::Message() << shape.heads << " heads of " << shape.width << ", window " << shape.window << ", "
                                  << attend.sequence.time() << " tokens in ranges of " << manner.tokens);
  for (std::size_t lane = 0; lane < Sequence<D>::kLanes; ++lane) {
    const PlainAttention<D> plain(before, lane);
    expect_close<T>(plain.out, read(attend.sequence, call.call.out, lane), "out");
    const auto gradient = [&](const GradientView& view, const Table& expected, const char* what) {
      if (!view.wanted()) return;
      const Table sum = with_mode(manner.mode, read_gradient(before.sequence, view.view, lane), expected);
      expect_close<T>(sum, read_gradient(attend.sequence, view.view, lane), what);
    };
    gradient(call.q_gradient, plain.q, "gradient of q");
    gradient(call.k_gradient, plain.k, "gradient of k");
    gradient(call.v_gradient, plain.v, "gradient of v");
  }
  EXPECT_TRUE(attend.sequence.padding_untouched(before.sequence));
}

void attention_sizes() {
  for (const std::size_t time : {1U, 2U, 5U, 6U, 13U, 31U}) {
    for (const int window : {1, 2, 7, 12, 100}) {
      for (const int heads : {1, 2, 4}) {
        check_attention<float>({time}, {heads, 3, window}, {});
        check_attention<double>({time}, {heads, 1, window}, {10});
      }
    }
  }
  check_attention<float>({83}, {1, 7, 100}, {20});  // longer than one panel of the product
}

void attention_manners() {
  for (const std::size_t tokens : {0U, 1U, 3U, 10U}) {
    for (int unwanted = -1; unwanted < 3; ++unwanted) {
      for (const int window : {1, 4, 50}) {
        check_attention<float>({3, 5, 1, 7, 12}, {2, 4, window}, {tokens, GradientMode::accumulate, unwanted});
        check_attention<double>({3, 5, 1, 7, 12}, {1, 5, window}, {tokens, GradientMode::overwrite, unwanted});
      }
    }
  }
}

void attention_dropout() {
  for (const std::size_t tokens : {0U, 7U}) {
    for (const int window : {1, 2, 6, 40}) {
      for (const double rate : {0.1, 0.5}) {
        check_attention<float>({3, 5, 1, 14}, {2, 3, window, rate}, {tokens});
        check_attention<double>({23}, {4, 2, window, rate}, {tokens});
      }
    }
  }
}

/// Differences of the forward call against its backward call, without any formula of the test's own.
void attention_differences() {
  using D = hn::ScalableTag<double>;
  const D d;
  const Manner manner{3};
  Attend<D> attend(d, {5, 4}, {2, 2, 3, 0.3}, manner);
  WindowAttentionBackward& call = attend.backward;
  Sequence<D>& s = attend.sequence;
  const std::size_t lane = Sequence<D>::kLanes - 1;
  const auto loss = [&] {
    run_forward(d, s, call.call, manner);
    double sum = 0;
    for (std::size_t t = 0; t < s.time(); ++t) {
      for (std::size_t c = 0; c < 4; ++c) {
        sum += s.at(call.call.out, t, c, lane) * s.gradient_at(call.out_gradient, t, c, lane);
      }
    }
    return sum;
  };
  (void)loss();
  run_backward(d, s, call, manner);
  constexpr double kShift = 1e-5;
  const auto check = [&](const View& view, const GradientView& gradient, const char* what) {
    for (std::size_t t = 0; t < s.time(); ++t) {
      for (std::size_t c = 0; c < 4; ++c) {
        double& value = s.at(view, t, c, lane);
        const double old = value;
        value = old + kShift;
        const double above = loss();
        value = old - kShift;
        const double below = loss();
        value = old;
        EXPECT_NEAR(s.gradient_at(gradient.view, t, c, lane), (above - below) / (2 * kShift), 1e-8) << what;
      }
    }
  };
  check(call.call.q, call.q_gradient, "q");
  check(call.call.k, call.k_gradient, "k");
  check(call.call.v, call.v_gradient, "v");
}

/// Segments packed into one sequence give the bits that each gives alone, in whatever ranges.
void attention_packing() {
  using D = hn::ScalableTag<float>;
  const D d;
  const std::vector<std::size_t> lengths{3, 5, 1, 7};
  for (const int window : {1, 4, 20}) {
    const Shape shape{2, 3, window};
    Attend<D> whole(d, lengths, shape, {});
    const Attend<D> original(d, lengths, shape, {});
    run_forward(d, whole.sequence, whole.backward.call, {4});
    run_backward(d, whole.sequence, whole.backward, {4});
    std::size_t first = 0;
    for (const std::size_t length : lengths) {
      Attend<D> alone(d, {length}, shape, {});
      alone.sequence.copy_rows(original.sequence, first);
      run_forward(d, alone.sequence, alone.backward.call, {});
      run_backward(d, alone.sequence, alone.backward, {});
      EXPECT_TRUE(whole.sequence.rows_equal(alone.sequence, first, length)) << "segment of " << length;
      first += length;
    }
  }
}

/// A member whose numbers are NaN leaves the bits of the others alone.
void attention_neighbours() {
  using D = hn::ScalableTag<float>;
  const D d;
  Attend<D> healthy(d, {13}, {1, 3, 5}, {});
  Attend<D> ill(d, {13}, {1, 3, 5}, {});
  ill.sequence.at(ill.backward.call.k, 4, 1, 0) = std::numeric_limits<float>::quiet_NaN();
  for (Attend<D>* attend : {&healthy, &ill}) {
    run_forward(d, attend->sequence, attend->backward.call, {});
    run_backward(d, attend->sequence, attend->backward, {});
  }
  EXPECT_TRUE(std::isnan(ill.sequence.at(ill.backward.call.out, 4, 1, 0)));
  for (std::size_t lane = 1; lane < Sequence<D>::kLanes; ++lane) {
    EXPECT_TRUE(healthy.sequence.lane_equal(ill.sequence, lane));
  }
}

/// Scores of 1e10 and more: the largest leaves exactly nothing when it is subtracted from itself.
void attention_large_scores() {
  using D = hn::ScalableTag<float>;
  const D d;
  Attend<D> attend(d, {9}, {1, 3, 5}, {});
  const WindowAttention& call = attend.backward.call;
  for (std::size_t t = 0; t < 9; ++t) {
    for (std::size_t c = 0; c < 3; ++c) {
      for (std::size_t lane = 0; lane < Sequence<D>::kLanes; ++lane) {
        attend.sequence.at(call.q, t, c, lane) *= 1e5F;
        attend.sequence.at(call.k, t, c, lane) *= 1e6F;
        attend.sequence.at(call.v, t, c, lane) = 1;
      }
    }
  }
  run_forward(d, attend.sequence, call, {});
  run_backward(d, attend.sequence, attend.backward, {});
  for (std::size_t t = 0; t < 9; ++t) {
    for (std::size_t lane = 0; lane < Sequence<D>::kLanes; ++lane) {
      EXPECT_NEAR(attend.sequence.at(call.out, t, 0, lane), 1, 1e-6);
      EXPECT_TRUE(std::isfinite(attend.sequence.gradient_at(attend.backward.k_gradient.view, t, 0, lane)));
    }
  }
}

}  // namespace hyseq::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace hyseq::kernels {
namespace {

HWY_EXPORT(attention_sizes);
HWY_EXPORT(attention_manners);
HWY_EXPORT(attention_dropout);
HWY_EXPORT(attention_differences);
HWY_EXPORT(attention_packing);
HWY_EXPORT(attention_neighbours);
HWY_EXPORT(attention_large_scores);

TEST(LanesAttention, FollowsTheEquationsAtAwkwardSizes) {
  on_every_target([] { HWY_DYNAMIC_DISPATCH(attention_sizes)(); });
}
TEST(LanesAttention, KeepsToSegmentsRangesAndModes) {
  on_every_target([] { HWY_DYNAMIC_DISPATCH(attention_manners)(); });
}
TEST(LanesAttention, DropsTheBitsOfTheReference) {
  on_every_target([] { HWY_DYNAMIC_DISPATCH(attention_dropout)(); });
}
TEST(LanesAttention, BackwardIsTheDerivativeOfForward) {
  on_every_target([] { HWY_DYNAMIC_DISPATCH(attention_differences)(); });
}
TEST(LanesAttention, PackedSegmentsEqualSeparateRuns) {
  on_every_target([] { HWY_DYNAMIC_DISPATCH(attention_packing)(); });
}
TEST(LanesAttention, MembersAreIndependent) {
  on_every_target([] { HWY_DYNAMIC_DISPATCH(attention_neighbours)(); });
}
TEST(LanesAttention, StandsLargeScores) {
  on_every_target([] { HWY_DYNAMIC_DISPATCH(attention_large_scores)(); });
}

}  // namespace
}  // namespace hyseq::kernels

#endif
