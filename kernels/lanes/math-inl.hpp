// Elementary functions of lane vectors, float and double. Branch-free: a lane's result depends on its argument alone.
//
// The polynomials are minimax fits (Remez) of the stated functions; the errors below are those of the fit, to which a
// few roundings add. tests/kernels_lanes_ops/math_test.cpp measures the whole and is where the bounds are asserted.
// Results below the smallest normal number may be 0.
#if defined(HYSEQ_KERNELS_LANES_MATH_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef HYSEQ_KERNELS_LANES_MATH_INL_HPP
#undef HYSEQ_KERNELS_LANES_MATH_INL_HPP
#else
#define HYSEQ_KERNELS_LANES_MATH_INL_HPP
#endif

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include <hwy/highway.h>

#include "kernels/lanes/targets.hpp"

HWY_BEFORE_NAMESPACE();
namespace hyseq::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// A double rounded to the lane type, in every lane.
template <class D>
HWY_INLINE hn::Vec<D> constant(D d, double value) {
  return hn::Set(d, static_cast<hn::TFromD<D>>(value));
}

/// c[0] + c[1] x + c[2] x^2 + ...
template <class D, class V>
HWY_INLINE V polynomial(D d, V /*x*/, double c) {
  return constant(d, c);
}
template <class D, class V, class... Rest>
HWY_INLINE V polynomial(D d, V x, double c, Rest... rest) {
  return hn::MulAdd(polynomial(d, x, rest...), x, constant(d, c));
}

/// (2^f - 1) / f = c[0] + c[1] f + ..
inline constexpr double kExp2Float[] = {0.693151738504, 0.240159273695, 0.05581866958, 0.0089910031749,
                                        0.00187931504509};

/// 2^f for 0 <= f <= 1, exactly 1 at 0 and 2 (up to rounding) at 1; relative error 9.2e-8 (float), 3.4e-18 (double).
template <class D, class V>
HWY_INLINE V exp2_fraction(D d, V f) {
  if constexpr (sizeof(hn::TFromD<D>) == 4) {
    return polynomial(d, f, 1.0, kExp2Float[0], kExp2Float[1], kExp2Float[2], kExp2Float[3], kExp2Float[4]);
  } else {
    return polynomial(d, f, 1.0, 0.69314718055994596012, 0.240226506959061552, 0.05550410866563524006,
                      0.0096181290992462960681, 0.0013333558645570420709, 0.00015403511793430791857,
                      0.000015253185627795035232, 1.3208229406564549407e-6, 1.0254321177122126987e-7,
                      6.5545205049179341134e-9, 6.2731887413370100824e-10);
  }
}

#if HWY_TARGET == HWY_AVX3

// The forms with a mask of ones are the same instructions; GCC 12 warns about an uninitialised operand in the others.
HWY_INLINE __m512 scaled(__m512 x, __m512 exponent) { return _mm512_maskz_scalef_ps(0xffff, x, exponent); }
HWY_INLINE __m512d scaled(__m512d x, __m512d exponent) { return _mm512_maskz_scalef_pd(0xff, x, exponent); }

/// 2^y. Exactly 1 at 0, 0 at minus infinity, infinity at infinity; NaN stays. y is reduced by rounding down, as the
/// scaling instruction does with its exponent: seven instructions in float.
HWY_INLINE hn::Vec512<float> exp2(hn::Full512<float> d, hn::Vec512<float> y) {
  const hn::Vec512<float> f{_mm512_reduce_ps(y.raw, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)};
  return hn::Vec512<float>{scaled(exp2_fraction(d, f).raw, y.raw)};
}
HWY_INLINE hn::Vec512<double> exp2(hn::Full512<double> d, hn::Vec512<double> y) {
  const hn::Vec512<double> f{_mm512_reduce_pd(y.raw, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)};
  return hn::Vec512<double>{scaled(exp2_fraction(d, f).raw, y.raw)};
}

