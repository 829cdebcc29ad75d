// Elementary functions of lanes against the long double library, over all magnitudes.
#include "kernels/lanes/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tests/kernels_lanes_ops/math_test.cpp"
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/base/random.hpp"
#include "kernels/lanes/math-inl.hpp"
#include "tests/kernels_lanes_ops/every_target.hpp"

HWY_BEFORE_NAMESPACE();
namespace hyseq::kernels::HWY_NAMESPACE {

using Wide = long double;

/// Numbers of both signs and of every magnitude between low and high.
template <class T>
std::vector<T> magnitudes(double low, double high) {
  std::vector<T> result;
  const StreamKey key{1, Purpose::verification};
  for (std::uint64_t i = 0; i < 40000; ++i) {
    const double size = std::exp(std::log(low) + uniform_real(key, 0, i) * (std::log(high) - std::log(low)));
    result.push_back(static_cast<T>(i % 2 == 0 ? size : -size));
  }
  return result;
}

template <class T>
struct Facts {
  static constexpr double unit = static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;
  static constexpr double least = static_cast<double>(std::numeric_limits<T>::min());
  static constexpr double most = static_cast<double>(std::numeric_limits<T>::max());
};

/// |found - expected| <= (base + slope |x|) units of expected, where that is a normal number; else as much as a factor
/// of the result that vanishes below the smallest normal number brings about.
template <class T, class Function, class Expected>
void expect_accurate(const std::string& name, const std::vector<T>& inputs, double base, double slope,
                     const Function& function, const Expected& expected) {
  using D = hn::ScalableTag<T>;
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  HWY_ALIGN T in[HWY_MAX_BYTES / sizeof(T)];
  HWY_ALIGN T out[HWY_MAX_BYTES / sizeof(T)];
  for (std::size_t first = 0; first + lanes <= inputs.size(); first += lanes) {
    std::copy_n(inputs.data() + first, lanes, in);
    hn::Store(function(d, hn::Load(d, in)), d, out);
    for (std::size_t i = 0; i < lanes; ++i) {
      const Wide right = expected(static_cast<Wide>(in[i]));
      const auto x = static_cast<double>(in[i]);
      if (right > static_cast<Wide>(Facts<T>::most) || right < -static_cast<Wide>(Facts<T>::most)) {
        ASSERT_TRUE(std::isinf(out[i]) || std::abs(static_cast<double>(out[i])) > Facts<T>::most * (1 - 1e-3))
            << name << " of " << x;
        continue;
      }
      const auto off = static_cast<double>(std::abs(static_cast<Wide>(out[i]) - right));
      const auto size = static_cast<double>(std::abs(right));
      const double allowed = (base + slope * std::abs(x)) * Facts<T>::unit * size;
      ASSERT_LE(off, std::max(allowed, Facts<T>::least * (1 + std::abs(x)))) << name << " of " << x << " is " << out[i];
    }
  }
}

template <class T>
T first_lane(hn::Vec<hn::ScalableTag<T>> v) {
  return hn::GetLane(v);
}

template <class T>
void check_accuracy() {
  const auto tiny = static_cast<double>(std::numeric_limits<T>::denorm_min());
  const std::vector<T> all = magnitudes<T>(tiny, std::sqrt(Facts<T>::most));
  std::vector<T> unit;
  std::vector<T> positive;
  for (const T x : magnitudes<T>(tiny, Facts<T>::most)) {
    if (std::abs(x) >= std::numeric_limits<T>::min()) positive.push_back(std::abs(x));
    if (std::abs(x) <= 1) unit.push_back(std::abs(x));
  }
  const std::vector<T> moderate = magnitudes<T>(1e-3, 100);
  for (const auto& inputs : {all, moderate}) {
    expect_accurate<T>(
        "exp2", inputs, 4, 0, [](auto d, auto x) HWY_ATTR { return exp2(d, x); }, [](Wide x) { return exp2l(x); });
    expect_accurate<T>(
        "exp", inputs, 4, 1.5, [](auto d, auto x) HWY_ATTR { return exp(d, x); }, [](Wide x) { return expl(x); });
    // e^-x moves by x roundings, but the results near 1 do not.
    expect_accurate<T>(
        "sigmoid", inputs, 8, 1.5, [](auto d, auto x) HWY_ATTR { return sigmoid(d, x); },
        [](Wide x) { return 1 / (1 + expl(-x)); });
    expect_accurate<T>(
        "softplus", inputs, 8, 1.5, [](auto d, auto x) HWY_ATTR { return softplus(d, x); },
        [](Wide x) { return x > 0 ? x + log1pl(expl(-x)) : log1pl(expl(x)); });
    expect_accurate<T>(
        "silu", inputs, 8, 1.5, [](auto d, auto x) HWY_ATTR { return silu(d, x); },
        [](Wide x) { return x / (1 + expl(-x)); });
  }
  expect_accurate<T>(
      "log1p", unit, 6, 0, [](auto d, auto x) HWY_ATTR { return log1p_unit(d, x); }, [](Wide x) { return log1pl(x); });
  expect_accurate<T>(
      "log", positive, 6, 0, [](auto d, auto x) HWY_ATTR { return log(d, x); }, [](Wide x) { return logl(x); });
  // x^2 / 2 is what the exponential sees.
  const std::vector<T> bell = magnitudes<T>(1e-6, 8);
  const auto cdf = [](Wide x) { return erfcl(-x / sqrtl(2.0L)) / 2; };
  expect_accurate<T>(
      "gelu", bell, 80, 8, [](auto d, auto x) HWY_ATTR { return gelu(d, x); }, [&](Wide x) { return x * cdf(x); });
  const auto slope = [&](Wide x) { return cdf(x) + x * expl(-x * x / 2) / sqrtl(2 * acosl(-1.0L)); };
  for (const T x : bell) {
    const hn::ScalableTag<T> d;
    EXPECT_NEAR(static_cast<double>(first_lane<T>(gelu_slope(d, hn::Set(d, x)))),
                static_cast<double>(slope(static_cast<Wide>(x))), 40 * Facts<T>::unit);
    const Wide s = 1 / (1 + expl(-static_cast<Wide>(x)));
    EXPECT_NEAR(static_cast<double>(first_lane<T>(silu_slope(d, hn::Set(d, x)))),
                static_cast<double>(s * (1 + static_cast<Wide>(x) * (1 - s))), 20 * Facts<T>::unit);
  }
}

template <class T>
void check_special_values() {
  const hn::ScalableTag<T> d;
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  constexpr T kNaN = std::numeric_limits<T>::quiet_NaN();
  constexpr T kTiny = std::numeric_limits<T>::denorm_min();
  const auto of = [&](auto function, T x) HWY_ATTR { return first_lane<T>(function(d, hn::Set(d, x))); };
  const auto exp2_of = [&](T x) { return of([](auto tag, auto v) HWY_ATTR { return exp2(tag, v); }, x); };
  const auto exp_of = [&](T x) { return of([](auto tag, auto v) HWY_ATTR { return exp(tag, v); }, x); };
  const auto log_of = [&](T x) { return of([](auto tag, auto v) HWY_ATTR { return log(tag, v); }, x); };
  for (const T zero : {T{0}, -T{0}, kTiny, std::numeric_limits<T>::min()}) {
    EXPECT_EQ(exp2_of(zero), 1);
    EXPECT_EQ(exp_of(zero), 1);
  }
  for (const T x : {-kInfinity, T{-1e5}, std::numeric_limits<T>::lowest()}) {
    EXPECT_EQ(exp2_of(x), 0);
    EXPECT_EQ(exp_of(x), 0);
    EXPECT_FALSE(std::signbit(exp_of(x)));
  }
  for (const T x : {kInfinity, T{1e5}, std::numeric_limits<T>::max()}) EXPECT_EQ(exp_of(x), kInfinity);
  for (int power = std::numeric_limits<T>::min_exponent - 1; power < std::numeric_limits<T>::max_exponent; ++power) {
    EXPECT_EQ(exp2_of(static_cast<T>(power)), std::ldexp(T{1}, power));
  }
  EXPECT_EQ(exp2_of(static_cast<T>(std::numeric_limits<T>::max_exponent)), kInfinity);
  for (const T below : {-kTiny, -std::numeric_limits<T>::min(), -std::numeric_limits<T>::epsilon()}) {
    EXPECT_LE(exp2_of(below), 1);  // a decay never grows
    EXPECT_GE(exp2_of(below), 1 - 3 * std::numeric_limits<T>::epsilon());
  }
  EXPECT_TRUE(std::isnan(exp2_of(kNaN)));
  EXPECT_TRUE(std::isnan(exp_of(kNaN)));
  EXPECT_EQ(log_of(1), 0);
  EXPECT_EQ(log_of(0), -kInfinity);
  EXPECT_EQ(log_of(kTiny), -kInfinity);
  EXPECT_EQ(log_of(kInfinity), kInfinity);
  EXPECT_TRUE(std::isnan(log_of(-1)));
  EXPECT_TRUE(std::isnan(log_of(kNaN)));
  const auto softplus_of = [&](T x) { return of([](auto tag, auto v) HWY_ATTR { return softplus(tag, v); }, x); };
  const auto sigmoid_of = [&](T x) { return of([](auto tag, auto v) HWY_ATTR { return sigmoid(tag, v); }, x); };
  const auto gelu_of = [&](T x) { return of([](auto tag, auto v) HWY_ATTR { return gelu(tag, v); }, x); };
  EXPECT_EQ(softplus_of(-kInfinity), 0);
  EXPECT_EQ(softplus_of(kInfinity), kInfinity);
  EXPECT_EQ(softplus_of(1e4), static_cast<T>(1e4));
  EXPECT_TRUE(std::isnan(softplus_of(kNaN)));
  EXPECT_EQ(sigmoid_of(-kInfinity), 0);
  EXPECT_EQ(sigmoid_of(kInfinity), 1);
  EXPECT_EQ(sigmoid_of(0), static_cast<T>(0.5));
  EXPECT_TRUE(std::isnan(sigmoid_of(kNaN)));
  EXPECT_EQ(gelu_of(1e4), static_cast<T>(1e4));
  EXPECT_EQ(gelu_of(-1e4), 0);
  EXPECT_TRUE(std::isnan(gelu_of(kNaN)));
}

void math_accuracy() {
  check_accuracy<float>();
  check_accuracy<double>();
}
void math_special_values() {
  check_special_values<float>();
  check_special_values<double>();
}

}  // namespace hyseq::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace hyseq::kernels {
namespace {

HWY_EXPORT(math_accuracy);
HWY_EXPORT(math_special_values);

TEST(LanesMath, IsAccurateAtEveryMagnitude) {
  on_every_target([] { HWY_DYNAMIC_DISPATCH(math_accuracy)(); });
}
TEST(LanesMath, KeepsZerosInfinitiesAndNaN) {
  on_every_target([] { HWY_DYNAMIC_DISPATCH(math_special_values)(); });
}

}  // namespace
}  // namespace hyseq::kernels

#endif
