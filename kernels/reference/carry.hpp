// What the reference engine hands from one piece of a sequence to the next.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "kernels/program.hpp"

namespace hyseq::kernels {

/// Where each carry of a program lies within a row's block of numbers.
///   scan state:  [channels][states]
///   conv tail:   [kernel - 1][channels], oldest first
///   attention:   a ring of `slots` positions; keys [channels][slots], then values [slots][channels]. Position t lies
///   in slot
///                t mod slots. Keys are stored by channel, so that scores of neighbouring slots vectorise.
struct CarryLayout {
  struct Entry {
    std::size_t offset = 0;
    std::size_t size = 0;
    int slots = 0;
  };
  std::vector<Entry> entries;
  std::size_t stride = 0;

  /// `longest` bounds the tokens a row will ever see, so that full attention needs no more slots than that.
  CarryLayout(const Program& program, std::uint64_t longest) {
    for (const CarryInfo& carry : program.carries) {
      Entry entry;
      entry.offset = stride;
      const auto channels = static_cast<std::size_t>(carry.channels);
      if (carry.kind == CarryKind::attention) {
        entry.slots = static_cast<int>(std::min<std::uint64_t>(static_cast<std::uint64_t>(carry.depth), longest));
        entry.size = 2 * channels * static_cast<std::size_t>(entry.slots);
      } else {
        entry.size = channels * static_cast<std::size_t>(carry.depth);
      }
      stride += entry.size;
      entries.push_back(entry);
    }
  }
};

/// Carries of `rows` independent sequences. `position` counts the tokens seen in the row's current segment.
template <class Scalar>
struct Carry {
  std::size_t stride = 0;
  std::vector<Scalar> data;
  std::vector<std::uint64_t> position;
  std::vector<std::int32_t> segment;

  Carry() = default;
  Carry(std::size_t rows, std::size_t row_stride, Scalar zero)
      : stride(row_stride), data(rows * row_stride, zero), position(rows, 0), segment(rows, 0) {}

  [[nodiscard]] std::size_t rows() const { return position.size(); }
  [[nodiscard]] Scalar* row(std::size_t index) { return data.data() + index * stride; }
  [[nodiscard]] const Scalar* row(std::size_t index) const { return data.data() + index * stride; }

  void copy_row(std::size_t to, const Carry& from, std::size_t index) {
    std::copy_n(from.row(index), stride, row(to));
    position[to] = from.position[index];
    segment[to] = from.segment[index];
  }
};

}  // namespace hyseq::kernels
