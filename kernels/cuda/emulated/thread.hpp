// What a kernel sees of the emulated device: its place in the grid, memory, barriers and shuffles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/cuda/emulated/block.hpp"
#include "kernels/cuda/shape.hpp"

namespace hyseq::kernels::cuda {
inline namespace HYSEQ_CUDA_DEVICE {

/// Global memory of known size. Throws DeviceFault where an index lies outside.
template <class T>
class Span {
 public:
  Span() = default;
  Span(T* data, std::size_t size) : data_(data), size_(size) {}
  // NOLINTNEXTLINE(google-explicit-constructor): as with std::span
  operator Span<const T>() const { return {data_, size_}; }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] T& operator[](std::size_t index) const {
    if (index >= size_) fault_outside("global", index, size_);
    return data_[index];
  }
  [[nodiscard]] Span from(std::size_t first, std::size_t count) const {
    if (first > size_ || count > size_ - first) fault_outside("global", first + count, size_ + 1);
    return {data_ + first, count};
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// An element of shared memory: reads and writes go through the block's record of who touched it since the barrier.
template <class T>
class SharedElement {
 public:
  SharedElement(ThreadBlock& block, std::byte* address) : block_(block), address_(address) {}
  SharedElement(const SharedElement&) = default;
  // NOLINTNEXTLINE(google-explicit-constructor): stands for the element
  operator T() const {
    block_.note_read(address_, sizeof(T));
    T value;
    std::memcpy(&value, address_, sizeof(T));
    return value;
  }
  // The element changes and not what stands for it.
  // NOLINTBEGIN(misc-unconventional-assign-operator,bugprone-unhandled-self-assignment)
  const SharedElement& operator=(T value) const {
    block_.note_write(address_, sizeof(T));
    std::memcpy(address_, &value, sizeof(T));
    return *this;
  }
  const SharedElement& operator=(const SharedElement& other) const { return *this = static_cast<T>(other); }
  // NOLINTEND(misc-unconventional-assign-operator,bugprone-unhandled-self-assignment)
  const SharedElement& operator+=(T value) const { return *this = static_cast<T>(*this) + value; }
  const SharedElement& operator*=(T value) const { return *this = static_cast<T>(*this) * value; }

 private:
  ThreadBlock& block_;
  std::byte* address_;
};

/// An array in shared memory. Throws DeviceFault where an index lies outside, and where two threads touch an element
/// between the same two barriers and one of them writes.
template <class T>
class Shared {
 public:
  Shared(ThreadBlock& block, std::byte* first, std::size_t size) : block_(&block), first_(first), size_(size) {}
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] SharedElement<T> operator[](std::size_t index) const {
    if (index >= size_) fault_outside("shared", index, size_);
    return {*block_, first_ + index * sizeof(T)};
  }
  [[nodiscard]] Shared from(std::size_t first, std::size_t count) const {
    if (first > size_ || count > size_ - first) fault_outside("shared", first + count, size_ + 1);
    return {*block_, first_ + first * sizeof(T), count};
  }

 private:
  ThreadBlock* block_;
  std::byte* first_;
  std::size_t size_;
};

class Thread {
 public:
  Thread(ThreadBlock& block, unsigned index) : block_(&block), index_(index) {}

  [[nodiscard]] unsigned index() const { return index_; }             // in the block
  [[nodiscard]] unsigned count() const { return block_->threads(); }  // of a block
  [[nodiscard]] unsigned lane() const { return index_ % kWarp; }
  [[nodiscard]] unsigned warp() const { return index_ / kWarp; }
  [[nodiscard]] Extent block() const { return block_->place(); }
  [[nodiscard]] Extent grid() const { return block_->grid(); }
  [[nodiscard]] std::size_t global_index() const { return std::size_t{block().x} * count() + index_; }

  /// All threads of the block have come here, and see what the others wrote before.
  void barrier(Site site = Site::current()) const { block_->barrier(index_, site); }

  /// `value` of the thread of the warp with this lane. All threads of the warp call; T: a number of 4 or 8 bytes.
  template <class T>
  [[nodiscard]] T shuffle(T value, unsigned lane, Site site = Site::current()) const {
    static_assert(std::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8));
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    bits = block_->shuffle(index_, bits, lane % kWarp, site);
    std::memcpy(&value, &bits, sizeof(T));
    return value;
  }
  template <class T>
  [[nodiscard]] T shuffle_xor(T value, unsigned mask, Site site = Site::current()) const {
    return shuffle(value, lane() ^ mask, site);
  }

  /// `count` elements of the block's shared memory from `first_byte` on, which is a multiple of sizeof(T). Not
  /// initialised (here: poisoned).
  template <class T>
  [[nodiscard]] Shared<T> shared(std::size_t first_byte, std::size_t count) const {
    static_assert(sizeof(T) % 4 == 0 && alignof(T) <= 16);  // races are told by words
    return {*block_, block_->shared(first_byte, count * sizeof(T), sizeof(T)), count};
  }

 private:
  ThreadBlock* block_;
  unsigned index_;
};

}  // namespace HYSEQ_CUDA_DEVICE
}  // namespace hyseq::kernels::cuda
