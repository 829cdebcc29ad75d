// Work of the emulated device, done as soon as it is given.
#pragma once

#include <functional>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include <boost/core/demangle.hpp>

#include "kernels/cuda/emulated/block.hpp"
#include "kernels/cuda/emulated/global_memory.hpp"
#include "kernels/cuda/emulated/thread.hpp"
#include "kernels/cuda/shape.hpp"
#include "kernels/cuda/watch.hpp"

namespace hyseq::kernels::cuda {
inline namespace HYSEQ_CUDA_DEVICE {

/// Recorded work: what a stream did between two calls, to be done again with one call. Arguments of kernels are those
/// of the recording; whatever changes from one step to the next has to lie in device memory.
class Graph {
 public:
  Graph() = default;
  Graph(Graph&&) = default;  // as on a GPU, not to be copied
  Graph& operator=(Graph&&) = default;
  [[nodiscard]] bool empty() const { return work_.empty(); }

 private:
  friend class Stream;
  std::vector<std::function<void()>> work_;
};

/// Work in order.
class Stream {
 public:
  Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// What record() gives to the stream is written down and not carried out.
  template <class Record>
  [[nodiscard]] Graph capture(const Record& record) {
    refuse_while_recording();
    Graph graph;
    recording_ = &graph;
    try {
      record();
    } catch (...) {
      recording_ = nullptr;
      throw;
    }
    recording_ = nullptr;
    return graph;
  }
  void replay(const Graph& graph) {
    refuse_while_recording();
    for (const auto& work : graph.work_) work();
  }
  /// Waits until everything is done.
  void wait() { refuse_while_recording(); }

  /// Kernels and products given from now on are shown to `watch`, except while recording. Null: to nobody. Borrowed.
  void show(Watch* watch) { watch_ = watch; }

  /// For launch() and multiply().
  void submit(const std::type_info& what, std::function<void()> work) {
    if (recording_ != nullptr) {
      recording_->work_.push_back(std::move(work));
    } else if (watch_ != nullptr) {
      watch_->see(what, work);
    } else {
      work();
    }
  }
  /// For DeviceArray.
  void refuse_while_recording() const {
    if (recording_ != nullptr) throw DeviceFault("copies, waiting and replaying cannot be recorded");
  }

 private:
  Graph* recording_ = nullptr;
  Watch* watch_ = nullptr;
};

/// Checks a shape against the limits of a GPU. Throws DeviceFault.
void check_shape(const Shape& shape, bool cooperative, unsigned most_threads, std::size_t argument_bytes);

/// Runs all blocks of a kernel, in some order.
template <class Kernel>
void run_kernel(const Shape& shape, const Kernel& kernel) {
  ThreadBlock& block = ThreadBlock::of_this_thread();
  block.begin(shape, Kernel::kCooperative);
  const std::size_t row = shape.grid.x;
  const std::size_t plane = row * shape.grid.y;
  const auto run = [&](const Permutation& order, bool backward) {
    for (std::size_t k = 0; k < order.count; ++k) {
      const std::size_t i = order(k);
      block.run(
          {static_cast<unsigned>(i % row), static_cast<unsigned>(i % plane / row), static_cast<unsigned>(i / plane)},
          backward, [&](unsigned thread) { kernel(Thread(block, thread)); });
    }
  };
  try {
    if (BothOrders::wanted())
      run_in_both_orders(plane * shape.grid.z, run);
    else
      run(block.order().next(plane * shape.grid.z), block.order().next_bit());
  } catch (const DeviceFault& fault) {
    throw DeviceFault(std::string(fault.what()) + ", " + block.here() + " of " +
                      boost::core::demangle(typeid(Kernel).name()));
  }
}

/// Runs a kernel, see device.hpp.
template <class Kernel>
void launch(Stream& stream, const Shape& shape, const Kernel& kernel) {
  check_shape(shape, Kernel::kCooperative, most_threads<Kernel>(), sizeof(Kernel));
  stream.submit(typeid(Kernel), [shape, kernel] { run_kernel(shape, kernel); });
}

}  // namespace HYSEQ_CUDA_DEVICE
}  // namespace hyseq::kernels::cuda
