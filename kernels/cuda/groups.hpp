// Rows in groups of four neighbouring columns, which a thread reads and writes at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kernels/cuda/context.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/cuda/pack.hpp"

namespace hyseq::kernels::cuda {
inline namespace HYSEQ_CUDA_DEVICE {

inline constexpr unsigned kGroup = 4;

template <class T>
using Group = Pack<T, kGroup>;

/// Columns seen as groups: group g has columns 4 g .. 4 g + 3, those of them that there are. Where all rows begin at
/// multiples of 16 bytes, a whole group is one access.
template <class T>
class Groups {
 public:
  using Number = std::remove_const_t<T>;

  Groups() = default;
  explicit Groups(const Columns<T>& columns)
      : columns_(columns),
        aligned_(reinterpret_cast<std::uintptr_t>(columns.data.data()) % 16 == 0 &&
                 columns.stride * sizeof(T) % 16 == 0) {}

  [[nodiscard]] HYSEQ_EVERYWHERE unsigned width() const { return columns_.width; }
  [[nodiscard]] HYSEQ_EVERYWHERE unsigned count() const { return (columns_.width + kGroup - 1) / kGroup; }
  /// Columns of a group.
  [[nodiscard]] HYSEQ_DEVICE unsigned size(unsigned group) const {
    const unsigned rest = columns_.width - kGroup * group;
    return rest < kGroup ? rest : kGroup;
  }
  [[nodiscard]] HYSEQ_DEVICE T& at(std::size_t row, std::size_t i) const { return columns_.at(row, i); }

  /// Zeros in place of columns that there are not.
  [[nodiscard]] HYSEQ_DEVICE Group<Number> load(std::size_t row, unsigned group) const {
    const unsigned n = size(group);
    if (aligned_ && n == kGroup) return *reinterpret_cast<const Group<Number>*>(whole(row, group));
    Group<Number> result;
    for (unsigned k = 0; k < kGroup; ++k) result[k] = k < n ? columns_.at(row, kGroup * group + k) : Number(0);
    return result;
  }
  HYSEQ_DEVICE void store(std::size_t row, unsigned group, const Group<Number>& values) const {
    const unsigned n = size(group);
    if (aligned_ && n == kGroup) {
      *reinterpret_cast<Group<Number>*>(whole(row, group)) = values;
    } else {
      for (unsigned k = 0; k < n; ++k) columns_.at(row, kGroup * group + k) = values[k];
    }
  }

 private:
  /// The first of four columns, the last of which lies inside as well.
  [[nodiscard]] HYSEQ_DEVICE T* whole(std::size_t row, unsigned group) const {
    return &columns_.at(row, kGroup * group + kGroup - 1) - (kGroup - 1);
  }

  Columns<T> columns_;
  bool aligned_ = false;
};

/// One parameter of all members, a row each.
template <class T>
[[nodiscard]] Groups<T> groups_of(const MemberArray<T>& array) {
  return Groups<T>({array.data, array.step, static_cast<unsigned>(array.size)});
}

/// Where a gradient goes, and how.
template <class T>
class GroupSink {
 public:
  GroupSink(const GradientView& gradient, const Context<T>& context)
      : wanted_(gradient.wanted()), accumulate_(gradient.mode == GradientMode::accumulate) {
    if (wanted_) groups_ = Groups<T>(context.gradient_at(gradient.view));
  }

  [[nodiscard]] HYSEQ_DEVICE bool wanted() const { return wanted_; }
  HYSEQ_DEVICE void put(std::size_t row, unsigned group, Group<T> values) const {
    if (accumulate_) {
      const Group<T> old = groups_.load(row, group);
      for (unsigned k = 0; k < kGroup; ++k) values[k] = old[k] + values[k];
    }
    groups_.store(row, group, values);
  }

 private:
  Groups<T> groups_;
  bool wanted_;
  bool accumulate_;
};

/// body(row, group) for all groups of all rows. A block has a tile of rows.
template <class Body>
struct OverGroups {
  static constexpr bool kCooperative = false;
  Body body;
  std::size_t rows;
  unsigned groups;
  unsigned tile;

  HYSEQ_DEVICE void operator()(const Thread& thread) const {
    const std::size_t first = std::size_t{thread.block().x} * tile;
    const auto count = static_cast<unsigned>(rows - first < tile ? rows - first : tile);
    for (unsigned i = thread.index(); i < count * groups; i += thread.count()) {
      const unsigned row = i / groups;
      body(first + row, i - row * groups);
    }
  }
};

/// body: a copyable struct with a device call operator (row, group), for rows of `width` columns.
template <class Body>
void for_groups(Stream& stream, std::size_t rows, unsigned width, const Body& body) {
  constexpr unsigned kThreads = 256;
  const unsigned groups = (width + kGroup - 1) / kGroup;
  const unsigned tile = groups < kThreads ? kThreads / groups : 1;
  // Rounds of a block are alike: 260 groups take two rounds of 160 threads, not one of 256 and one of 4.
  const unsigned rounds = (tile * groups + kThreads - 1) / kThreads;
  const unsigned threads = ((tile * groups + rounds - 1) / rounds + kWarp - 1) / kWarp * kWarp;
  launch(stream, {blocks(rows, tile), threads, 0}, OverGroups<Body>{body, rows, groups, tile});
}

}  // namespace HYSEQ_CUDA_DEVICE
}  // namespace hyseq::kernels::cuda
