// Dropout over lanes: Philox4x32-10 for all members at once, each lane with its own key.
#if defined(HYSEQ_KERNELS_DROPOUT_LANES_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef HYSEQ_KERNELS_DROPOUT_LANES_INL_HPP
#undef HYSEQ_KERNELS_DROPOUT_LANES_INL_HPP
#else
#define HYSEQ_KERNELS_DROPOUT_LANES_INL_HPP
#endif

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/dropout/dropout.hpp"
#include "kernels/lanes/context-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace hyseq::kernels::HWY_NAMESPACE {

/// The words of dropout.hpp for the seeds of all lanes. A word lies in the lane of its member: a vector of 32-bit words
/// for float, of 64-bit ones below 2^32 for double.
template <class D>
class DropoutWords {
 public:
  using Words = hn::Vec<hn::RebindToUnsigned<D>>;
  static constexpr std::size_t kLanes = LaneContext<D>::kLanes;

  DropoutWords(D d, const std::uint64_t* seeds) {
    // Products of 32-bit words take 64 bits, so members with even and with odd lanes go through apart.
    if constexpr (kLanes == 1) {
      seed_ = seeds[0];
    } else {
      for (std::size_t half = 0; half < kHalves; ++half) {
        HWY_ALIGN std::uint64_t mine[kLanes];
        for (std::size_t i = 0; i < kLanes / kHalves; ++i) mine[i] = seeds[kHalves * i + half];
        const Wide wide;
        keys_[half][0] = hn::Load(wide, mine);
        keys_[half][1] = hn::ShiftRight<32>(keys_[half][0]);
      }
    }
    (void)d;
  }

  /// random_block({seed of the lane, Purpose::dropout}, index, block)
  HWY_INLINE std::array<Words, 4> operator()(std::uint64_t index, std::uint64_t block) const {
    const D d;
    const hn::RebindToUnsigned<D> words;
    if constexpr (kLanes == 1) {
      const RandomBlock drawn = random_block({seed_, Purpose::dropout}, index, block);
      return {hn::Set(words, drawn[0]), hn::Set(words, drawn[1]), hn::Set(words, drawn[2]), hn::Set(words, drawn[3])};
    } else {
      (void)d;
      const auto even = half(0, index, block);
      if constexpr (kHalves == 1) {
        const auto low = hn::Set(words, 0xffffffffU);
        return {hn::And(even[0], low), hn::And(even[1], low), hn::And(even[2], low), hn::And(even[3], low)};
      } else {
        const auto odd = half(1, index, block);
        const auto join = [&](std::size_t i) HWY_ATTR {
          return hn::OddEven(hn::BitCast(words, hn::ShiftLeft<32>(odd[i])), hn::BitCast(words, even[i]));
        };
        return {join(0), join(1), join(2), join(3)};
      }
    }
  }

  /// Lanes whose element is dropped.
  [[nodiscard]] HWY_INLINE static hn::Mask<D> dropped(Words word, std::uint32_t threshold) {
    // Not every instruction set compares unsigned words; moving both sides down by half the range makes them signed.
    const hn::RebindToUnsigned<D> words;
    const hn::RebindToSigned<D> integers;
    using Word = hn::TFromD<hn::RebindToUnsigned<D>>;
    constexpr Word kHalf = sizeof(Word) == 4 ? Word{0x80000000U} : Word{0};
    const auto shifted = hn::BitCast(integers, hn::Xor(word, hn::Set(words, kHalf)));
    const auto limit = hn::BitCast(integers, hn::Set(words, static_cast<Word>(threshold) ^ kHalf));
    return hn::RebindMask(D(), hn::Lt(shifted, limit));
  }

 private:
  using T = hn::TFromD<D>;
  using Wide = hn::Repartition<std::uint64_t, D>;
  using WideVec = hn::Vec<std::conditional_t<kLanes == 1, hn::RebindToUnsigned<D>, Wide>>;
  static constexpr std::size_t kHalves = sizeof(T) == 4 && kLanes > 1 ? 2 : 1;

