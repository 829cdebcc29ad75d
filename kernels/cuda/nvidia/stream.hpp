// Work of a GPU: a CUDA stream, recorded graphs, launches.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <typeinfo>

#include <cuda_runtime.h>

#include "kernels/cuda/nvidia/check.hpp"
#include "kernels/cuda/nvidia/thread.hpp"
#include "kernels/cuda/shape.hpp"
#include "kernels/cuda/watch.hpp"

namespace hyseq::kernels::cuda {
inline namespace HYSEQ_CUDA_DEVICE {

/// Recorded work, a CUDA graph ready to be launched. See emulated/stream.hpp.
class Graph {
 public:
  Graph() = default;
  [[nodiscard]] bool empty() const { return executable_ == nullptr; }

 private:
  friend class Stream;
  struct Destroy {
    void operator()(cudaGraphExec_t graph) const { (void)cudaGraphExecDestroy(graph); }
  };
  std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, Destroy> executable_;
};

class Products;  // cuBLAS and its memory: products.hpp

/// Work in order, on the GPU that find_gpu() describes. Used by one thread at a time.
class Stream {
 public:
  /// Throws EnvironmentError where there is no GPU.
  Stream();
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// What record() gives to the stream is written down and not carried out.
  template <class Record>
  [[nodiscard]] Graph capture(const Record& record) {
    begin_capture();
    try {
      record();
    } catch (...) {
      abandon_capture();
      throw;
    }
    return end_capture();
  }
  void replay(const Graph& graph);
  /// Waits until everything is done. EnvironmentError where a kernel failed.
  void wait();
  /// See emulated/stream.hpp.
  void show(Watch* watch) { watch_ = watch; }

  /// The following are for launch(), multiply() and DeviceArray.
  [[nodiscard]] cudaStream_t handle() const { return stream_.get(); }
  [[nodiscard]] Products& products() { return *products_; }
  template <class Work>
  void submit(const std::type_info& what, const Work& work) {
    if (watch_ != nullptr && !recording_) {
      watch_->see(what, work);
    } else {
      work();
    }
  }
  /// `from` may change once the call has returned.
  void upload(void* to, const void* from, std::size_t bytes);
  /// Returns when all is there.
  void download(void* to, const void* from, std::size_t bytes);

 private:
  void begin_capture();
  void abandon_capture();
  [[nodiscard]] Graph end_capture();
  void refuse_while_recording() const;

  struct Close {
    void operator()(cudaStream_t stream) const {
      (void)cudaStreamSynchronize(stream);
      (void)cudaStreamDestroy(stream);
    }
  };
  struct Unlock {
    void operator()(std::byte* memory) const { (void)cudaFreeHost(memory); }
  };
  // Uploads pass through memory of the host that the GPU can read by itself, so that they need not wait for the work
  // before them.
  std::unique_ptr<std::byte, Unlock> staging_;
  std::size_t staged_ = 0;
  std::unique_ptr<std::remove_pointer_t<cudaStream_t>, Close> stream_;
  bool recording_ = false;
  Watch* watch_ = nullptr;
  std::unique_ptr<Products> products_;
};

template <class Kernel>
__global__ void __launch_bounds__(most_threads<Kernel>()) run(const __grid_constant__ Kernel kernel) {
  kernel(Thread());
}

/// Lets a kernel have more shared memory than the 48 KiB that need no asking.
void allow_shared_memory(const void* function, std::size_t bytes);

/// Runs a kernel, see device.hpp.
template <class Kernel>
void launch(Stream& stream, const Shape& shape, const Kernel& kernel) {
  constexpr std::size_t kUnasked = std::size_t{48} << 10;
  if (shape.shared_bytes > kUnasked) {
    allow_shared_memory(reinterpret_cast<const void*>(&run<Kernel>), shape.shared_bytes);
  }
  stream.submit(typeid(Kernel), [&] {
    run<Kernel><<<dim3(shape.grid.x, shape.grid.y, shape.grid.z), shape.threads, shape.shared_bytes, stream.handle()>>>(
        kernel);
    check(cudaGetLastError(), "start a kernel");
  });
}

}  // namespace HYSEQ_CUDA_DEVICE
}  // namespace hyseq::kernels::cuda
