// One block of the emulated device: its threads as fibers, its shared memory, its barriers and shuffles, and the checks
// that a GPU does not make.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/cuda/shape.hpp"

namespace hyseq::kernels::cuda::inline HYSEQ_CUDA_DEVICE {

/// A kernel broke a rule of the device: an index outside its memory, a barrier or shuffle that not all threads reach,
/// a race through shared memory. The message names the rule, the threads and the block.
class DeviceFault : public std::logic_error {
  using std::logic_error::logic_error;
};

[[noreturn]] void fault_outside(const char* memory, std::size_t index, std::size_t size);

/// Runs the threads of one block after the other. Between two barriers each runs alone, in an order that changes from
/// block to block and from barrier to barrier.
class Block {
 public:
  /// shape.shared_bytes of shared memory.
  explicit Block(const Shape& shape);
  ~Block();
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  /// Runs body(thread index) for all threads of the block at `place`, as fibers where `cooperative`. Throws what a body
  /// throws, and DeviceFault.
  void run(Extent place, bool cooperative, const std::function<void(unsigned)>& body);

  [[nodiscard]] unsigned threads() const { return shape_.threads; }
  [[nodiscard]] Extent place() const { return place_; }
  [[nodiscard]] Extent grid() const { return shape_.grid; }

  void barrier(unsigned thread);
  [[nodiscard]] std::uint64_t shuffle(unsigned thread, std::uint64_t bits, unsigned lane);
  [[nodiscard]] std::byte* shared(std::size_t first_byte, std::size_t bytes, std::size_t alignment);
  void note_read(const std::byte* address, std::size_t bytes);
  void note_write(const std::byte* address, std::size_t bytes);

 private:
  class Fibers;
  /// Who touched a word of shared memory last, and before which barrier. Epoch 0: never.
  struct Touch {
    std::uint32_t written_in = 0;
    std::uint32_t read_in = 0;
    std::uint16_t writer = 0;
    std::uint16_t reader = 0;
    bool many_readers = false;
  };
  static constexpr std::size_t kWord = 4;

  [[noreturn]] void fault_race(const char* what, const Touch& touch, unsigned other, std::size_t word) const;
  [[nodiscard]] std::string here() const;

  Shape shape_;
  Extent place_;
  std::vector<std::byte> memory_;
  std::vector<Touch> touched_;  // per word of memory_
  std::uint32_t epoch_ = 1;     // barriers passed, and 1
  unsigned current_ = 0;        // the thread that runs
  std::unique_ptr<Fibers> fibers_;
};

}  // namespace hyseq::kernels::cuda::inline HYSEQ_CUDA_DEVICE