/// out[i] = 2^y[i]. In stages over all i: the processor then meets independent instructions next to each other, where
/// one chain after the other would fill its scheduler with waiting ones.
template <std::size_t kCount, std::size_t... kIndex>
HWY_INLINE void exp2_stages(hn::Full512<float> d, const hn::Vec512<float> (&y)[kCount],
                            hn::Vec512<float> (&out)[kCount], std::index_sequence<kIndex...> /*indices*/) {
  const hn::Vec512<float> f[kCount] = {
      hn::Vec512<float>{_mm512_reduce_ps(y[kIndex].raw, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)}...};
  ((out[kIndex] = constant(d, kExp2Float[4])), ...);
  ((out[kIndex] = hn::MulAdd(out[kIndex], f[kIndex], constant(d, kExp2Float[3]))), ...);
  ((out[kIndex] = hn::MulAdd(out[kIndex], f[kIndex], constant(d, kExp2Float[2]))), ...);
  ((out[kIndex] = hn::MulAdd(out[kIndex], f[kIndex], constant(d, kExp2Float[1]))), ...);
  ((out[kIndex] = hn::MulAdd(out[kIndex], f[kIndex], constant(d, kExp2Float[0]))), ...);
  ((out[kIndex] = hn::MulAdd(out[kIndex], f[kIndex], constant(d, 1))), ...);
  ((out[kIndex].raw = scaled(out[kIndex].raw, y[kIndex].raw)), ...);
}

#else

/// y limited to low .. high; NaN stays.
template <class D, class V>
HWY_INLINE V limited(D d, V y, double low, double high) {
  const V least = constant(d, low);
  const V most = constant(d, high);
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
  y = hn::IfThenElse(hn::Gt(y, most), most, y);
  return hn::IfThenElse(hn::Lt(y, least), least, y);
#else
  // The second operand is what x86 returns for a NaN; ARM returns a NaN either way.
  return hn::Max(least, hn::Min(most, y));
#endif
}

/// 2^y. Exactly 1 at 0, infinity at infinity, 0 where the result would be subnormal; NaN stays.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp2(D d, V y) {
  constexpr bool kFloat = sizeof(hn::TFromD<D>) == 4;
  constexpr double kBias = kFloat ? 127 : 1023;
  // Added to an integer, it leaves the integer in the low bits of the sum.
  constexpr double kToBits = kFloat ? 0x1.8p23 : 0x1.8p52;
  y = limited(d, y, -kBias, kBias + 1);
  const V whole = hn::Floor(y);
  const V fraction = exp2_fraction(d, hn::Sub(y, whole));
  const hn::RebindToUnsigned<D> bits;
  const auto exponent = hn::BitCast(bits, hn::Add(whole, constant(d, kToBits + kBias)));
  return hn::Mul(fraction, hn::BitCast(d, hn::ShiftLeft < kFloat ? 23 : 52 > (exponent)));
}

#endif

/// out[i] = 2^y[i], the same numbers as one at a time.
template <class D, std::size_t kCount>
HWY_INLINE void exp2_each(D d, const hn::Vec<D> (&y)[kCount], hn::Vec<D> (&out)[kCount]) {
#if HWY_TARGET == HWY_AVX3
  if constexpr (sizeof(hn::TFromD<D>) == 4) {
    exp2_stages(d, y, out, std::make_index_sequence<kCount>());
    return;
  }
#endif
  for (std::size_t i = 0; i < kCount; ++i) out[i] = exp2(d, y[i]);
}

inline constexpr double kLog2E = 1.4426950408889634074;
inline constexpr double kLn2 = 0.69314718055994530942;

/// e^x, as 2^(x log2 e): the rounding of the product adds |x| unit roundoffs to the relative error.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp(D d, V x) {
  return exp2(d, hn::Mul(x, constant(d, kLog2E)));
}

