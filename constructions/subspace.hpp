// Named subspaces of the model width, and codes of integers in them.
#pragma once

#include <string>
#include <vector>

namespace hyseq::constructions {

/// Coordinates [offset, offset + width) of the model width.
struct Subspace {
  std::string name;
  int offset = 0;
  int width = 0;

  [[nodiscard]] int at(int i) const { return offset + i; }
};

/// Hands out the coordinates of a model one subspace after another, and remembers what each row means.
class Layout {
 public:
  Subspace add(std::string name, int width) {
    Subspace subspace{std::move(name), width_, width};
    width_ += width;
    for (int i = 0; i < width; ++i) {
      labels_.push_back(width == 1 ? subspace.name : subspace.name + " " + std::to_string(i));
    }
    return subspace;
  }

  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] const std::vector<std::string>& labels() const { return labels_; }

 private:
  int width_ = 0;
  std::vector<std::string> labels_;
};

/// ceil(log2(count)), at least 1: the bits that tell `count` things apart.
[[nodiscard]] constexpr int code_bits(long long count) {
  int bits = 1;
  while ((1LL << bits) < count) ++bits;
  return bits;
}

/// Bit i of `value` as +1 or -1, least significant first.
[[nodiscard]] constexpr double signed_bit(long long value, int i) { return ((value >> i) & 1) != 0 ? 1.0 : -1.0; }

}  // namespace hyseq::constructions
