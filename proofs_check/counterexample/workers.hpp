// The same work on several threads.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace hyseq::proofs_check {

/// Calls work(failed) on every thread, this one included, and returns when all have ended. The first exception is
/// passed on; `failed` is then set, so that the others can end early.
inline void on_threads(int threads, const std::function<void(const std::atomic<bool>&)>& work) {
  std::atomic<bool> failed{false};
  std::mutex mutex;
  std::exception_ptr first;
  const auto guarded = [&] {
    try {
      work(failed);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!first) first = std::current_exception();
      failed = true;
    }
  };
  {
    std::vector<std::jthread> others;
    for (int i = 1; i < threads; ++i) others.emplace_back(guarded);
    guarded();
  }
  if (first) std::rethrow_exception(first);
}

}  // namespace hyseq::proofs_check
