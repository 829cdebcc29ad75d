// One block of the emulated device: its threads as fibers, its shared memory, its barriers and shuffles, and the checks
// that a GPU does not make.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/cuda/emulated/fibers.hpp"
#include "kernels/cuda/emulated/order.hpp"
#include "kernels/cuda/emulated/site.hpp"
#include "kernels/cuda/shape.hpp"

namespace hyseq::kernels::cuda {
inline namespace HYSEQ_CUDA_DEVICE {

/// A kernel broke a rule of the device: an index outside its memory, a barrier or shuffle that not all threads reach,
/// a race through shared memory. The message names the rule, the threads and the block.
class DeviceFault : public std::logic_error {
  using std::logic_error::logic_error;
};

[[noreturn]] void fault_outside(const char* memory, std::size_t index, std::size_t size);

/// Runs the threads of one block after the other. Between two barriers or shuffles each runs alone, in an order that
/// changes all the time. One object serves all blocks that a thread of the host runs.
class ThreadBlock {
 public:
  [[nodiscard]] static ThreadBlock& of_this_thread();

  /// A new kernel. Cooperative: its threads are fibers and have shape.shared_bytes of shared memory.
  void begin(const Shape& shape, bool cooperative);
  /// Runs body(thread index) for all threads of the block at `place`; where they do not work together one after the
  /// other, from the last one `backward`. Throws what a body throws, and DeviceFault; the next block starts afresh.
  template <class Body>
  void run(Extent place, bool backward, const Body& body) {
    place_ = place;
    if (cooperative_) {
      run_fibers(std::cref(body));
      return;
    }
    for (unsigned i = 0; i < shape_.threads; ++i) {
      current_ = backward ? shape_.threads - 1 - i : i;
      body(current_);
    }
  }

  [[nodiscard]] unsigned threads() const { return shape_.threads; }
  [[nodiscard]] Extent place() const { return place_; }
  [[nodiscard]] Extent grid() const { return shape_.grid; }
  [[nodiscard]] Order& order() { return order_; }
  /// "thread 3 of block (0, 1, 0)", the one that runs or ran last.
  [[nodiscard]] std::string here() const;

  void barrier(unsigned thread, const Site& site);
  [[nodiscard]] std::uint64_t shuffle(unsigned thread, std::uint64_t bits, unsigned lane, const Site& site);
  [[nodiscard]] std::byte* shared(std::size_t first_byte, std::size_t bytes, std::size_t alignment);
  /// The thread that runs reads or writes [address, address + bytes) of the shared memory.
  void note_read(const std::byte* address, std::size_t bytes) {
    const std::size_t first = word_of(address);
    for (std::size_t word = first; word * kWord < first * kWord + bytes; ++word) note_read(word);
  }
  void note_write(const std::byte* address, std::size_t bytes) {
    const std::size_t first = word_of(address);
    for (std::size_t word = first; word * kWord < first * kWord + bytes; ++word) note_write(word);
  }

 private:
  enum class State : std::uint8_t { fresh, ready, barrier, shuffle, done };
  struct Waiting {
    State state = State::fresh;
    Site site;                            // where it waits
    std::array<std::uint64_t, 2> bits{};  // the next shuffle may begin before all have read this one's
    unsigned shuffles = 0;
  };
  /// Who touched a word of shared memory last, and before which barrier. Epoch 0: never.
  struct Touch {
    std::uint32_t written_in = 0;
    std::uint32_t read_in = 0;
    std::uint16_t writer = 0;
    std::uint16_t reader = 0;
    bool many_readers = false;
  };
  static constexpr std::size_t kWord = 4;

  void run_fibers(const std::function<void(unsigned)>& body);
  void run_until_all_wait();
  void run_warp(unsigned first);
  void stop(unsigned thread, State state, const Site& site);
  void abandon();
  void next_epoch();
  [[noreturn]] void fault_meeting() const;
  [[noreturn]] void fault_unwritten(std::size_t word) const;
  [[noreturn]] void fault_race(const char* what, const Touch& touch, unsigned other, std::size_t word) const;

  [[nodiscard]] std::size_t word_of(const std::byte* address) const {
    return static_cast<std::size_t>(address - memory_.data()) / kWord;
  }
  void note_read(std::size_t word) {
    Touch& touch = touched_[word];
    if (touch.written_in < first_epoch_) fault_unwritten(word);
    if (touch.written_in == epoch_ && touch.writer != current_) fault_race("reads", touch, touch.writer, word);
    if (touch.read_in == epoch_) {
      touch.many_readers = touch.many_readers || touch.reader != current_;
    } else {
      touch.read_in = epoch_;
      touch.many_readers = false;
      touch.reader = static_cast<std::uint16_t>(current_);
    }
  }
  void note_write(std::size_t word) {
    Touch& touch = touched_[word];
    if (touch.written_in == epoch_ && touch.writer != current_) fault_race("writes", touch, touch.writer, word);
    if (touch.read_in == epoch_ && (touch.many_readers || touch.reader != current_)) {
      fault_race("writes", touch, touch.reader, word);
    }
    touch.written_in = epoch_;
    touch.writer = static_cast<std::uint16_t>(current_);
  }

  Shape shape_;
  bool cooperative_ = false;
  Extent place_;
  unsigned current_ = 0;  // the thread that runs

  std::vector<std::byte> memory_;
  std::vector<Touch> touched_;     // per word of memory_
  std::uint32_t epoch_ = 1;        // barriers and blocks so far
  std::uint32_t first_epoch_ = 1;  // of this block

  std::vector<Waiting> threads_;
  Order order_;
  std::exception_ptr failure_;
  bool abandoned_ = false;
  Fibers fibers_;
};

}  // namespace HYSEQ_CUDA_DEVICE
}  // namespace hyseq::kernels::cuda
