// Scratch memory of a session: partial sums and the like, which a body writes and reads within its own call.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include "kernels/cuda/device.hpp"

namespace hyseq::kernels::cuda {
inline namespace HYSEQ_CUDA_DEVICE {

/// Memory that calls on one stream take in turns. It grows where a call needs more than any call before, and what it
/// has handed out stays where it is: a recorded graph remains valid. A list of calls that has run once takes the same
/// memory when it runs again, so a step that is recorded after it has run allocates nothing while it is recorded.
///
///   const Workspace::Scope scope(*context.workspace);
///   const Span<T> partials = context.workspace->take<T>(slabs * width);
class Workspace {
 public:
  /// Gives back what is taken while it lives. The kernels launched until then have come before all that follow on the
  /// stream, so that nobody need wait for them.
  class Scope {
   public:
    explicit Scope(Workspace& workspace) : workspace_(workspace), block_(workspace.block_), used_(workspace.used_) {}
    ~Scope() {
      workspace_.block_ = block_;
      workspace_.used_ = used_;
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Workspace& workspace_;
    std::size_t block_;
    std::size_t used_;
  };

  Workspace() = default;
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  /// `count` elements, not initialised (on the emulated device: all bits set), 256-byte aligned among each other.
  template <class T>
  [[nodiscard]] Span<T> take(std::size_t count) {
    const Span<std::byte> memory = take_bytes(count * sizeof(T));
    return {reinterpret_cast<T*>(memory.data()), count};
  }

  /// Device memory held.
  [[nodiscard]] std::size_t bytes() const {
    std::size_t sum = 0;
    for (const DeviceArray<std::byte>& block : blocks_) sum += block.size();
    return sum;
  }

 private:
  static constexpr std::size_t kAlignment = 256;
  static constexpr std::size_t kLeast = std::size_t{1} << 20;

  [[nodiscard]] Span<std::byte> take_bytes(std::size_t bytes) {
    const std::size_t padded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    while (block_ < blocks_.size() && padded > blocks_[block_].size() - used_) {
      ++block_;
      used_ = 0;
    }
    if (block_ == blocks_.size()) {
      blocks_.emplace_back(std::max({kLeast, padded, blocks_.empty() ? 0 : 2 * blocks_.back().size()}));
    }
    const Span<std::byte> memory = blocks_[block_].span().from(used_, bytes);
    used_ += padded;
#if !defined(__CUDACC__)
    if (bytes > 0) std::memset(memory.data(), 0xff, bytes);
#endif
    return memory;
  }

  std::vector<DeviceArray<std::byte>> blocks_;
  std::size_t block_ = 0;  // where the next elements come from
  std::size_t used_ = 0;   // of that block
};

}  // namespace HYSEQ_CUDA_DEVICE
}  // namespace hyseq::kernels::cuda
