#include "kernels/cuda/emulated/block.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "kernels/cuda/emulated/stream.hpp"

namespace hyseq::kernels::cuda {
inline namespace HYSEQ_CUDA_DEVICE {
namespace {

/// Thrown through the threads of a block that one of them has ended.
struct Abandoned {};

std::string text(Extent extent) {
  return "(" + std::to_string(extent.x) + ", " + std::to_string(extent.y) + ", " + std::to_string(extent.z) + ")";
}

}  // namespace

void fault_outside(const char* memory, std::size_t index, std::size_t size) {
  throw DeviceFault("index " + std::to_string(index) + " of " + std::to_string(size) + " elements of " + memory +
                    " memory");
}

void check_shape(const Shape& shape, bool cooperative, unsigned most_threads, std::size_t argument_bytes) {
  // The limits of compute capability 8.0, the least that hyseq runs on.
  if (shape.threads == 0 || shape.threads > most_threads || (cooperative && shape.threads % kWarp != 0)) {
    throw DeviceFault("a block has " + std::to_string(shape.threads) + " threads; allowed are 1 to " +
                      std::to_string(most_threads) + ", and whole warps where they work together");
  }
  if (shape.shared_bytes > std::size_t{163} << 10) {
    throw DeviceFault("a block asks for " + std::to_string(shape.shared_bytes) + " bytes of shared memory of 166,912");
  }
  if (argument_bytes > 4096)
    throw DeviceFault("a kernel has " + std::to_string(argument_bytes) + " bytes of arguments");
  if (shape.grid.x == 0 || shape.grid.x > std::numeric_limits<int>::max() || shape.grid.y == 0 || shape.grid.z == 0 ||
      shape.grid.y > 65535 || shape.grid.z > 65535) {
    throw DeviceFault("a grid of " + text(shape.grid) +
                      " blocks; allowed are 1 to 65,535 in the second and third place");
  }
}

ThreadBlock& ThreadBlock::of_this_thread() {
  static thread_local ThreadBlock block;
  return block;
}

void ThreadBlock::begin(const Shape& shape, bool cooperative) {
  shape_ = shape;
  cooperative_ = cooperative;
  if (!cooperative) return;
  memory_.resize(shape.shared_bytes);
  const std::size_t words = (shape.shared_bytes + kWord - 1) / kWord;
  if (touched_.size() < words) touched_.resize(words);
  threads_.resize(shape.threads);
}

void ThreadBlock::run_fibers(const std::function<void(unsigned)>& body) {
  std::ranges::fill(memory_, std::byte{0xff});
  next_epoch();
  first_epoch_ = epoch_;
  const std::function<void(unsigned)> guarded = [&](unsigned thread) {
    try {
      body(thread);
    } catch (const Abandoned&) {
      // another thread's failure
    } catch (...) {
      failure_ = std::current_exception();
    }
    threads_[thread].state = State::done;
  };
  fibers_.prepare(shape_.threads, guarded);
  for (Waiting& thread : threads_) {
    thread.state = State::fresh;
    thread.shuffles = 0;  // a block that was given up leaves them at different turns
  }
  try {
    for (;;) {
      run_until_all_wait();
      if (std::ranges::all_of(threads_, [](const Waiting& thread) { return thread.state == State::done; })) return;
      const auto waits_here = [&](const Waiting& thread) {
        return thread.state == State::barrier && thread.site == threads_.front().site;
      };
      if (!std::ranges::all_of(threads_, waits_here)) fault_meeting();
      next_epoch();
      for (Waiting& thread : threads_) thread.state = State::ready;
    }
  } catch (...) {
    abandon();
    throw;
  }
}

/// Until every thread is at a barrier or at its end.
void ThreadBlock::run_until_all_wait() {
  const unsigned warps = shape_.threads / kWarp;
  const Permutation order = order_.next(warps);
  for (unsigned k = 0; k < warps; ++k) run_warp(static_cast<unsigned>(order(k)) * kWarp);
}

void ThreadBlock::run_warp(unsigned first) {
  const std::span warp = std::span(threads_).subspan(first, kWarp);
  for (;;) {
    const unsigned mask = order_.next_mask();
    for (unsigned k = 0; k < kWarp; ++k) {
      const unsigned lane = k ^ mask;
      if (warp[lane].state == State::done) continue;
      current_ = first + lane;
      fibers_.resume(current_);
      if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    }
    const auto shuffles = [](const Waiting& thread) { return thread.state == State::shuffle; };
    if (std::ranges::none_of(warp, shuffles)) return;
    const auto shuffles_here = [&](const Waiting& thread) {
      return shuffles(thread) && thread.site == warp.front().site;
    };
    if (!std::ranges::all_of(warp, shuffles_here)) fault_meeting();
    for (Waiting& thread : warp) thread.state = State::ready;
  }
}

void ThreadBlock::stop(unsigned thread, State state, const Site& site) {
  threads_[thread].state = state;
  threads_[thread].site = site;
  fibers_.suspend(thread);
  if (abandoned_) throw Abandoned();
}

/// Ends what the threads have begun, so that their fibers are free for the next block.
void ThreadBlock::abandon() {
  abandoned_ = true;
  for (unsigned i = 0; i < shape_.threads; ++i) {
    if (threads_[i].state != State::fresh && threads_[i].state != State::done) fibers_.resume(i);
  }
  abandoned_ = false;
  failure_ = nullptr;
}

void ThreadBlock::next_epoch() {
  if (++epoch_ != 0) return;
  std::ranges::fill(touched_, Touch{});
  epoch_ = 1;
}

void ThreadBlock::barrier(unsigned thread, const Site& site) {
  if (!cooperative_) throw DeviceFault("a barrier in a kernel that is not cooperative");
  stop(thread, State::barrier, site);
}

std::uint64_t ThreadBlock::shuffle(unsigned thread, std::uint64_t bits, unsigned lane, const Site& site) {
  if (!cooperative_) throw DeviceFault("a shuffle in a kernel that is not cooperative");
  const unsigned turn = threads_[thread].shuffles++ % 2;
  threads_[thread].bits[turn] = bits;
  stop(thread, State::shuffle, site);
  return threads_[thread / kWarp * kWarp + lane].bits[turn];
}

std::byte* ThreadBlock::shared(std::size_t first_byte, std::size_t bytes, std::size_t alignment) {
  if (!cooperative_) throw DeviceFault("shared memory in a kernel that is not cooperative");
  if (first_byte % alignment != 0) {
    throw DeviceFault("shared memory from byte " + std::to_string(first_byte) + " on holds no elements of " +
                      std::to_string(alignment) + " bytes");
  }
  if (first_byte > memory_.size() || bytes > memory_.size() - first_byte) {
    throw DeviceFault("shared memory up to byte " + std::to_string(first_byte + bytes) + " of " +
                      std::to_string(memory_.size()));
  }
  return memory_.data() + first_byte;
}

void ThreadBlock::fault_unwritten(std::size_t word) const {
  throw DeviceFault("a read of word " + std::to_string(word) + " of shared memory, which nobody wrote");
}

void ThreadBlock::fault_race(const char* what, const Touch& touch, unsigned other, std::size_t word) const {
  throw DeviceFault("a race: thread " + std::to_string(current_) + " " + what + " word " + std::to_string(word) +
                    " of shared memory, which " + (other == current_ ? "others" : "thread " + std::to_string(other)) +
                    (touch.written_in == epoch_ ? " wrote" : " read") + " since the last barrier");
}

/// Of those that wait together and those that do not, one line each.
void ThreadBlock::fault_meeting() const {
  std::string found;
  std::vector<const Waiting*> named;
  const auto together = [](const Waiting& a, const Waiting& b) {
    return a.state == b.state && (a.state == State::done || a.state == State::fresh || a.site == b.site);
  };
  for (const Waiting& thread : threads_) {
    if (thread.state == State::fresh || thread.state == State::ready) continue;
    if (std::ranges::any_of(named, [&](const Waiting* other) { return together(*other, thread); })) continue;
    named.push_back(&thread);
    const auto count = std::ranges::count_if(threads_, [&](const Waiting& other) { return together(other, thread); });
    found += (found.empty() ? "" : ", ") + std::to_string(count) + " (as thread " +
             std::to_string(&thread - threads_.data()) + ") ";
    if (thread.state == State::done) {
      found += "at the end";
    } else {
      found += (thread.state == State::barrier ? "at the barrier of " : "at the shuffle of ") + thread.site.text();
    }
  }
  throw DeviceFault("the threads of a block do not meet: " + found);
}

std::string ThreadBlock::here() const { return "thread " + std::to_string(current_) + " of block " + text(place_); }

}  // namespace HYSEQ_CUDA_DEVICE
}  // namespace hyseq::kernels::cuda
