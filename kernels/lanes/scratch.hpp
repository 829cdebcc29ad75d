// Working memory of one thread: a stack of aligned pieces that grows on first use and then stays.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <vector>

#include <sys/mman.h>

namespace hyseq::kernels {

/// Aligned for every vector type, and on large pages where the system has them: a step walks through some megabytes in
/// strides, which is more small pages than the processor keeps at hand. Not initialised.
template <class T>
class AlignedArray {
 public:
  AlignedArray() = default;
  explicit AlignedArray(std::size_t size) : data_(allocate(std::max<std::size_t>(size, 1) * sizeof(T))), size_(size) {}
  AlignedArray(std::size_t size, T value) : AlignedArray(size) { std::fill_n(data(), size, value); }

  [[nodiscard]] T* data() { return data_.get(); }
  [[nodiscard]] const T* data() const { return data_.get(); }
  [[nodiscard]] std::size_t size() const { return size_; }
  /// NaN everywhere, so that a test sees whatever is read without having been written.
  void poison() { std::fill_n(data(), size_, std::numeric_limits<T>::quiet_NaN()); }

 private:
  static constexpr std::size_t kLine = 64;
  static constexpr std::size_t kLargePage = std::size_t{2} << 20;

  static T* allocate(std::size_t bytes) {
    const std::size_t alignment = bytes < kLargePage ? kLine : kLargePage;
    const std::size_t whole = (bytes + kLine - 1) / kLine * kLine;
    void* memory = nullptr;
    if (posix_memalign(&memory, alignment, whole) != 0) throw std::bad_alloc();
#if defined(MADV_HUGEPAGE)
    // What is left behind the last large page stays on small ones. A refusal costs time and nothing else.
    if (alignment == kLargePage) (void)madvise(memory, whole / kLargePage * kLargePage, MADV_HUGEPAGE);
#endif
    return static_cast<T*>(memory);
  }
  struct Free {
    void operator()(T* memory) const { std::free(memory); }
  };

  std::unique_ptr<T[], Free> data_;
  std::size_t size_ = 0;
};

/// take() hands out memory until the enclosing Scope ends. Pieces never move. Not thread-safe: one per thread.
template <class T>
class Scratch {
 public:
  /// Everything taken while a Scope lives is given back when it ends.
  class Scope {
   public:
    explicit Scope(Scratch& scratch) : scratch_(scratch), block_(scratch.block_), used_(scratch.used_) {}
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope() {
      scratch_.block_ = block_;
      scratch_.used_ = used_;
    }

   private:
    Scratch& scratch_;
    std::size_t block_;
    std::size_t used_;
  };

  /// `count` numbers, aligned to 64 bytes. Not initialised.
  [[nodiscard]] T* take(std::size_t count) {
    constexpr std::size_t kAlign = 64 / sizeof(T);
    const std::size_t needed = (count + kAlign - 1) / kAlign * kAlign;
    while (block_ < blocks_.size() && used_ + needed > blocks_[block_].size()) {
      ++block_;
      used_ = 0;
    }
    if (block_ == blocks_.size()) {
      blocks_.emplace_back(std::max(needed, kBlock));
      used_ = 0;
    }
    T* piece = blocks_[block_].data() + used_;
    used_ += needed;
    return piece;
  }

  void poison() {
    for (AlignedArray<T>& block : blocks_) block.poison();
  }

 private:
  static constexpr std::size_t kBlock = std::size_t{1} << 15;
  std::vector<AlignedArray<T>> blocks_;
  std::size_t block_ = 0;
  std::size_t used_ = 0;
};

}  // namespace hyseq::kernels
