#include "proofs_check/lower_bounds/hamming.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>

#include "kernels/base/error.hpp"

namespace hyseq::proofs_check {

std::uint64_t Nearest::errors() const { return std::accumulate(distance.begin(), distance.end(), std::uint64_t{0}); }

HammingSpace::HammingSpace(int letters, int length) : letters_(letters), length_(length) {
  constexpr std::uint64_t kMostWords = std::uint64_t{1} << 22;
  std::uint64_t size = 1;
  for (int i = 0; i < length && size <= kMostWords; ++i) {
    places_.push_back(static_cast<std::uint32_t>(size));
    size *= static_cast<std::uint64_t>(std::max(letters, 1));
  }
  if (letters < 2 || letters > 36 || length < 1 || size > kMostWords) {
    throw InputError("words of " + std::to_string(length) + " letters out of " + std::to_string(letters) +
                     " must be at least one of 2 to 36 letters, and no more than 4,194,304 of them");
  }
  size_ = static_cast<std::uint32_t>(size);
}

int HammingSpace::distance(Word a, Word b) const {
  int different = 0;
  for (int i = 0; i < length_; ++i) different += letter(a, i) != letter(b, i) ? 1 : 0;
  return different;
}

Nearest HammingSpace::nearest(const Code& code, RandomStream* random) const {
  constexpr std::uint8_t kFar = 200;
  Nearest result{std::vector<std::uint8_t>(size_, kFar), std::vector<std::uint32_t>(size_, 0)};
  for (std::size_t i = 0; i < code.size(); ++i) {
    result.distance[code[i]] = 0;
    result.owner[code[i]] = static_cast<std::uint32_t>(i);
  }
  std::vector<int> passes(static_cast<std::size_t>(length_));
  std::iota(passes.begin(), passes.end(), 0);
  if (random != nullptr) random->shuffle(std::span<int>(passes));
  const auto letters = static_cast<std::uint32_t>(letters_);
  for (const int position : passes) {
    const std::uint32_t step = place(position);
    for (std::uint32_t block = 0; block < size_; block += step * letters) {
      for (std::uint32_t low = block; low < block + step; ++low) {
        std::uint32_t best = low;
        std::uint32_t ties = 1;
        for (std::uint32_t a = 1; a < letters; ++a) {
          const std::uint32_t other = low + a * step;
          if (result.distance[other] < result.distance[best]) {
            best = other;
            ties = 1;
          } else if (random != nullptr && result.distance[other] == result.distance[best] &&
                     random->below(++ties) == 0) {
            best = other;
          }
        }
        const auto reach = static_cast<std::uint8_t>(result.distance[best] + 1);
        const std::uint32_t owner = result.owner[best];
        for (std::uint32_t a = 0; a < letters; ++a) {
          const std::uint32_t other = low + a * step;
          if (result.distance[other] <= reach) continue;
          result.distance[other] = reach;
          result.owner[other] = owner;
        }
      }
    }
  }
  return result;
}

std::uint64_t sphere_errors(int letters, int length, std::uint64_t states) {
  const HammingSpace space(letters, length);
  std::uint64_t left = space.size();
  std::uint64_t errors = 0;
  std::uint64_t ring = 1;  // C(N, w) (M-1)^w
  for (int w = 0; w <= length && left > 0; ++w) {
    const std::uint64_t taken = std::min(left, states * ring);
    errors += static_cast<std::uint64_t>(w) * taken;
    left -= taken;
    ring = ring * static_cast<std::uint64_t>(length - w) * static_cast<std::uint64_t>(letters - 1) /
           static_cast<std::uint64_t>(w + 1);
  }
  return errors;
}

}  // namespace hyseq::proofs_check