  /// Philox4x32-10 with the state in the low halves of 64-bit lanes; the high halves hold what is left of products and
  /// never matter, since multiplications read low halves alone.
  HWY_INLINE std::array<WideVec, 4> half(std::size_t which, std::uint64_t index, std::uint64_t block) const {
    constexpr std::uint64_t kMultiplier0 = 0xD2511F53U;
    constexpr std::uint64_t kMultiplier1 = 0xCD9E8D57U;
    constexpr std::uint64_t kBump0 = 0x9E3779B9U;
    constexpr std::uint64_t kBump1 = 0xBB67AE85U;
    const Wide wide;
    const hn::Repartition<std::uint32_t, D> narrow;
    const auto multiplier0 = hn::BitCast(narrow, hn::Set(wide, kMultiplier0));
    const auto multiplier1 = hn::BitCast(narrow, hn::Set(wide, kMultiplier1));
    WideVec key0 = keys_[which][0];
    WideVec key1 = keys_[which][1];
    // The first products are the same in all lanes.
    const std::uint64_t counter1 = block >> 32 | std::uint64_t{static_cast<std::uint8_t>(Purpose::dropout)} << 24;
    const std::uint64_t first0 = kMultiplier0 * (block & 0xffffffffU);
    const std::uint64_t first1 = kMultiplier1 * (index & 0xffffffffU);
    WideVec c0 = hn::Xor(hn::Set(wide, first1 >> 32 ^ counter1), key0);
    WideVec c1 = hn::Set(wide, first1);
    WideVec c2 = hn::Xor(hn::Set(wide, first0 >> 32 ^ index >> 32), key1);
    WideVec c3 = hn::Set(wide, first0);
#pragma GCC unroll 9
    for (int round = 1; round < 10; ++round) {
      key0 = hn::Add(key0, hn::Set(wide, kBump0));
      key1 = hn::Add(key1, hn::Set(wide, kBump1));
      const WideVec product0 = hn::MulEven(hn::BitCast(narrow, c0), multiplier0);
      const WideVec product1 = hn::MulEven(hn::BitCast(narrow, c2), multiplier1);
      c0 = hn::Xor3(hn::ShiftRight<32>(product1), c1, key0);
      c1 = product1;
      c2 = hn::Xor3(hn::ShiftRight<32>(product0), c3, key1);
      c3 = product0;
    }
    return {c0, c1, c2, c3};
  }

  std::uint64_t seed_ = 0;
  WideVec keys_[2][2];
};

/// Bytes that the masks of one element of all lanes take.
template <class D>
inline constexpr std::size_t kMaskBytes = (LaneContext<D>::kLanes + 7) / 8;

// The masks are drawn once and kept as bits for the backward pass.
inline std::size_t memory_size(const Dropout& call, const Program& /*program*/, std::size_t time) {
  return (time * static_cast<std::size_t>(call.in.width) + 3) / 4;  // a mask takes at most a quarter of its vector
}

/// to[t] = (or +=) from[t] * factors, with the masks that draw(t, column) or the memory gives.
template <class D>
HWY_INLINE void apply_mask(D d, GradientMode mode, const hn::TFromD<D>* from, const std::uint8_t* bits,
                           hn::Vec<D> scale, hn::TFromD<D>* to) {
  const auto dropped = hn::LoadMaskBits(d, bits);
  put(d, mode, hn::IfThenZeroElse(dropped, hn::Mul(hn::Load(d, from), scale)), to);
}

template <class D>
void lanes(D d, const Dropout& call, const LaneContext<D>& context) {
  using T = hn::TFromD<D>;
  constexpr std::size_t kLanes = LaneContext<D>::kLanes;
  const auto width = static_cast<std::size_t>(call.in.width);
  const DropoutWords<D> words(d, context.seeds);
  const auto scale = hn::Set(d, static_cast<T>(call.site.scale()));
  auto* masks = reinterpret_cast<std::uint8_t*>(context.memory);
  const std::uint64_t index = dropout_index(context.step, context.row);
  for (std::size_t t = context.begin; t < context.end; ++t) {
    const T* in = context.at(call.in, t);
    T* out = context.at(call.out, t);
    std::uint8_t* bits = masks + t * width * kMaskBytes<D>;
    for (std::size_t first = 0; first < width; first += 4) {
      const auto drawn = words(index, dropout_block(call.site, context.first_position + t, first / 4));
      const std::size_t count = std::min<std::size_t>(4, width - first);
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t c = first + i;
        HWY_ALIGN std::uint8_t mask[8];
        hn::StoreMaskBits(d, DropoutWords<D>::dropped(drawn[i], call.site.threshold()), mask);
        std::copy_n(mask, kMaskBytes<D>, bits + c * kMaskBytes<D>);
        apply_mask(d, GradientMode::overwrite, in + c * kLanes, mask, scale, out + c * kLanes);
      }
    }
  }
}

template <class D>
void lanes(D d, const DropoutBackward& call, const LaneContext<D>& context) {
  using T = hn::TFromD<D>;
  constexpr std::size_t kLanes = LaneContext<D>::kLanes;
  if (!call.in_gradient.wanted()) return;
  const auto width = static_cast<std::size_t>(call.call.in.width);
  const auto scale = hn::Set(d, static_cast<T>(call.call.site.scale()));
  const auto* masks = reinterpret_cast<const std::uint8_t*>(context.memory);
  for (std::size_t t = context.begin; t < context.end; ++t) {
    const T* out = context.gradient_at(call.out_gradient, t);
    T* in = context.gradient_at(call.in_gradient.view, t);
    const std::uint8_t* bits = masks + t * width * kMaskBytes<D>;
    for (std::size_t c = 0; c < width; ++c) {
      HWY_ALIGN std::uint8_t mask[8] = {};
      std::copy_n(bits + c * kMaskBytes<D>, kMaskBytes<D>, mask);
      apply_mask(d, call.in_gradient.mode, out + c * kLanes, mask, scale, in + c * kLanes);
    }
  }
}

}  // namespace hyseq::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
