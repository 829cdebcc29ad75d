#include "kernels/cuda/emulated/block.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <numeric>
#include <random>
#include <span>
#include <utility>

#include <boost/context/fiber.hpp>
#include <boost/context/pooled_fixedsize_stack.hpp>

#include "kernels/cuda/emulated/stream.hpp"

namespace hyseq::kernels::cuda::inline HYSEQ_CUDA_DEVICE {
namespace {

std::string text(Extent extent) {
  return "(" + std::to_string(extent.x) + ", " + std::to_string(extent.y) + ", " + std::to_string(extent.z) + ")";
}

}  // namespace

void fault_outside(const char* memory, std::size_t index, std::size_t size) {
  throw DeviceFault("index " + std::to_string(index) + " of " + std::to_string(size) + " elements of " + memory +
                    " memory");
}

void check_shape(const Shape& shape, bool cooperative, std::size_t argument_bytes) {
  // The limits of compute capability 8.0, the least that hyseq runs on.
  if (shape.threads == 0 || shape.threads > 1024 || (cooperative && shape.threads % kWarp != 0)) {
    throw DeviceFault("a block has " + std::to_string(shape.threads) +
                      " threads; allowed are 1 to 1,024, and whole warps where they work together");
  }
  if (shape.shared_bytes > 163 * 1024) {
    throw DeviceFault("a block asks for " + std::to_string(shape.shared_bytes) + " bytes of shared memory of 166,912");
  }
  if (argument_bytes > 4096)
    throw DeviceFault("a kernel has " + std::to_string(argument_bytes) + " bytes of arguments");
  if (shape.grid.x == 0 || shape.grid.y == 0 || shape.grid.z == 0 || shape.grid.y > 65535 || shape.grid.z > 65535) {
    throw DeviceFault("a grid of " + text(shape.grid) +
                      " blocks; allowed are 1 to 65,535 in the second and third place");
  }
}

/// The threads of a block as fibers that outlive it: each runs the body once per block and waits for the next.
class Block::Fibers {
 public:
  Fibers(Block& block, unsigned count) : block_(block), threads_(count), order_(count) {
    std::iota(order_.begin(), order_.end(), 0U);
    for (unsigned i = 0; i < count; ++i) {
      threads_[i].fiber = boost::context::fiber(std::allocator_arg, stacks_, [this, i](boost::context::fiber&& back) {
        scheduler_ = std::move(back);
        for (;;) {
          try {
            (*body_)(i);
          } catch (const boost::context::detail::forced_unwind&) {
            throw;
          } catch (...) {
            failure_ = std::current_exception();
          }
          stop(i, State::done);
        }
        return std::move(scheduler_);
      });
    }
  }

  void run(const std::function<void(unsigned)>& body) {
    body_ = &body;
    for (Waiting& thread : threads_) thread.state = State::ready;
    for (;;) {
      std::ranges::shuffle(order_, random_);
      for (const unsigned i : order_) {
        if (threads_[i].state == State::ready) resume(i);
        if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
      }
      if (release_warps()) continue;
      if (all(State::done)) return;
      if (!all(State::barrier)) fault();
      ++block_.epoch_;
      for (Waiting& thread : threads_) thread.state = State::ready;
    }
  }

  void barrier(unsigned thread) { stop(thread, State::barrier); }

  std::uint64_t shuffle(unsigned thread, std::uint64_t bits, unsigned lane) {
    const std::size_t turn = threads_[thread].shuffles++ % 2;
    threads_[thread].bits[turn] = bits;
    stop(thread, State::shuffle);
    return threads_[thread / kWarp * kWarp + lane].bits[turn];
  }

 private:
  enum class State { ready, barrier, shuffle, done };
  struct Waiting {
    boost::context::fiber fiber;
    State state = State::ready;
    std::array<std::uint64_t, 2> bits{};  // the next shuffle may begin before all have read this one's
    std::size_t shuffles = 0;
  };

  void resume(unsigned i) {
    block_.current_ = i;
    threads_[i].fiber = std::move(threads_[i].fiber).resume();
  }
  void stop(unsigned i, State state) {
    threads_[i].state = state;
    scheduler_ = std::move(scheduler_).resume();
  }
  [[nodiscard]] bool all(State state) const {
    return std::ranges::all_of(threads_, [state](const Waiting& thread) { return thread.state == state; });
  }
  /// Lets warps go on whose threads have all come to a shuffle.
  bool release_warps() {
    bool released = false;
    for (std::size_t first = 0; first < threads_.size(); first += kWarp) {
      const auto warp = std::span(threads_).subspan(first, std::min<std::size_t>(kWarp, threads_.size() - first));
      if (!std::ranges::all_of(warp, [](const Waiting& thread) { return thread.state == State::shuffle; })) continue;
      for (Waiting& thread : warp) thread.state = State::ready;
      released = true;
    }
    return released;
  }
  [[noreturn]] void fault() const {
    std::string found;
    for (const auto& [state, what] :
         {std::pair{State::barrier, "at a barrier"}, std::pair{State::shuffle, "at a shuffle"},
          std::pair{State::done, "at the end"}}) {
      const auto at = [state = state](const Waiting& thread) { return thread.state == state; };
      const auto first = std::ranges::find_if(threads_, at);
      if (first == threads_.end()) continue;
      found += (found.empty() ? "" : ", ") + std::to_string(std::ranges::count_if(threads_, at)) + " (as thread " +
               std::to_string(first - threads_.begin()) + ") " + what;
    }
    throw DeviceFault("the threads of a block do not meet: " + found + block_.here());
  }

