// Functions that run side by side on one processor and hand over to each other where they like: the threads of a block.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

#include <boost/context/fiber.hpp>
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

#include "kernels/cuda/shape.hpp"

namespace hyseq::kernels::cuda {
inline namespace HYSEQ_CUDA_DEVICE {

/// Fibers that stay: making them takes a hundred times longer than a switch, so that one set serves all blocks that a
/// thread of the host ever runs. Each waits for a body, runs it, and waits for the next.
class Fibers {
 public:
  static constexpr unsigned kMost = 1024;

  Fibers();
  ~Fibers();
  Fibers(const Fibers&) = delete;
  Fibers& operator=(const Fibers&) = delete;

  /// What fiber i runs when it is resumed and has nothing begun: body(i), which must not throw and must outlive that.
  /// Makes the fibers below `count` if there are not as many.
  void prepare(unsigned count, const std::function<void(unsigned)>& body);
  /// Runs fiber i until it suspends itself or has come to the end of its body.
  void resume(unsigned i) {
    Fiber& fiber = fibers_[i];
    void* kept = nullptr;
    before_switch(&kept, static_cast<char*>(fiber.stack.sp) - fiber.stack.size, fiber.stack.size);
    fiber.self = std::move(fiber.self).resume();
    after_switch(kept, nullptr, nullptr);
  }
  /// Called in the body of fiber i: goes on behind the resume() of it.
  void suspend(unsigned i) {
    Fiber& fiber = fibers_[i];
    before_switch(&fiber.kept, caller_bottom_, caller_size_);
    fiber.caller = std::move(fiber.caller).resume();
    after_switch(fiber.kept, &caller_bottom_, &caller_size_);
  }

 private:
  class Stacks;
  struct Fiber {
    boost::context::fiber self;
    boost::context::fiber caller;
    boost::context::stack_context stack;
    void* kept = nullptr;  // by the address sanitizer
  };

  // The address sanitizer wants to know on which stack the program is. `kept` holds what it has to remember of the
  // fiber that is left; null where that one ends.
  static void before_switch([[maybe_unused]] void** kept, [[maybe_unused]] const void* bottom,
                            [[maybe_unused]] std::size_t size) {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(kept, bottom, size);
#endif
  }
  static void after_switch([[maybe_unused]] void* kept, [[maybe_unused]] const void** from_bottom,
                           [[maybe_unused]] std::size_t* from_size) {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(kept, from_bottom, from_size);
#endif
  }

  void make(unsigned i);

  const std::function<void(unsigned)>* body_ = nullptr;  // null: the fibers come to their end
  std::unique_ptr<Stacks> stacks_;
  std::unique_ptr<Fiber[]> fibers_;
  unsigned made_ = 0;
  // The stack of whoever resumes, for the address sanitizer.
  const void* caller_bottom_ = nullptr;
  std::size_t caller_size_ = 0;
};

}  // namespace HYSEQ_CUDA_DEVICE
}  // namespace hyseq::kernels::cuda