/// Natural logarithm of a normal number; minus infinity for 0 (and may be for subnormal numbers), NaN below 0.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V log(D d, V x) {
  constexpr bool kFloat = sizeof(hn::TFromD<D>) == 4;
  using Bits = hwy::MakeSigned<hn::TFromD<D>>;
  constexpr int kMantissa = kFloat ? 23 : 52;
  const hn::RebindToSigned<D> integers;
  // x = 2^e m with m in [sqrt(1/2), sqrt(2)).
  const auto sqrt_half =
      hn::Set(integers, static_cast<Bits>(kFloat ? std::int64_t{0x3f3504f3} : std::int64_t{0x3fe6a09e667f3bcd}));
  const auto bits = hn::BitCast(integers, x);
  const auto exponent = hn::ShiftRight<kMantissa>(hn::Sub(bits, sqrt_half));
  const V m = hn::BitCast(d, hn::Sub(bits, hn::ShiftLeft<kMantissa>(exponent)));
  const V e = hn::ConvertTo(d, exponent);
  // log m = 2 artanh s.
  const V one = constant(d, 1);
  const V s = hn::Div(hn::Sub(m, one), hn::Add(m, one));
  const V z = hn::Mul(s, s);
  V tail;
  if constexpr (kFloat) {
    tail = polynomial(d, z, 2.0 / 3, 2.0 / 5, 2.0 / 7, 2.0 / 9);
  } else {
    tail = polynomial(d, z, 2.0 / 3, 2.0 / 5, 2.0 / 7, 2.0 / 9, 2.0 / 11, 2.0 / 13, 2.0 / 15, 2.0 / 17, 2.0 / 19,
                      2.0 / 21);
  }
  // ln 2 in two parts, the first short enough for an exact product with e.
  constexpr double kHigh = kFloat ? 0x1.62ep-1 : 0x1.62e42feep-1;
  constexpr double kLow = kFloat ? kLn2 - 0x1.62ep-1 : 1.90821492927058770002e-10;
  const V small = hn::MulAdd(hn::Mul(s, z), tail, hn::Mul(e, constant(d, kLow)));
  V result = hn::MulAdd(e, constant(d, kHigh), hn::MulAdd(s, constant(d, 2), small));
  const V infinity = hn::Inf(d);
  result = hn::IfThenElse(hn::Lt(x, infinity), result, x);  // infinity and NaN
  result = hn::IfThenElse(hn::Lt(x, hn::Set(d, std::numeric_limits<hn::TFromD<D>>::min())), hn::Neg(infinity), result);
  return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::NaN(d), result);
}

/// log(1 + t) for 0 <= t <= 1; relative error 4.7e-9 (float), 9.1e-18 (double).
template <class D, class V = hn::Vec<D>>
HWY_INLINE V log1p_unit(D d, V t) {
  if constexpr (sizeof(hn::TFromD<D>) == 4) {
    return hn::Mul(t,
                   polynomial(d, t, 0.999999995288, -0.499999024269, 0.333299624872, -0.249541342747, 0.196759424417,
                              -0.153056023816, 0.106036728958, -0.0569597262235, 0.0198515717068, -0.00324405089213));
  } else {
    return hn::Mul(t, polynomial(d, t, 0.99999999999999999091, -0.49999999999999184133, 0.33333333333211249791,
                                 -0.24999999992722034569, 0.19999999769455383424, -0.16666662178159685872,
                                 0.1428565567759058786, -0.12499456345009262846, 0.11107381093673865183,
                                 -0.099805054467645939507, 0.09011549770272236117, -0.080772760320723587411,
                                 0.070279788265734302278, -0.05738816123772094294, 0.042166555645071700454,
                                 -0.026623268812364680993, 0.013756261994097923856, -0.0055021371222133375615,
                                 0.001581710318089683747, -0.00028880661080981977564, 0.000025041625298475909344));
  }
}

