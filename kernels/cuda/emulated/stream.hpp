// Work of the emulated device, done as soon as it is given.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "kernels/cuda/emulated/block.hpp"
#include "kernels/cuda/emulated/thread.hpp"
#include "kernels/cuda/shape.hpp"

namespace hyseq::kernels::cuda::inline HYSEQ_CUDA_DEVICE {

/// Recorded work: what a stream did between two calls, to be done again with one call. Arguments of kernels are those
/// of the recording; whatever changes from one step to the next has to lie in device memory.
class Graph {
 public:
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

  /// What record() does is written down and not carried out.
  template <class Record>
  [[nodiscard]] Graph capture(const Record& record) {
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
    for (const auto& work : graph.work_) work();
  }
  /// Waits until everything is done.
  void wait() {}

  /// For launch() and multiply().
  void submit(std::function<void()> work) {
    if (recording_ != nullptr) {
      recording_->work_.push_back(std::move(work));
    } else {
      work();
    }
  }

 private:
  Graph* recording_ = nullptr;
};

/// Checks a shape against the limits of a GPU. Throws DeviceFault.
void check_shape(const Shape& shape, bool cooperative, std::size_t argument_bytes);

/// Runs a kernel, see device.hpp.
template <class Kernel>
void launch(Stream& stream, const Shape& shape, const Kernel& kernel) {
  check_shape(shape, Kernel::kCooperative, sizeof(Kernel));
  stream.submit([shape, kernel] {
    Block block(shape);
    for (unsigned z = 0; z < shape.grid.z; ++z) {
      for (unsigned y = 0; y < shape.grid.y; ++y) {
        for (unsigned x = 0; x < shape.grid.x; ++x) {
          block.run({x, y, z}, Kernel::kCooperative, [&](unsigned thread) { kernel(Thread(block, thread)); });
        }
      }
    }
  });
}

}  // namespace hyseq::kernels::cuda::inline HYSEQ_CUDA_DEVICE
