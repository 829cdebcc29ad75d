// The threads of one call or cohort.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace hyseq::kernels::dense {

/// Runs numbered tasks on a fixed number of threads, the caller's among them. Which thread runs which task is left to
/// chance; a result that does not depend on it needs tasks that write to different places and are cut without regard
/// to the number of threads. Workers flush subnormal numbers to zero.
class Pool {
 public:
  /// threads: at least 1, the caller's included.
  explicit Pool(std::size_t threads);
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool();

  [[nodiscard]] std::size_t threads() const { return workers_.size() + 1; }

  /// task(index, worker) for every index below `count`, worker < threads(); returns when all are done. The first
  /// exception of a task is thrown on. Not to be called from a task.
  template <class Task>
  void run(std::size_t count, const Task& task) {
    const Call call = [](const void* data, std::size_t index, std::size_t worker) {
      (*static_cast<const Task*>(data))(index, worker);
    };
    run(count, call, &task);
  }

 private:
  using Call = void (*)(const void* task, std::size_t index, std::size_t worker);

  void run(std::size_t count, Call call, const void* task);
  void work(std::size_t worker);
  void take_tasks(std::size_t worker);

  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable start_;
  std::condition_variable done_;
  std::atomic<std::uint64_t> round_{0};  // counts the calls of run()
  std::atomic<std::size_t> next_{0};
  std::atomic<std::size_t> joined_{0};  // workers inside the round
  bool open_ = false;                   // whether tasks may be left; a worker that wakes later stays out
  bool stop_ = false;
  std::size_t count_ = 0;
  Call call_ = nullptr;
  const void* task_ = nullptr;
  std::exception_ptr failure_;
};

}  // namespace hyseq::kernels::dense
