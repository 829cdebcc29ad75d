// The same work, or pieces of it, on several threads.
#pragma once

#include <atomic>
#include <cstddef>
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

/// Calls work(i) once for every i below `count`; each must write its own result only. The first exception is passed on.
inline void for_each_index(std::size_t count, int threads, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  on_threads(threads, [&](const std::atomic<bool>& failed) {
    for (std::size_t i = next++; i < count && !failed; i = next++) work(i);
  });
}

}  // namespace hyseq::proofs_check
