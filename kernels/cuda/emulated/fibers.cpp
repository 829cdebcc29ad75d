#include "kernels/cuda/emulated/fibers.hpp"

#include <new>
#include <utility>

#include <boost/context/fiber.hpp>
#include <boost/context/preallocated.hpp>
#if defined(__SSE__)
#include <xmmintrin.h>
#endif
#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace hyseq::kernels::cuda {
inline namespace HYSEQ_CUDA_DEVICE {
/// One piece of address space with a stack and a page that must not be touched below it for each fiber. Pages are only
/// there once they are used.
class Fibers::Stacks {
 public:
#if defined(__SANITIZE_ADDRESS__)
  static constexpr std::size_t kSize = std::size_t{256} << 10;  // its frames are larger
#else
  static constexpr std::size_t kSize = std::size_t{64} << 10;
#endif
  static constexpr std::size_t kPage = 4096;

  Stacks()
      : memory_(
            mmap(nullptr, kMost * kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
  }
  ~Stacks() { (void)munmap(memory_, kMost * kSize); }
  Stacks(const Stacks&) = delete;
  Stacks& operator=(const Stacks&) = delete;

  /// The stacks of a warp begin at different places of a page: at equal ones they would all share a few lines of the
  /// cache.
  [[nodiscard]] boost::context::stack_context stack(unsigned i) const {
    char* bottom = static_cast<char*>(memory_) + i * kSize;
    if (mprotect(bottom, kPage, PROT_NONE) != 0) throw std::bad_alloc();
    boost::context::stack_context context;
    context.size = kSize - kPage - i % kWarp * (kPage / kWarp);
    context.sp = bottom + kPage + context.size;
    return context;
  }

 private:
  void* memory_;
};

namespace {

/// Raises all floating-point flags. A switch of fibers saves and restores the register that they lie in, and current
/// processors take three times as long for that where it changes anything. Raised everywhere, they differ nowhere.
void settle_flags() {
#if defined(__SSE__)
  _mm_setcsr(_mm_getcsr() | 0x3fU);
#endif
}

/// The stacks belong to the set and not to the fibers.
struct NoAllocator {
  [[nodiscard]] static boost::context::stack_context allocate() { return {}; }
  static void deallocate(boost::context::stack_context& /*stack*/) {}
};

}  // namespace

Fibers::Fibers() : fibers_(std::make_unique<Fiber[]>(kMost)) {}

Fibers::~Fibers() {
  body_ = nullptr;
  for (unsigned i = 0; i < made_; ++i) resume(i);
}

void Fibers::prepare(unsigned count, const std::function<void(unsigned)>& body) {
  settle_flags();
  if (!stacks_) stacks_ = std::make_unique<Stacks>();
  body_ = &body;
  for (; made_ < count; ++made_) make(made_);
}

void Fibers::make(unsigned i) {
  Fiber& fiber = fibers_[i];
  fiber.stack = stacks_->stack(i);
  fiber.self = boost::context::fiber(std::allocator_arg,
                                     boost::context::preallocated(fiber.stack.sp, fiber.stack.size, fiber.stack),
                                     NoAllocator(), [this, i, &fiber](boost::context::fiber&& caller) {
                                       after_switch(nullptr, &caller_bottom_, &caller_size_);
                                       settle_flags();
                                       fiber.caller = std::move(caller);
                                       while (body_ != nullptr) {
                                         (*body_)(i);
                                         suspend(i);
                                       }
                                       before_switch(nullptr, caller_bottom_, caller_size_);
                                       return std::move(fiber.caller);
                                     });
}

}  // namespace HYSEQ_CUDA_DEVICE
}  // namespace hyseq::kernels::cuda