  Block& block_;
  boost::context::pooled_fixedsize_stack stacks_{std::size_t{64} << 10};
  std::vector<Waiting> threads_;
  std::vector<unsigned> order_;
  std::minstd_rand random_{1};
  boost::context::fiber scheduler_;
  const std::function<void(unsigned)>* body_ = nullptr;
  std::exception_ptr failure_;
};

Block::Block(const Shape& shape)
    : shape_(shape), memory_(shape.shared_bytes), touched_((shape.shared_bytes + kWord - 1) / kWord) {}
Block::~Block() = default;

void Block::run(Extent place, bool cooperative, const std::function<void(unsigned)>& body) {
  place_ = place;
  std::ranges::fill(memory_, std::byte{0xff});
  std::ranges::fill(touched_, Touch{});
  epoch_ = 1;
  if (cooperative) {
    if (!fibers_) fibers_ = std::make_unique<Fibers>(*this, shape_.threads);
    fibers_->run(body);
    return;
  }
  for (current_ = 0; current_ < shape_.threads; ++current_) body(current_);
}

void Block::barrier(unsigned thread) {
  if (!fibers_) throw DeviceFault("a barrier in a kernel that is not cooperative" + here());
  fibers_->barrier(thread);
}

std::uint64_t Block::shuffle(unsigned thread, std::uint64_t bits, unsigned lane) {
  if (!fibers_) throw DeviceFault("a shuffle in a kernel that is not cooperative" + here());
  return fibers_->shuffle(thread, bits, lane);
}

std::byte* Block::shared(std::size_t first_byte, std::size_t bytes, std::size_t alignment) {
  if (first_byte % alignment != 0) {
    throw DeviceFault("shared memory from byte " + std::to_string(first_byte) + " on holds no elements of " +
                      std::to_string(alignment) + " bytes" + here());
  }
  if (first_byte > memory_.size() || bytes > memory_.size() - first_byte) {
    throw DeviceFault("shared memory up to byte " + std::to_string(first_byte + bytes) + " of " +
                      std::to_string(memory_.size()) + here());
  }
  return memory_.data() + first_byte;
}

void Block::note_read(const std::byte* address, std::size_t bytes) {
  const auto first = static_cast<std::size_t>(address - memory_.data());
  for (std::size_t word = first / kWord; word * kWord < first + bytes; ++word) {
    Touch& touch = touched_[word];
    if (touch.written_in == 0) {
      throw DeviceFault("thread " + std::to_string(current_) + " reads word " + std::to_string(word) +
                        " of shared memory, which nobody wrote" + here());
    }
    if (touch.written_in == epoch_ && touch.writer != current_) fault_race("reads", touch, touch.writer, word);
    if (touch.read_in == epoch_) {
      touch.many_readers = touch.many_readers || touch.reader != current_;
    } else {
      touch.read_in = epoch_;
      touch.many_readers = false;
      touch.reader = static_cast<std::uint16_t>(current_);
    }
  }
}

void Block::note_write(const std::byte* address, std::size_t bytes) {
  const auto first = static_cast<std::size_t>(address - memory_.data());
  for (std::size_t word = first / kWord; word * kWord < first + bytes; ++word) {
    Touch& touch = touched_[word];
    if (touch.written_in == epoch_ && touch.writer != current_) fault_race("writes", touch, touch.writer, word);
    if (touch.read_in == epoch_ && (touch.many_readers || touch.reader != current_)) {
      fault_race("writes", touch, touch.reader, word);
    }
    touch.written_in = epoch_;
    touch.writer = static_cast<std::uint16_t>(current_);
  }
}

void Block::fault_race(const char* what, const Touch& touch, unsigned other, std::size_t word) const {
  throw DeviceFault("a race: thread " + std::to_string(current_) + " " + what + " word " + std::to_string(word) +
                    " of shared memory, which thread " + std::to_string(other) +
                    (touch.written_in == epoch_ ? " wrote" : " read") + " since the last barrier" + here());
}

std::string Block::here() const { return ", block " + text(place_); }

}  // namespace hyseq::kernels::cuda::inline HYSEQ_CUDA_DEVICE