/// 1 / (1 + e^-x).
template <class D, class V = hn::Vec<D>>
HWY_INLINE V sigmoid(D d, V x) {
  const V one = constant(d, 1);
  return hn::Div(one, hn::Add(one, exp2(d, hn::Mul(x, constant(d, -kLog2E)))));
}

/// log(1 + e^x) = max(x, 0) + log(1 + e^-|x|). Its derivative is sigmoid(x).
template <class D, class V = hn::Vec<D>>
HWY_INLINE V softplus(D d, V x) {
  const V decayed = exp2(d, hn::Mul(hn::Abs(x), constant(d, -kLog2E)));
  const V positive = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Zero(d), x);  // keeps NaN
  return hn::Add(positive, log1p_unit(d, decayed));
}

/// x sigmoid(x), and its derivative s (1 + x (1 - s)) with s = sigmoid(x).
template <class D, class V = hn::Vec<D>>
HWY_INLINE V silu(D d, V x) {
  return hn::Mul(x, sigmoid(d, x));
}
template <class D, class V = hn::Vec<D>>
HWY_INLINE V silu_slope(D d, V x) {
  const V one = constant(d, 1);
  const V s = sigmoid(d, x);
  return hn::Mul(s, hn::MulAdd(x, hn::Sub(one, s), one));
}

/// The normal distribution function of x, given e^(-x^2/2). erfc(z) = e^(-z^2) t P(t) with t = 3 / (3 + z), z >= 0:
/// relative error of the fit 1.4e-9 (float), 1.2e-16 (double, coefficients rounded).
template <class D, class V>
HWY_INLINE V normal_cdf(D d, V x, V bell) {
  const V three = constant(d, 3);
  const V t = hn::Div(three, hn::MulAdd(hn::Abs(x), constant(d, 0.70710678118654752440), three));
  V p;
  if constexpr (sizeof(hn::TFromD<D>) == 4) {
    p = polynomial(d, t, 0.18803250146592976, 0.188744845277483, 0.170966245774730, 0.194183600495014,
                   -0.00760520896523, 0.413804179563591, -0.453294510062665, 0.544676880582599, -0.295915275883239,
                   0.056406742104478);
  } else {
    p = polynomial(d, t, 0.18806319451591876227, 0.18806319451591880285, 0.17761523926504225589, 0.15671932876050777786,
                   0.12711678912477895496, 0.092290261239647571501, 0.056980309412099540445, 0.026212314753493993754,
                   0.0041086907131500161107, -0.0080365616189760506652, -0.0067180614156855595367,
                   -0.020128735080886088994, 0.058909950860068131992, -0.17901881421613652709, 0.45838469881330951291,
                   -0.89273287903690200767, 1.3762153932635761699, -1.6508712691244601102, 1.4886567511254004943,
                   -0.98061991968855769436, 0.45733865303058832756, -0.14336713470518648107, 0.027180796341603322683,
                   -0.0023621908483131259874);
  }
  const V tail = hn::Mul(hn::Mul(bell, constant(d, 0.5)), hn::Mul(t, p));
  return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), tail, hn::Sub(constant(d, 1), tail));
}

/// x (1 + erf(x / sqrt 2)) / 2, and its derivative.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V gelu(D d, V x) {
  const V bell = exp2(d, hn::Mul(hn::Mul(x, x), constant(d, -0.5 * kLog2E)));
  return hn::Mul(x, normal_cdf(d, x, bell));
}
template <class D, class V = hn::Vec<D>>
HWY_INLINE V gelu_slope(D d, V x) {
  const V bell = exp2(d, hn::Mul(hn::Mul(x, x), constant(d, -0.5 * kLog2E)));
  constexpr double kDensityAtZero = 0.39894228040143267794;  // 1 / sqrt(2 pi)
  return hn::MulAdd(hn::Mul(x, constant(d, kDensityAtZero)), bell, normal_cdf(d, x, bell));
}

}  // namespace hyseq::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
