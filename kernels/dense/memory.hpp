// Memory of the dense engine: aligned arrays, scratch, and what forward calls keep for their backward calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace hyseq::kernels::dense {

/// Every array starts at a cache line, so that vectors of rows whose width is a multiple of 16 never straddle two.
template <class T>
struct AlignedAllocator {
  using value_type = T;
  static constexpr std::align_val_t kAlignment{64};

  AlignedAllocator() = default;
  template <class U>
  explicit AlignedAllocator(const AlignedAllocator<U>& /*other*/) {}

  [[nodiscard]] T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new(count * sizeof(T), kAlignment));
  }
  void deallocate(T* memory, std::size_t /*count*/) { ::operator delete(memory, kAlignment); }
  template <class U>
  bool operator==(const AlignedAllocator<U>& /*other*/) const {
    return true;
  }
};

template <class T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

/// Scratch memory: a piece per thread for the tasks of a call, and one that the tasks of a call share. Contents are
/// anything.
template <class T>
class Scratch {
 public:
  explicit Scratch(std::size_t threads) : own_(threads), words_(threads) {}

  /// `count` numbers for the task that runs on `worker`; the next task's are the same ones.
  [[nodiscard]] T* own(std::size_t worker, std::size_t count) { return grown(own_[worker], count); }
  /// Likewise `count` random words, beside the numbers.
  [[nodiscard]] std::uint32_t* words(std::size_t worker, std::size_t count) { return grown(words_[worker], count); }
  /// `count` numbers for all tasks of a call, to be asked for before they start.
  [[nodiscard]] T* shared(std::size_t count) { return grown(shared_, count); }

 private:
  template <class Number>
  static Number* grown(AlignedVector<Number>& memory, std::size_t count) {
    if (memory.size() < count) memory.resize(count);
    return memory.data();
  }
  std::vector<AlignedVector<T>> own_;
  std::vector<AlignedVector<std::uint32_t>> words_;
  AlignedVector<T> shared_;
};

/// What a stateful operation's forward call leaves to its backward call: states at the checkpoints of a scan, maximum
/// and sum of attention rows. One per carry of the program.
template <class T>
struct Kept {
  AlignedVector<T> values;
  bool valid = false;
};

}  // namespace hyseq::kernels::dense
