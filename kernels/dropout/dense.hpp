#pragma once

#include "kernels/dense/context.hpp"
#include "kernels/dense/vectors.hpp"
#include "kernels/dropout/dropout.hpp"

namespace hyseq::kernels::dense {

/// Random words come in runs of this many blocks of four.
inline constexpr std::size_t kBlockRun = kLanes<std::uint32_t>;
[[nodiscard]] constexpr std::size_t padded_words(std::size_t blocks) {
  return (blocks + kBlockRun - 1) / kBlockRun * kBlockRun * 4;
}

#if HWY_TARGET != HWY_SCALAR
namespace philox {  // Salmon et al. 2011: Philox4x32 with ten rounds

using D = Tag<std::uint32_t>;
using V = hn::Vec<D>;

struct Wide {
  V high;
  V low;
};

HWY_INLINE Wide multiply(V a, V b) {
  const D d;
  const hn::Repartition<std::uint64_t, D> wide;
  const auto odd = [&](V x) { return hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(wide, x))); };
  const auto even_products = hn::MulEven(a, b);
  const auto odd_products = hn::MulEven(odd(a), odd(b));
  return {hn::OddEven(hn::BitCast(d, odd_products), hn::BitCast(d, hn::ShiftRight<32>(even_products))),
          hn::OddEven(hn::BitCast(d, hn::ShiftLeft<32>(odd_products)), hn::BitCast(d, even_products))};
}

/// The words of as many blocks as there are lanes, from `block` on: their counters differ in the lowest word alone.
HWY_INLINE void blocks(const StreamKey& key, std::uint64_t index, std::uint64_t block, std::uint32_t* words) {
  const D d;
  const std::uint64_t purpose = std::uint64_t{static_cast<std::uint8_t>(key.purpose)} << 56;
  const auto first = hn::Set(d, 0xD2511F53U);
  const auto second = hn::Set(d, 0xCD9E8D57U);
  V c0 = hn::Iota(d, static_cast<std::uint32_t>(block));
  V c1 = hn::Set(d, static_cast<std::uint32_t>((block | purpose) >> 32));
  V c2 = hn::Set(d, static_cast<std::uint32_t>(index));
  V c3 = hn::Set(d, static_cast<std::uint32_t>(index >> 32));
  auto key0 = static_cast<std::uint32_t>(key.seed);
  auto key1 = static_cast<std::uint32_t>(key.seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const Wide a = multiply(c0, first);
    const Wide b = multiply(c2, second);
    c0 = hn::Xor(hn::Xor(b.high, c1), hn::Set(d, key0));
    c2 = hn::Xor(hn::Xor(a.high, c3), hn::Set(d, key1));
    c1 = b.low;
    c3 = a.low;
    key0 += 0x9E3779B9U;
    key1 += 0xBB67AE85U;
  }
  hn::StoreInterleaved4(c0, c1, c2, c3, d, words);
}

}  // namespace philox
#endif

/// The words of blocks [first, first + count) of (site, row, position), see dropout.hpp: words [padded_words(count)].
inline void dropout_words(const DropoutSite& site, const DropoutKey& key, std::uint64_t row, std::uint64_t position,
                          std::uint64_t first, std::size_t count, std::uint32_t* words) {
  const StreamKey stream{key.seed, Purpose::dropout};
  const std::uint64_t index = dropout_index(key.step, row);
  const std::uint64_t block = dropout_block(site, position, first);
  for (std::size_t done = 0; done < count; done += kBlockRun) {
#if HWY_TARGET == HWY_SCALAR
    const RandomBlock drawn = random_block(stream, index, block + done);
    std::copy(drawn.begin(), drawn.end(), words + 4 * done);
#else
    philox::blocks(stream, index, block + done, words + 4 * done);
#endif
  }
}

/// to = or += from * factors, for one row.
template <class T>
void drop_row(const DropoutSite& site, std::size_t row, std::size_t width, const T* from, T* to, GradientMode mode,
              std::uint32_t* words, const Context<T>& context) {
  dropout_words(site, context.dropout, context.first_row + row / context.time, row % context.time, 0, (width + 3) / 4,
                words);
  const std::uint32_t threshold = site.threshold();
  const T scale = static_cast<T>(site.scale());
  if (mode == GradientMode::overwrite) {
    for (std::size_t i = 0; i < width; ++i) to[i] = from[i] * (words[i] < threshold ? T(0) : scale);
  } else {
    for (std::size_t i = 0; i < width; ++i) to[i] += from[i] * (words[i] < threshold ? T(0) : scale);
  }
}

template <class T>
void forward(const Dropout& call, const Context<T>& context) {
  const auto width = static_cast<std::size_t>(call.in.width);
  context.for_row_tiles(width, [&](std::size_t first, std::size_t last, std::size_t worker) {
    std::uint32_t* words = context.scratch->words(worker, padded_words((width + 3) / 4));
    for (std::size_t row = first; row < last; ++row) {
      drop_row<T>(call.site, row, width, context.at(call.in, row), context.at(call.out, row), GradientMode::overwrite,
                  words, context);
    }
  });
}

template <class T>
void backward(const DropoutBackward& call, const Context<T>& context) {
  if (!call.in_gradient.wanted()) return;
  const auto width = static_cast<std::size_t>(call.call.in.width);
  context.for_row_tiles(width, [&](std::size_t first, std::size_t last, std::size_t worker) {
    std::uint32_t* words = context.scratch->words(worker, padded_words((width + 3) / 4));
    for (std::size_t row = first; row < last; ++row) {
      drop_row<T>(call.call.site, row, width, context.gradient_at(call.out_gradient, row),
                  context.gradient_at(call.in_gradient.view, row), call.in_gradient.mode, words, context);
    }
  });
}

}  // namespace hyseq::kernels::dense
