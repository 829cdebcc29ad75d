#include "kernels/dense/pool.hpp"

#include "kernels/lanes/flush_subnormals.hpp"

namespace hyseq::kernels::dense {
namespace {

// The calls of a small model follow each other within microseconds, less than it takes to wake a sleeping thread.
constexpr int kSpins = 4000;

template <class Ready>
bool spin_until(const Ready& ready) {
  for (int i = 0; i < kSpins; ++i) {
    if (ready()) return true;
#if defined(__SSE2__)
    _mm_pause();
#endif
  }
  return ready();
}

}  // namespace

Pool::Pool(std::size_t threads) {
  for (std::size_t worker = 1; worker < threads; ++worker) {
    workers_.emplace_back([this, worker] { work(worker); });
  }
}

Pool::~Pool() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    ++round_;
  }
  start_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void Pool::run(std::size_t count, Call call, const void* task) {
  if (workers_.empty() || count < 2) {
    for (std::size_t index = 0; index < count; ++index) call(task, index, 0);
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    count_ = count;
    call_ = call;
    task_ = task;
    failure_ = nullptr;
    next_ = 0;
    open_ = true;
    ++round_;
  }
  start_.notify_all();
  take_tasks(0);
  {
    const std::lock_guard lock(mutex_);
    open_ = false;
  }
  spin_until([this] { return joined_ == 0; });
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return joined_ == 0; });
  if (failure_) std::rethrow_exception(failure_);
}

void Pool::work(std::size_t worker) {
  const FlushSubnormals flush;
  std::uint64_t seen = 0;
  for (;;) {
    spin_until([&] { return round_ != seen; });
    {
      std::unique_lock lock(mutex_);
      start_.wait(lock, [&] { return round_ != seen; });
      if (stop_) return;
      seen = round_;
      if (!open_) continue;
      ++joined_;
    }
    take_tasks(worker);
    const std::lock_guard lock(mutex_);
    if (--joined_ == 0) done_.notify_one();
  }
}

void Pool::take_tasks(std::size_t worker) {
  try {
    for (std::size_t index = next_++; index < count_; index = next_++) call_(task_, index, worker);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
    next_ = count_;
  }
}

}  // namespace hyseq::kernels::dense
