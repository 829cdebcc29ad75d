// Comparing what a lanes body wrote with what plain loops in double say, lane by lane.
#if defined(HYSEQ_TESTS_KERNELS_LANES_OPS_COMPARE_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef HYSEQ_TESTS_KERNELS_LANES_OPS_COMPARE_INL_HPP
#undef HYSEQ_TESTS_KERNELS_LANES_OPS_COMPARE_INL_HPP
#else
#define HYSEQ_TESTS_KERNELS_LANES_OPS_COMPARE_INL_HPP
#endif

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/kernels_lanes_ops/sequence-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace hyseq::kernels::HWY_NAMESPACE {

/// One tensor of one member, [rows][columns].
using Table = std::vector<std::vector<double>>;

inline Table table(std::size_t rows, std::size_t columns) { return Table(rows, std::vector<double>(columns, 0.0)); }

template <class D>
Table read(Sequence<D>& sequence, const View& view, std::size_t lane) {
  Table result = table(sequence.time(), static_cast<std::size_t>(view.width));
  for (std::size_t t = 0; t < result.size(); ++t) {
    for (std::size_t c = 0; c < result[t].size(); ++c)
      result[t][c] = static_cast<double>(sequence.at(view, t, c, lane));
  }
  return result;
}
template <class D>
Table read_gradient(Sequence<D>& sequence, const View& view, std::size_t lane) {
  Table result = table(sequence.time(), static_cast<std::size_t>(view.width));
  for (std::size_t t = 0; t < result.size(); ++t) {
    for (std::size_t c = 0; c < result[t].size(); ++c) {
      result[t][c] = static_cast<double>(sequence.gradient_at(view, t, c, lane));
    }
  }
  return result;
}

/// Largest difference, in units of the larger of 1 and the largest expected number.
inline double deviation(const Table& expected, const Table& found) {
  double size = 1;
  double difference = 0;
  for (std::size_t t = 0; t < expected.size(); ++t) {
    for (std::size_t c = 0; c < expected[t].size(); ++c) {
      size = std::max(size, std::abs(expected[t][c]));
      const double off = std::abs(expected[t][c] - found[t][c]);
      if (!(off <= difference)) difference = off;  // also where it is NaN
    }
  }
  return difference / size;
}

template <class T>
constexpr double tolerance() {
  return sizeof(T) == 4 ? 4e-6 : 4e-14;
}

template <class T>
void expect_close(const Table& expected, const Table& found, const std::string& what) {
  const double off = deviation(expected, found);
  EXPECT_TRUE(off <= tolerance<T>()) << what << " is off by " << off;
}

/// What a gradient holds afterwards: `before` counts where it accumulates.
inline Table with_mode(GradientMode mode, const Table& before, const Table& gradient) {
  Table result = gradient;
  if (mode == GradientMode::accumulate) {
    for (std::size_t t = 0; t < result.size(); ++t) {
      for (std::size_t c = 0; c < result[t].size(); ++c) result[t][c] += before[t][c];
    }
  }
  return result;
}

/// How a test goes through a sequence, and what it asks for.
struct Manner {
  std::size_t tokens = 0;  // of a range; 0: all at once
  GradientMode mode = GradientMode::overwrite;
  int unwanted = -1;  // index of the gradient that nobody needs
};

/// The forward call on ascending, the backward call on descending ranges.
template <class D, class Call>
void run_forward(D d, Sequence<D>& sequence, const Call& call, const Manner& manner) {
  const std::size_t tokens = manner.tokens == 0 ? sequence.time() : manner.tokens;
  for (std::size_t begin = 0; begin < sequence.time(); begin += tokens) {
    sequence.scratch().poison();
    lanes(d, call, sequence.context(begin, std::min(begin + tokens, sequence.time())));
  }
}
template <class D, class Call>
void run_backward(D d, Sequence<D>& sequence, const Call& call, const Manner& manner) {
  const std::size_t tokens = manner.tokens == 0 ? sequence.time() : manner.tokens;
  for (std::size_t piece = (sequence.time() + tokens - 1) / tokens; piece-- > 0;) {
    sequence.scratch().poison();
    lanes(d, call, sequence.context(piece * tokens, std::min((piece + 1) * tokens, sequence.time())));
  }
}

}  // namespace hyseq::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
